/**
 * Starts the page. One state holds all that it knows; views watch the state, and the session changes it. Everything else
 * follows from the choices, which are also the page's address.
 */
import { builtins } from "../../plugins/mod.ts";
import { filmPlayer } from "./state/film.ts";
import { inspection } from "./state/inspection.ts";
import { keptPacks } from "./state/kept_packs.ts";
import { INITIAL } from "./state/page_state.ts";
import { Session } from "./state/session.ts";
import { openStore } from "./state/store.ts";
import { synthesis } from "./state/synthesis.ts";
import { comparisonView } from "./views/comparison.ts";
import { controlsView } from "./views/controls.ts";
import { dockView } from "./views/dock.ts";
import { byId } from "./views/element.ts";
import { filmStripView } from "./views/film_strip.ts";
import { messagesView } from "./views/messages.ts";
import { noiseView } from "./views/noise.ts";
import { ownPacksView } from "./views/own_packs.ts";
import { ownPicturesView } from "./views/own_pictures.ts";
import { packsView } from "./views/packs.ts";
import { pixelSourcesView } from "./views/pixel_sources.ts";
import { progressView } from "./views/progress.ts";
import { savePngView } from "./views/save_png.ts";
import { saveView } from "./views/save.ts";
import { seedImageView } from "./views/seed_image.ts";
import { sourceView } from "./views/source.ts";
import { stageView } from "./views/stage.ts";
import { textureView } from "./views/texture.ts";
import { startTheme } from "./views/theme.ts";
import { tilesView } from "./views/tiles.ts";
import { triesView } from "./views/tries.ts";
import { startClient } from "./worker/client.ts";
import { startPool } from "./worker/pool.ts";

const store = openStore(INITIAL), motion = matchMedia("(prefers-reduced-motion: reduce)");
const start = () =>
  startClient(
    () => new Worker(new URL("worker.js", import.meta.url), { type: "module" }),
    (sentence) => store.change({ problems: [sentence] }),
  );
const client = startPool(start, navigator.hardwareConcurrency);
const play = filmPlayer(store), inspect = inspection(store, client);
const { start: synthesize, cancel } = synthesis(store, client, {
  play,
  still: () => motion.matches,
  finished() {
    session.showFollowing();
    inspect();
  },
});
// Not all addresses may keep files: only https and this machine.
const kept = keptPacks(globalThis.caches);
const session = new Session(store, client, { plugins: builtins, kept, synthesize, inspect });

messagesView(store);
packsView(store, session);
ownPacksView(store, session);
ownPicturesView(store, session, start);
sourceView(store, session);
seedImageView(store, session);
noiseView(store, session, play);
triesView(session);
comparisonView(store, session);
controlsView(store, session, builtins);
tilesView(store, session);
filmStripView(store, session, play);
stageView(store, session);
dockView();
textureView(store, session);
progressView(store, cancel);
savePngView(store);
saveView(store);
pixelSourcesView(store, session);
startTheme();

// Not all addresses may have one: only https and this machine.
navigator.serviceWorker?.register("offline.js").catch(() => {});
addEventListener("beforeprint", () => byId("print-address").textContent = location.href);
addEventListener("hashchange", () => session.openAddress());
kept.list().then((keptPacks) => store.change({ keptPacks }));
session.openAddress();
