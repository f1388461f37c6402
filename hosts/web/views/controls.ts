/** The controls of the settings: prior, contexts, z-step, and the values of layers; for pictures from noise those of the denoiser. */
import { optionValues } from "../../../core/options.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import { PROFILE, type Profile } from "../../../core/profile.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import type { Registry } from "../../../core/registry.ts";
import { sourceOf } from "../../../pipelines/page/tiles.ts";
import { type Current, isFromNoise, type PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import { type Named, requestFor, type Settings, settingsOf } from "../state/settings.ts";
import type { Store } from "../state/store.ts";
import { byId, element, radios, select } from "./element.ts";
import { layerTables } from "./layer_tables.ts";
import { noiseControls } from "./noise_controls.ts";
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

/** Shows the settings. The controls are made anew after each change. */
export function controlsView(store: Store<PageState>, session: Session, plugins: Registry): void {
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    const isNoise = isFromNoise(current);
    // Textures that are quilted as a whole have no layers, and no settings.
    const isFixed = !isNoise && current.planned.layers.length === 0;
    byId("settings").hidden = isFixed;
    if (isFixed) return;
    const settings = isNoise ? "denoiser, steps, windows" : "prior, contexts, iterations";
    byId("settings-title").textContent = `Settings for experts: ${settings}`;
    showControls(isNoise ? fromNoise(current, session, plugins) : fromSeedImages(current, session, plugins));
  });
}

/** The controls of pictures from noise. */
function fromNoise(current: Current, session: Session, plugins: Registry): HTMLElement[] {
  const { planned, choices: { set } } = current, own = plan(profileOf(current), plugins);
  const change = (set: string[]) => session.change({ set });
  return noiseControls({ plugins, planned, own, set, change, reset: resetControl(current, session) });
}

/** The controls of pictures from seed images. */
function fromSeedImages(current: Current, session: Session, plugins: Registry): HTMLElement[] {
  const { planned, choices } = current, profile = profileOf(current);
  const change = (settings: Settings) => {
    const { prior, contexts, zStep, set } = requestFor(profile, settings, plugins);
    session.change({ prior, contexts, zStep, set });
  };
  const settings = settingsOf(planned, choices.set), own = plan(profile, plugins);
  const shown = { plugins, settings, planned, own, change };
  const isOpen = byId("controls").querySelector("details")?.open ?? false;
  return [
    priorControls(shown),
    contextControls(shown),
    seedControls(shown),
    zStepControls(shown, resetControl(current, session)),
    layerTables(planned, own, settings, isOpen, change),
  ];
}

/** The profile that the settings differ from. */
function profileOf({ pack, choices }: Current): Profile {
  return { ...pack.profile, from: sourceOf(choices, pack) ?? pack.profile.from };
}

/** Shows controls in place of those before; the focus stays on the same control. */
function showControls(shown: readonly HTMLElement[]): void {
  const controls = byId("controls"), focused = document.activeElement;
  const key = focused && controls.contains(focused) ? focused.getAttribute("data-key") : null;
  controls.replaceChildren(...shown);
  if (key !== null) {
    [...controls.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.dataset.key === key)?.focus();
  }
}

/** The prior and its options. */
function priorControls(shown: Shown): HTMLElement {
  const { plugins, settings, change } = shown, prior = plugins.find("prior", settings.prior.name);
  const names = ofKind(plugins, "prior").map(({ name }) => name);
  const priors = select(names, prior.name, { "data-key": "prior", "aria-label": "Prior" }, (name) => {
    change({ ...settings, prior: withUsualValues(plugins.find("prior", name), shown) });
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

/** The z-step, and what resets all settings. */
function zStepControls({ settings, change }: Shown, reset: readonly HTMLElement[]): HTMLElement {
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
    ...reset,
  );
}

/** The button that resets all settings, and its title. */
function resetControl({ choices }: Current, session: Session): HTMLElement[] {
  const onclick = () => {
    const set = choices.set.filter((setting) => /^(size\.|tile=)/.test(setting));
    session.change({ prior: undefined, contexts: undefined, zStep: undefined, set });
  };
  return [
    element("h3", {}, "All settings"),
    element("button", { type: "button", onclick, "data-key": "reset" }, "Reset to the profile"),
  ];
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
