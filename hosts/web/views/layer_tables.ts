/** The paper's tables: the parameters of every iteration of every layer. */
import { MOST_FEATHER } from "../../../core/merge_weights.ts";
import type { Plan } from "../../../core/plan.ts";
import { type Settings, withLayerValue } from "../state/settings.ts";
import { element } from "./element.ts";
import { numberInput } from "./option_rows.ts";

/** The rows of a layer's table. */
const ROWS = [
  { name: "h", about: "randomness: larger values draw patches that agree less with the layer below" },
  { name: "lambda", about: "how much the result has to agree with the layer below" },
  { name: "rho", about: "how much the drawn patches have to agree with each other" },
] as const;
const WINDOW = "how far around its place a patch may come from, in pixels of the layer below";
const FEATHER = "how much patches count less towards their borders where they are merged; 0: the average";
/** The largest window that the page offers: the search takes time in proportion to the window's area. */
const LARGEST_WINDOW = 8;

/** The tables of a plan, in the order in which the layers are synthesized. `own` is the profile's plan. */
export function layerTables(
  planned: Plan,
  own: Plan,
  settings: Settings,
  open: boolean,
  change: (settings: Settings) => void,
): HTMLElement {
  const set = (name: string, profiled: number) => (value: number) => {
    change({ ...settings, layers: withLayerValue(settings.layers, name, value, profiled) });
  };
  const numbers = planned.layers.map((_, l) => l).reverse();
  return element(
    "details",
    { className: "layers", open },
    element("summary", {}, "Values of every layer and iteration"),
    element("p", { className: "note" }, ROWS.map(({ name, about }) => `${name}: ${about}.`).join(" ")),
    ...numbers.flatMap((l) => [element("h3", {}, `Layer ${l}`), layerTable(l, planned, own, set)]),
  );
}

/** The table of a layer: a column for each iteration, and rows for its window and its feather. */
function layerTable(
  l: number,
  planned: Plan,
  own: Plan,
  set: (name: string, profiled: number) => (value: number) => void,
): HTMLElement {
  const { iterations } = planned.layers[l], profiled = own.layers[l];
  const row = (name: string, about: string, inputs: readonly HTMLElement[]) => {
    const cells = inputs.map((input) => element("td", {}, input));
    return element("tr", { title: about }, element("th", { scope: "row" }, name), ...cells);
  };
  const rows = ROWS.map(({ name, about }) => {
    const range = name === "lambda" ? { min: 0 } : { min: Number.MIN_VALUE };
    const inputs = iterations.map((iteration, k) => {
      const path = `layers.${l}.${name}.${k}`, rounded = Number(iteration[name].toPrecision(6));
      const input = numberInput(path, rounded, range, set(path, profiled.iterations[k]?.[name]));
      input.setAttribute("aria-label", `Layer ${l}, iteration ${k + 1}: ${name}`);
      return input;
    });
    return row(name, about, inputs);
  });
  const single = (name: "window" | "feather", about: string, max: number) => {
    const path = `layers.${l}.${name}`, range = { min: 0, max, integer: true };
    const input = numberInput(path, planned.layers[l][name], range, set(path, profiled[name]));
    input.setAttribute("aria-label", `Layer ${l}: ${name}`);
    return row(name, about, [input]);
  };
  const ofLayer = [single("window", WINDOW, LARGEST_WINDOW), single("feather", FEATHER, MOST_FEATHER)];
  return element("div", { className: "table" }, element("table", {}, ...rows, ...ofLayer));
}
