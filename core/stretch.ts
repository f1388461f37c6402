/** Stretches lists to another length: those of a layer have one value for each iteration, windows one for each step of noise. */
import { NOISE } from "./noise_entries.ts";
import { isObject } from "./options.ts";
import { exp, log } from "./reference/math.ts";
import { MAX_STEPS } from "./schedule.ts";

/** Digits of an interpolated value. */
const DIGITS = 6;

/** What counts the values of lists: its default and its greatest value, the lists of numbers that are interpolated, and how. */
const COUNTERS = {
  iterations: {
    usual: undefined,
    most: 65535,
    schedules: ["h", "lambda", "rho"],
    rounded: (value: number) => Number(value.toPrecision(DIGITS)),
  },
  steps: {
    usual: NOISE.steps.default,
    most: MAX_STEPS,
    schedules: ["windows"],
    rounded: (side: number) => 2 * Math.round((side - 1) / 2) + 1, // windows are odd
  },
} as const;

/**
 * A layer of a profile with another number of iterations, or its entry `noise` with another number of steps. h, lambda, rho and
 * windows keep their first and last values; between them they are interpolated geometrically, as their schedules mostly are, and
 * linearly where a value is 0. Offsets are taken in turn, so that cycle spinning visits what it visited. For a count of one the
 * last values are taken. Lists that have not one value for each iteration or step are left for `plan` to refuse.
 */
export function stretched(entries: unknown, counter: keyof typeof COUNTERS, count: unknown): unknown {
  if (!isObject(entries)) return entries;
  const changed: Record<string, unknown> = { ...entries, [counter]: count };
  const { usual, most, schedules, rounded } = COUNTERS[counter];
  const old = (entries as Readonly<Record<string, unknown>>)[counter] ?? usual;
  const isCount = (count: unknown): count is number => Number.isInteger(count) && Number(count) >= 1;
  if (!isCount(old) || !isCount(count) || count > most) return changed;
  const list = (name: string) => {
    const values = changed[name];
    return Array.isArray(values) && values.length === old ? values : undefined;
  };
  for (const name of schedules) {
    const values = list(name);
    if (!values?.every((value) => typeof value === "number" && value >= 0 && value < Infinity)) continue;
    changed[name] = Array.from({ length: count }, (_, k) => {
      return valueAt(values, count === 1 ? old - 1 : k * (old - 1) / (count - 1), rounded);
    });
  }
  const offsets = list("offsets");
  if (offsets) changed.offsets = Array.from({ length: count }, (_, k) => offsets[k % old]);
  return changed;
}

/** The value between two entries of a list. */
function valueAt(values: readonly number[], at: number, rounded: (value: number) => number): number {
  const first = Math.floor(at);
  const part = at - first;
  const from = values[first];
  const to = values[first + 1];
  if (part === 0 || from === to) return from;
  // The kernels' exp and log, which give the same bits on every engine.
  return rounded(from > 0 && to > 0 ? from * exp(part * log(to / from)) : from + part * (to - from));
}
