/** The controls of pictures from noise: the denoiser, its options, and how the noise is taken away. */
import type { Entry, Table } from "../../../core/entries.ts";
import { NOISE } from "../../../core/noise_entries.ts";
import { optionValues } from "../../../core/options.ts";
import type { Plan, PlanNoise } from "../../../core/plan.ts";
import type { Option, Values } from "../../../core/plugin.ts";
import type { Registry } from "../../../core/registry.ts";
import { withSettingValue } from "../state/settings.ts";
import { element, select } from "./element.ts";
import { optionRows } from "./option_rows.ts";

/** Entries of colours: pictures in grey have none. */
const OF_COLOURS: readonly string[] = ["saturation", "whiteBalance"];

/** The values that the controls show, and the function that they call. */
interface ShownNoise {
  readonly plugins: Registry;
  /** The plans of the settings and of the profile, whose pictures come from noise. */
  readonly planned: Plan;
  readonly own: Plan;
  /** The settings, as `noise.steps=8`. */
  readonly set: readonly string[];
  change(set: string[]): void;
  /** What resets all settings. */
  readonly reset: readonly HTMLElement[];
}

/** Entries by which pictures are made again. */
const LIMITS = /^(m(in|ax)[A-Z]|tries$)/;

/** The entries of `noise` that have a control: those with one value, and the windows. Limits that examples choose have none. */
export function noiseOptions(noise: PlanNoise, channels: number): { options: Record<string, Option>; values: Values } {
  const values = { ...noise, windows: noise.areWindowsChosen ? "auto" : noise.windows.join(",") };
  const options = Object.entries(NOISE as Table).flatMap(([name, entry]): [string, Option][] => {
    const value = (values as Record<string, unknown>)[name];
    const hasControl = name !== "layer" && isValue(value) && (channels > 1 || !OF_COLOURS.includes(name));
    return hasControl ? [[name, optionOf(entry, value)]] : [];
  });
  return { options: Object.fromEntries(options), values: values as unknown as Values };
}

const isValue = (value: unknown): value is Option["default"] => ["number", "boolean", "string"].includes(typeof value);

function optionOf(entry: Entry, value: Option["default"]): Option {
  const { min, max, choices } = entry as Pick<Option, "min" | "max" | "choices">;
  return { default: value, about: entry.about ?? "", min, max, choices, integer: entry.type === "integer" };
}

/** The controls; each change is one of the settings. */
export function noiseControls({ plugins, planned, own, set, change, reset }: ShownNoise): HTMLElement[] {
  const noise = planned.noise!, ofProfile = own.noise!, { plugin, values } = noise;
  const setTo = (path: string, value: Values[string], profiled: Values[string]) => {
    // Windows that were given are one for each step.
    const replaced = path === "noise.steps" || path === "noise.windows" ? "noise.windows" : path;
    const kept = set.filter((one) => !one.startsWith(`${replaced}=`) && !one.startsWith(`${replaced}.`));
    change(withSettingValue(kept, path, value, profiled));
  };
  const changed = (path: string, before: Values, profiled: Values) => (after: Values) => {
    const name = Object.keys(after).find((name) => after[name] !== before[name]);
    if (name !== undefined) setTo(`${path}.${name}`, after[name], profiled[name]);
  };
  const names = plugins.plugins.filter(({ kind }) => kind === "denoiser").map(({ name }) => name);
  const denoisers = select(names, plugin.name, { "data-key": "denoiser", "aria-label": "Denoiser" }, (name) => {
    const others = set.filter((one) => !one.startsWith("noise.denoiser"));
    change(withSettingValue(others, "noise.denoiser", name, ofProfile.plugin.name));
  });
  const usual = plugin.name === ofProfile.plugin.name ? ofProfile.values : optionValues(plugin, {});
  const { options, values: given } = noiseOptions(noise, planned.channels), entries = Object.entries(options);
  const changeEntry = changed("noise", given, noiseOptions(ofProfile, own.channels).values);
  const rowsOf = (areLimits: boolean) => {
    const some = Object.fromEntries(entries.filter(([name]) => LIMITS.test(name) === areLimits));
    return optionRows("noise", some, given, changeEntry);
  };
  const ofDenoiser = optionRows("noise.denoiser", plugin.options, values, changed("noise.denoiser", values, usual));
  const note = element("p", { className: "note" }, plugin.about);
  return [
    element("div", {}, element("h3", {}, "Denoiser"), denoisers, note, ...ofDenoiser),
    element("div", {}, element("h3", {}, "From noise to the picture"), ...rowsOf(false)),
    element("div", {}, element("h3", {}, "Pictures that are made again"), ...rowsOf(true), ...reset),
  ];
}
