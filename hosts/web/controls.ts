/** The controls of the settings, made from the plugins' tables of options. */
import type { Plan } from "../../core/plan.ts";
import type { AnyPlugin, Option, Values } from "../../core/plugin.ts";
import { optionValues } from "../../core/options.ts";
import type { Registry } from "../../core/registry.ts";
import { byId, element, radios } from "./element.ts";
import { type Named, positionOf, POSITIONS, type Settings, valueAt, withLayerValue } from "./settings.ts";

/** What the z-step can take, for people. */
const Z_STEPS: readonly { value: Plan["zStep"]; about: string }[] = [
  { value: "sample", about: "a patch drawn at random, as in the paper" },
  { value: "map", about: "the likeliest patch: always the same picture" },
  { value: "mean", about: "the mean of the candidates: smooth" },
];

/** The rows of a layer's table, for people. */
const ROWS = [
  { name: "h", about: "randomness: larger lets patches further from the layer below be drawn" },
  { name: "lambda", about: "how much the result has to agree with the layer below" },
  { name: "rho", about: "how much the drawn patches have to agree with each other" },
] as const;

/**
 * Shows the settings of a plan. `own` is the plan of the profile as it is: a value as in it is no change. `change` is
 * called with new settings, `reset` where those of the profile shall come back.
 */
export function showControls(
  { planned, own, settings, plugins }: { planned: Plan; own: Plan; settings: Settings; plugins: Registry },
  change: (settings: Settings) => void,
  reset: () => void,
): void {
  const controls = byId("controls"), focused = document.activeElement;
  const key = focused && controls.contains(focused) ? focused.getAttribute("data-key") : null;
  const ofKind = (kind: AnyPlugin["kind"]) => plugins.plugins.filter((plugin) => plugin.kind === kind);
  const defaults = (plugin: AnyPlugin): Named => ({ name: plugin.name, values: optionValues(plugin, {}) });
  /** A plugin as the profile has it, or with its defaults. */
  const usual = (plugin: AnyPlugin): Named => {
    const chosen = [own.prior, ...own.contexts].find((one) =>
      one.plugin.kind === plugin.kind && one.plugin.name === plugin.name
    );
    return chosen ? { name: plugin.name, values: chosen.values } : defaults(plugin);
  };

  const priors = element("select", { "data-key": "prior", "aria-label": "Prior" });
  for (const { name } of ofKind("prior")) {
    priors.append(element("option", { selected: name === settings.prior.name }, name));
  }
  priors.addEventListener("change", () => {
    change({ ...settings, prior: usual(ofKind("prior").find(({ name }) => name === priors.value)!) });
  });
  const prior = plugins.find("prior", settings.prior.name);
  const first = element(
    "div",
    {},
    element("h3", {}, "Prior"),
    priors,
    element("p", { className: "note" }, prior.about),
    ...options("prior", prior.options, settings.prior.values, (values) => {
      change({ ...settings, prior: { name: prior.name, values } });
    }),
  );

  const contexts = element("div", {}, element("h3", {}, "Contexts"));
  for (const plugin of ofKind("context")) {
    const present = settings.contexts.find(({ name }) => name === plugin.name);
    const box = element("input", { type: "checkbox", checked: present !== undefined, "data-key": plugin.name });
    box.addEventListener("change", () => {
      const others = settings.contexts.filter(({ name }) => name !== plugin.name);
      const next = box.checked ? [...others, usual(plugin)] : others;
      // In the order of the plugins, or of the profile where it has the same ones.
      const order = [...own.contexts.map((one) => one.plugin.name), ...ofKind("context").map(({ name }) => name)];
      change({ ...settings, contexts: next.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) });
    });
    contexts.append(
      element("label", { className: "check" }, box, plugin.name),
      element("p", { className: "note" }, plugin.about),
      ...present
        ? options(plugin.name, plugin.options, present.values, (values) => {
          change({
            ...settings,
            contexts: settings.contexts.map((one) => one === present ? { ...one, values } : one),
          });
        })
        : [],
    );
  }

  const zSteps = element(
    "fieldset",
    { className: "segments" },
    element("legend", { className: "hidden" }, "The z-step takes"),
  );
  radios(
    zSteps,
    "zStep",
    Z_STEPS.map(({ value, about }) => ({ value, label: [value], title: about })),
    settings.zStep,
    (value) => {
      change({ ...settings, zStep: value as Plan["zStep"] });
    },
  );
  zSteps.querySelectorAll("input").forEach((input) => input.setAttribute("data-key", `zStep ${input.value}`));
  const third = element(
    "div",
    {},
    element("h3", {}, "z-step"),
    zSteps,
    element("p", { className: "note" }, Z_STEPS.find(({ value }) => value === settings.zStep)!.about),
    element("h3", {}, "All settings"),
    element("button", { type: "button", onclick: reset, "data-key": "reset" }, "As in the profile"),
  );

  const open = controls.querySelector("details")?.open ?? false;
  controls.replaceChildren(first, contexts, third, layers(planned, own, settings, open, change));
  if (key !== null) {
    [...controls.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.dataset.key === key)?.focus();
  }
}

/** A line for each option: its name, what sets it, and what it does. */
function options(
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
    const box = option.choices
      ? element(
        "select",
        { id, "data-key": id },
        ...option.choices.map((choice) => element("option", { selected: choice === value }, choice)),
      )
      : element("input", { type: "text", id, value, "data-key": id });
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

/** A field for a number; what is outside its range, or no number, is not taken. */
function numberInput(
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

/** The paper's table: the values of every iteration of every layer, the finest last, as they are worked through. */
function layers(
  planned: Plan,
  own: Plan,
  settings: Settings,
  open: boolean,
  change: (settings: Settings) => void,
): HTMLElement {
  const set = (name: string, from: number) => (value: number) => {
    change({ ...settings, layers: withLayerValue(settings.layers, name, value, from) });
  };
  const table = (l: number) => {
    const { iterations } = planned.layers[l], usual = own.layers[l];
    return element(
      "div",
      { className: "table" },
      element(
        "table",
        {},
        ...ROWS.map(({ name, about }) =>
          element(
            "tr",
            { title: about },
            element("th", { scope: "row" }, name),
            ...iterations.map((iteration, k) => {
              const path = `layers.${l}.${name}.${k}`,
                least = name === "lambda" ? { min: 0 } : { min: Number.MIN_VALUE };
              const rounded = Number(iteration[name].toPrecision(6));
              const input = numberInput(path, rounded, least, set(path, usual.iterations[k]?.[name]));
              input.setAttribute("aria-label", `Layer ${l}, iteration ${k + 1}: ${name}`);
              return element("td", {}, input);
            }),
          )
        ),
        element(
          "tr",
          { title: "how far around its place a patch may come from, in pixels of the layer below" },
          element("th", { scope: "row" }, "window"),
          element(
            "td",
            {},
            (() => {
              const input = numberInput(
                `layers.${l}.window`,
                planned.layers[l].window,
                { min: 0, max: 8, integer: true },
                set(`layers.${l}.window`, usual.window),
              );
              input.setAttribute("aria-label", `Layer ${l}: window`);
              return input;
            })(),
          ),
        ),
      ),
    );
  };
  const numbers = planned.layers.map((_, l) => l).reverse();
  return element(
    "details",
    { className: "layers", open },
    element("summary", {}, "Values of every layer and iteration"),
    element("p", { className: "note" }, ROWS.map(({ name, about }) => `${name}: ${about}.`).join(" ")),
    ...numbers.flatMap((l) => [element("h3", {}, `Layer ${l}`), table(l)]),
  );
}
