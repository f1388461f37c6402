/** Stretches the lists of a layer, which have one value for each iteration, to another number of iterations. */
import { isObject } from "./options.ts";
import { exp, log } from "./reference/math.ts";

/** Lists of numbers that are interpolated. */
const SCHEDULES = ["h", "lambda", "rho"] as const;
/** Digits of an interpolated value. */
const DIGITS = 6;

/**
 * A layer of a profile with another number of iterations. h, lambda and rho keep their first and last values; between them they are
 * interpolated geometrically, as their schedules mostly are, and linearly where a value is 0. Offsets are taken in turn, so that
 * cycle spinning visits what it visited. For one iteration the last values are taken. Lists that have not one value for each of
 * the layer's iterations are left for `plan` to refuse.
 */
export function stretched(layer: unknown, iterations: unknown): unknown {
  if (!isObject(layer)) return layer;
  const changed: Record<string, unknown> = { ...layer, iterations };
  const before = changed as { [key: string]: unknown };
  const old = (layer as { iterations?: unknown }).iterations;
  const isCount = (count: unknown): count is number => Number.isInteger(count) && Number(count) >= 1;
  if (!isCount(old) || !isCount(iterations) || iterations > 65535) return changed;
  const list = (name: string) => {
    const values = before[name];
    return Array.isArray(values) && values.length === old ? values : undefined;
  };
  for (const name of SCHEDULES) {
    const values = list(name);
    if (!values?.every((value) => typeof value === "number" && value >= 0 && value < Infinity)) continue;
    changed[name] = Array.from({ length: iterations }, (_, k) => {
      return valueAt(values, iterations === 1 ? old - 1 : k * (old - 1) / (iterations - 1));
    });
  }
  const offsets = list("offsets");
  if (offsets) changed.offsets = Array.from({ length: iterations }, (_, k) => offsets[k % old]);
  return changed;
}

/** The value between two entries of a list. */
function valueAt(values: readonly number[], at: number): number {
  const first = Math.floor(at);
  const part = at - first;
  const from = values[first];
  const to = values[first + 1];
  if (part === 0 || from === to) return from;
  // The kernels' exp and log, which give the same bits on every engine.
  const between = from > 0 && to > 0 ? from * exp(part * log(to / from)) : from + part * (to - from);
  return Number(between.toPrecision(DIGITS));
}
