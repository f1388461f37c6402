/** The choice of what distinguishes the images side by side, and their random seed. */
import type { View } from "../../../pipelines/page/choices.ts";
import { isFromNoise, isTexture, type PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { byId, radios } from "./element.ts";

const VIEWS: readonly { readonly value: View; readonly label: [string] }[] = [
  { value: "samples", label: ["Samples"] },
  { value: "priors", label: ["Methods"] },
  { value: "contexts", label: ["Contexts"] },
];

/** Shows the choice of what to compare, and the random seed. */
export function comparisonView(store: Store<PageState>, session: Session): void {
  const seed = byId<HTMLInputElement>("seed");
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    byId("views").hidden = isTexture(current);
    const views = isFromNoise(current) ? VIEWS.filter(({ value }) => value !== "contexts") : VIEWS;
    radios(
      byId("views"),
      "view",
      views,
      current.choices.view,
      (view) => session.compare({ view: view as View }),
    );
    if (document.activeElement !== seed) seed.value = String(current.choices.seed);
  });
  byId("new-seed").addEventListener("click", () => {
    session.change({ seed: crypto.getRandomValues(new Uint16Array(1))[0] });
  });
  seed.addEventListener("change", () => {
    if (seed.value !== "" && seed.checkValidity()) return session.change({ seed: Number(seed.value) });
    store.change({ problems: [`Cannot use this random seed: expected a whole number from 0 to ${seed.max}.`] });
    seed.value = String(store.state.current?.choices.seed ?? "");
  });
}
