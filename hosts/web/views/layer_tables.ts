/** The paper's tables: the parameters of every iteration of every layer. */
import { ORDERS } from "../../../core/locations.ts";
import { MAX_FEATHER } from "../../../core/merge_weights.ts";
import type { Plan } from "../../../core/plan.ts";
import { type Settings, withLayerValue } from "../state/settings.ts";
import { element } from "./element.ts";
import { numberInput } from "./option_rows.ts";

/** The rows of a layer's table. */
const ROWS = [
  { name: "h", about: "randomness; larger: patches that agree less with the LR image are drawn more often" },
  { name: "lambda", about: "weight of the LR image: how much the reduced result has to agree with it" },
  { name: "rho", about: "how much the drawn patches have to agree with each other" },
] as const;
const ORDER = "which patches are drawn first: row by row, or each row from its centre outwards";
/** The rows that have a number for the layer. */
const SINGLE = [
  {
    name: "window",
    about: "how far around its place a patch may come from, in LR pixels",
    min: 0,
    max: 8, // the search takes time in proportion to the window's area
    integer: true,
  },
  {
    name: "feather",
    about: "how much patches count less towards their borders where they are merged; 0: the average",
    min: 0,
    max: MAX_FEATHER,
    integer: true,
  },
  {
    name: "projection",
    about: "iterations at the end that take the nearest training patches of the same place; more: patches agree more",
    min: 0,
    max: 16, // more changed nothing that was measured: datasets/profiles/digits.ts
    integer: true,
  },
  {
    name: "minOriginality",
    about: "an image that is nearer to a training image of its size is drawn again, at most 8 times; 0: none is",
    min: 0,
  },
] as const;

/** The tables of a plan, in the order in which the layers are synthesized. `own` is the profile's plan. */
export function layerTables(
  planned: Plan,
  own: Plan,
  settings: Settings,
  open: boolean,
  change: (settings: Settings) => void,
): HTMLElement {
  const set: Set = (name, profiled) => (value) => {
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

/** The rows that count for aligned images only. */
const ALIGNED: readonly string[] = ["projection", "minOriginality"];

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
  const ofLayer = SINGLE.filter(({ name }) => planned.aligned || !ALIGNED.includes(name)).map((entry) => {
    const { name, about, ...range } = entry, path = `layers.${l}.${name}`;
    const input = numberInput(path, planned.layers[l][name], range, set(path, profiled[name]));
    input.setAttribute("aria-label", `Layer ${l}: ${name}`);
    return row(name, about, [input]);
  });
  const path = `layers.${l}.order`, order = element("select", { "data-key": path, "aria-label": `Layer ${l}: order` });
  for (const name of ORDERS) order.append(element("option", { selected: name === planned.layers[l].order }, name));
  order.addEventListener("change", () => set(path, String(profiled.order))(order.value));
  return element(
    "div",
    { className: "table" },
    element("table", {}, ...rows, ...ofLayer, row("order", ORDER, [order])),
  );
}
