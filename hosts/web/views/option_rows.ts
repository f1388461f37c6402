/** The controls of a plugin's options, made from its table of options. */
import type { Option, Values } from "../../../core/plugin.ts";
import { positionOf, POSITIONS, valueAt } from "../state/settings.ts";
import { element, select } from "./element.ts";

/** A row for each option: its name, its control, and what it does. `owner` is the plugin's name, or "prior". */
export function optionRows(
  owner: string,
  table: Readonly<Record<string, Option>>,
  values: Values,
  change: (values: Values) => void,
): HTMLElement[] {
  return Object.entries(table).map(([name, option]) => {
    const set = (value: Values[string]) => change({ ...values, [name]: value });
    const note = element("p", { className: "note" }, option.about);
    return element("div", { className: "option" }, ...control(owner, name, option, values[name], set), note);
  });
}

/** The label and the control of an option. */
function control(
  owner: string,
  name: string,
  option: Option,
  value: Values[string],
  set: (value: Values[string]) => void,
): HTMLElement[] {
  const id = `${owner}-${name}`, label = element("label", { for: id }, name);
  if (typeof option.default === "boolean") {
    const box = element("input", { type: "checkbox", id, checked: value, "data-key": id });
    box.addEventListener("change", () => set(box.checked));
    return [label, box];
  }
  if (typeof option.default === "string") {
    if (option.choices) return [label, select(option.choices, value, { id, "data-key": id }, set)];
    const box = element("input", { type: "text", id, value, "data-key": id });
    box.addEventListener("change", () => set(box.value));
    return [label, box];
  }
  const numeric = option as Option & { default: number }, exact = numberInput(id, Number(value), option, set);
  const slider = element("input", {
    type: "range",
    min: "0",
    max: String(POSITIONS),
    value: String(positionOf(numeric, Number(value))),
    "aria-label": `${owner} ${name}`,
    "aria-valuetext": String(value),
    "data-key": `${id}-slider`,
  });
  slider.addEventListener("input", () => exact.value = String(valueAt(numeric, Number(slider.value))));
  slider.addEventListener("change", () => set(valueAt(numeric, Number(slider.value))));
  return [label, slider, exact];
}

/** A field for a number. Calls `set` only with numbers in its range. */
export function numberInput(
  id: string,
  value: number,
  { min, max, integer }: Pick<Option, "min" | "max" | "integer">,
  set: (value: number) => void,
): HTMLInputElement {
  const input = element("input", {
    type: "number",
    id,
    value: String(value),
    step: integer ? "1" : "any",
    "data-key": id,
  });
  if (min !== undefined) input.min = String(min);
  if (max !== undefined) input.max = String(max);
  input.addEventListener("change", () => {
    if (input.value !== "" && input.checkValidity()) set(Number(input.value));
    else input.reportValidity();
  });
  return input;
}
