/** The controls of the settings: prior, contexts, z-step, and the values of layers. */
import { optionValues } from "../../../core/options.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import { PROFILE } from "../../../core/profile.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import type { Registry } from "../../../core/registry.ts";
import { sourceOf } from "../../../pipelines/page/tiles.ts";
import { isFromNoise, type PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import { type Named, requestFor, type Settings, settingsOf } from "../state/settings.ts";
import type { Store } from "../state/store.ts";
import { byId, element, radios } from "./element.ts";
import { layerTables } from "./layer_tables.ts";
import { optionRows } from "./option_rows.ts";

/** The estimators of the z-step. */
const Z_STEPS: readonly { value: Plan["zStep"]; about: string }[] = [
  { value: "sample", about: "a patch drawn at random, as in the paper" },
  { value: "map", about: "the most probable patch: always the same picture" },
  { value: "mean", about: "the mean of the candidates: smooth" },
];

/** The entries of a profile that have a control of their own, as options. */
const SEED_OPTIONS = { seedNoise: PROFILE.seedNoise } as const;

/** The values that the controls show, and the function that they call. */
interface Shown {
  readonly plugins: Registry;
  readonly settings: Settings;
  readonly planned: Plan;
  /** The profile's plan, from which the settings may differ. */
  readonly own: Plan;
  change(settings: Settings): void;
}

/** Shows the settings. The controls are made anew after each change; the focus stays on the same control. */
export function controlsView(store: Store<PageState>, session: Session, plugins: Registry): void {
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    // Images from noise may have no layers, and their profile says how they are made. Textures that are quilted as a whole have none.
    const isFixed = isFromNoise(current) || current.planned.layers.length === 0;
    byId("settings").hidden = isFixed;
    if (isFixed) return;
    const { pack, planned, choices } = current;
    const profile = { ...pack.profile, from: sourceOf(choices, pack) ?? pack.profile.from };
    showControls({
      plugins,
      settings: settingsOf(planned, choices.set),
      planned,
      own: plan(profile, plugins),
      change(settings) {
        const { prior, contexts, zStep, set } = requestFor(profile, settings, plugins);
        session.change({ prior, contexts, zStep, set });
      },
    }, () => {
      const set = choices.set.filter((setting) => /^(size\.|tile=)/.test(setting));
      session.change({ prior: undefined, contexts: undefined, zStep: undefined, set });
    });
  });
}

function showControls(shown: Shown, reset: () => void): void {
  const controls = byId("controls"), focused = document.activeElement;
  const key = focused && controls.contains(focused) ? focused.getAttribute("data-key") : null;
  const open = controls.querySelector("details")?.open ?? false, { planned, own, settings, change } = shown;
  controls.replaceChildren(
    priorControls(shown),
    contextControls(shown),
    seedControls(shown),
    zStepControls(shown, reset),
    layerTables(planned, own, settings, open, change),
  );
  if (key !== null) {
    [...controls.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.dataset.key === key)?.focus();
  }
}

/** The prior and its options. */
function priorControls(shown: Shown): HTMLElement {
  const { plugins, settings, change } = shown, prior = plugins.find("prior", settings.prior.name);
  const priors = element("select", { "data-key": "prior", "aria-label": "Prior" });
  for (const { name } of ofKind(plugins, "prior")) {
    priors.append(element("option", { selected: name === prior.name }, name));
  }
  priors.addEventListener("change", () => {
    change({ ...settings, prior: withUsualValues(plugins.find("prior", priors.value), shown) });
  });
  const rows = optionRows("prior", prior.options, settings.prior.values, (values) => {
    change({ ...settings, prior: { name: prior.name, values } });
  });
  const note = element("p", { className: "note" }, prior.about);
  return element("div", {}, element("h3", {}, "Prior"), priors, note, ...rows);
}

/** The contexts, and the options of those that are chosen. */
function contextControls(shown: Shown): HTMLElement {
  const { plugins, settings, own, change } = shown, contexts = ofKind(plugins, "context");
  // Contexts keep the order of the profile, then that of the plugins.
  const order = [...own.contexts.map(({ plugin }) => plugin.name), ...contexts.map(({ name }) => name)];
  const controls = contexts.flatMap((plugin) => {
    const present = settings.contexts.find(({ name }) => name === plugin.name);
    const box = element("input", { type: "checkbox", checked: present !== undefined, "data-key": plugin.name });
    box.addEventListener("change", () => {
      const others = settings.contexts.filter(({ name }) => name !== plugin.name);
      const next = box.checked ? [...others, withUsualValues(plugin, shown)] : others;
      change({ ...settings, contexts: next.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) });
    });
    const rows = present && optionRows(plugin.name, plugin.options, present.values, (values) => {
      change({ ...settings, contexts: settings.contexts.map((one) => one === present ? { ...one, values } : one) });
    });
    const label = element("label", { className: "check" }, box, plugin.name);
    return [label, element("p", { className: "note" }, plugin.about), ...rows ?? []];
  });
  return element("div", {}, element("h3", {}, "Contexts"), ...controls);
}

/** What is done to the seed image. */
function seedControls({ settings, change }: Shown): HTMLElement {
  const rows = optionRows("profile", SEED_OPTIONS, { seedNoise: settings.seedNoise }, ({ seedNoise }) => {
    change({ ...settings, seedNoise: Number(seedNoise) });
  });
  return element("div", {}, element("h3", {}, "Seed image"), ...rows);
}

/** The z-step, and the button that resets all settings. */
function zStepControls({ settings, change }: Shown, reset: () => void): HTMLElement {
  const legend = element("legend", { className: "hidden" }, "Estimator of the z-step");
  const group = element("fieldset", { className: "segments" }, legend);
  const choices = Z_STEPS.map(({ value, about }) => ({ value, label: [value], title: about }));
  radios(group, "zStep", choices, settings.zStep, (value) => change({ ...settings, zStep: value as Plan["zStep"] }));
  group.querySelectorAll("input").forEach((input) => input.setAttribute("data-key", `zStep ${input.value}`));
  return element(
    "div",
    {},
    element("h3", {}, "z-step"),
    group,
    element("p", { className: "note" }, Z_STEPS.find(({ value }) => value === settings.zStep)!.about),
    element("h3", {}, "All settings"),
    element("button", { type: "button", onclick: reset, "data-key": "reset" }, "Reset to the profile"),
  );
}

/** Returns a plugin with its values in the profile, or with its defaults if the profile does not have it. */
function withUsualValues(plugin: AnyPlugin, { own }: Shown): Named {
  const chosen = [own.prior, ...own.contexts].find((one) =>
    one.plugin.kind === plugin.kind && one.plugin.name === plugin.name
  );
  return { name: plugin.name, values: chosen?.values ?? optionValues(plugin, {}) };
}

function ofKind({ plugins }: Registry, kind: AnyPlugin["kind"]): AnyPlugin[] {
  return plugins.filter((plugin) => plugin.kind === kind);
}
