/** The paper's tables: the parameters of every iteration of every layer. */
import type { Table } from "../../../core/entries.ts";
import type { Plan, PlanLayer } from "../../../core/plan.ts";
import type { Option } from "../../../core/plugin.ts";
import { LAYER } from "../../../core/profile.ts";
import { type Settings, withSettingValue } from "../state/settings.ts";
import { element, select } from "./element.ts";
import { numberInput } from "./option_rows.ts";

/** The entries of a layer that have a value for each iteration. */
const ROWS = ["h", "lambda", "rho"] as const;
/** Ends for the page where those of a profile are wider than useful. */
const MOST: Readonly<Record<string, number>> = {
  window: 8, // the search takes time in proportion to the window's area
  projection: 16, // more changed nothing that was measured: datasets/profiles/digits.ts
};
/** The rows that count for aligned images only. */
const ALIGNED: readonly string[] = ["projection", "minOriginality", "maxStructure"];

/** An entry with one number for the layer. */
interface NumberEntry extends Pick<Option, "min" | "max" | "integer"> {
  readonly name: Exclude<Extract<keyof PlanLayer, keyof typeof LAYER>, "iterations">;
  readonly about: string;
}

/** Lists the entries with one number for the layer: the window, and all that have a default, as those without are the layer's sizes. */
export function numberEntries(aligned: boolean): NumberEntry[] {
  return Object.entries(LAYER as Table).flatMap(([name, entry]): NumberEntry[] => {
    const isNumber = entry.type === "number" || entry.type === "integer";
    if (!isNumber || name !== "window" && entry.default === undefined) return [];
    if (!aligned && ALIGNED.includes(name)) return [];
    const { about = "", min, max } = entry;
    return [{
      name: name as NumberEntry["name"],
      about,
      min,
      max: MOST[name] ?? max,
      integer: entry.type === "integer",
    }];
  });
}

/** The tables of a plan, in the order in which the layers are synthesized. `own` is the profile's plan. */
export function layerTables(
  planned: Plan,
  own: Plan,
  settings: Settings,
  open: boolean,
  change: (settings: Settings) => void,
): HTMLElement {
  const set: Set = (name, profiled) => (value) => {
    change({ ...settings, layers: withSettingValue(settings.layers, name, value, profiled) });
  };
  const numbers = planned.layers.map((_, l) => l).reverse();
  return element(
    "details",
    { className: "layers", open },
    element("summary", {}, "Values of every layer and iteration"),
    element("p", { className: "note" }, ROWS.map((name) => `${name}: ${LAYER[name].about}.`).join(" ")),
    ...numbers.flatMap((l) => [element("h3", {}, `Layer ${l}`), layerTable(l, planned, own, set)]),
  );
}
/** Makes the function that sets a value of a layer by its name. `profiled` is the profile's. */
type Set = <T extends number | string>(name: string, profiled: T) => (value: T) => void;

/** The table of a layer: a column for each iteration, and rows with one value for the layer. */
function layerTable(
  l: number,
  planned: Plan,
  own: Plan,
  set: Set,
): HTMLElement {
  const { iterations } = planned.layers[l], profiled = own.layers[l];
  const row = (name: string, about: string, inputs: readonly HTMLElement[]) => {
    const cells = inputs.map((input) => element("td", {}, input));
    return element("tr", { title: about }, element("th", { scope: "row" }, name), ...cells);
  };
  const rows = ROWS.map((name) => {
    const range = name === "lambda" ? { min: 0 } : { min: Number.MIN_VALUE };
    const inputs = iterations.map((iteration, k) => {
      const path = `layers.${l}.${name}.${k}`, rounded = Number(iteration[name].toPrecision(6));
      const input = numberInput(path, rounded, range, set(path, profiled.iterations[k]?.[name]));
      input.setAttribute("aria-label", `Layer ${l}, iteration ${k + 1}: ${name}`);
      return input;
    });
    return row(name, LAYER[name].about, inputs);
  });
  const ofLayer = numberEntries(planned.aligned).map(({ name, about, ...range }) => {
    const path = `layers.${l}.${name}`;
    const input = numberInput(path, planned.layers[l][name] as number, range, set(path, profiled[name] as number));
    input.setAttribute("aria-label", `Layer ${l}: ${name}`);
    return row(name, about, [input]);
  });
  const path = `layers.${l}.order`, named = { "data-key": path, "aria-label": `Layer ${l}: order` };
  const order = select(LAYER.order.choices, planned.layers[l].order, named, set(path, String(profiled.order)));
  return element(
    "div",
    { className: "table" },
    element("table", {}, ...rows, ...ofLayer, row("order", LAYER.order.about, [order])),
  );
}
