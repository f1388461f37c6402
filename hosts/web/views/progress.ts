/** How far the synthesis is, and the button that stops it. */
import type { PageState } from "../state/page_state.ts";
import type { Store } from "../state/store.ts";
import { byId } from "./element.ts";

/** Shows the progress while images are made. */
export function progressView(store: Store<PageState>, cancel: () => void): void {
  const bar = byId<HTMLProgressElement>("progress"), stop = byId<HTMLButtonElement>("stop");
  // Until the first pack is open, the bar only says that something goes on.
  store.watch(["busy", "progress", "problems"], ({ busy, progress }) => {
    bar.value = progress;
    byId("running").hidden = !busy;
  });
  stop.addEventListener("click", cancel);
}
