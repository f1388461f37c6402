/** The choice of what pictures begin with: a drawing or noise. */
import { isFromNoise, isTexture, type PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { byId, radios } from "./element.ts";

const SOURCES = [
  { value: "drawing", label: ["Drawing"] },
  { value: "noise", label: ["Pure noise"] },
];

/** Shows the choice, and goes back to the last drawing where it is chosen again. */
export function sourceView(store: Store<PageState>, session: Session): void {
  let drawn: { readonly pack: string; readonly seedImage: number | Uint8Array } | undefined;
  const change = (value: string) => {
    const { choices } = store.state.current!, at = { frame: undefined, pixel: undefined };
    if (value === "noise") return session.compare({ ...at, seedImage: "noise" });
    session.compare({ ...at, seedImage: drawn?.pack === choices.pack ? drawn.seedImage : 0 });
  };
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    const { pack, seedImage } = current.choices;
    if (seedImage !== "noise") drawn = { pack, seedImage };
    byId("source").hidden = isTexture(current);
    radios(byId("source"), "source", SOURCES, isFromNoise(current) ? "noise" : "drawing", change);
  });
}
