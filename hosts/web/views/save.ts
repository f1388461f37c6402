/** Saves the `run.json` of the selected picture, and copies the page's address. */
import { requestedPlan } from "../../../pipelines/synthesis/request.ts";
import { builtins } from "../../../plugins/mod.ts";
import { hasNewTiles, type PageState, selectedTile } from "../state/page_state.ts";
import { describeRun } from "../state/run_record.ts";
import type { Store } from "../state/store.ts";
import { byId } from "./element.ts";
import { saveFile } from "./save_file.ts";

/** What a link of a visitor's own pack does not hold. */
const COPIED_OWN =
  "Copied the link. It holds your choices, not your pictures: whoever opens it elsewhere needs the file of " +
  "Save pack, too, and opens it there (A saved pack).";

/** Sets the buttons up that save `run.json` and copy the link. */
export function saveView(store: Store<PageState>): void {
  const run = byId<HTMLButtonElement>("run");
  store.watch(["current", "tiles"], (state) => {
    if (hasNewTiles(state)) run.disabled = !selectedTile(state)?.result;
  });
  run.addEventListener("click", () => {
    const { current, requests, tiles } = store.state, tile = selectedTile(store.state);
    if (!current || !tile?.result) return;
    const { pack } = current, request = requests[tile.request];
    const results = tiles.filter((one) => one.request === tile.request).map(({ result }) => result!);
    // Tiles of other priors and contexts have plans of their own.
    const record = describeRun(pack, requestedPlan(pack.profile, request, builtins), request, results, location.href);
    saveFile(new Blob([JSON.stringify(record, null, 2) + "\n"], { type: "application/json" }), "run.json");
  });
  byId("share").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      const { current, ownPack } = store.state;
      const isOwn = ownPack !== undefined && current?.choices.pack === ownPack.fingerprint;
      store.change({ status: isOwn ? COPIED_OWN : "Copied the link: it opens this page with the same choices." });
    } catch {
      store.change({ status: "Cannot copy the link: copy it from the address bar." });
    }
  });
}
