/** The seed image: the grid on which it is drawn, and the buttons that choose another one. */
import { numbersOfClass } from "../../../datasets/groups.ts";
import { areaOf } from "../../../core/shape.ts";
import {
  brightest,
  type Current,
  isFromNoise,
  isTexture,
  meanSeed,
  type PageState,
  seedBytes,
  usualBright,
  withTransparent,
} from "../state/page_state.ts";
import { commonColours, paletteOf, transparencyOf } from "../state/palette.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { classOf } from "../../../pipelines/page/tiles.ts";
import { byId } from "./element.ts";
import { levelByte, LEVELS } from "./levels.ts";
import { ownPacksOf } from "./own_packs.ts";
import { SeedEditor } from "./seed_editor.ts";

/** A gain of less than this is not worth a sentence. */
const VISIBLE_GAIN = 1.1;

/** Seed images of a higher mean are drawings on paper: to clear one makes it white. */
const LIGHT = 0.7;

/** Shows the seed image and lets the visitor draw, choose or clear it. */
export function seedImageView(store: Store<PageState>, session: Session): void {
  let pack: Current["pack"] | undefined;
  const editor = new SeedEditor((bytes, live) => session.change({ seedImage: bytes }, { live, isStroke: true }));
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    const drawn = !isTexture(current) && !isFromNoise(current);
    byId("drawn").hidden = !drawn;
    if (!drawn) return;
    const white = brightest(current), gain = 255 / white, isDrawn = current.choices.seedImage instanceof Uint8Array;
    if (current.pack !== pack) {
      editor.brush.lay(
        { white, common: commonColours(current.pack), transparent: current.pack.transparent },
        usualBright(current),
      );
    }
    pack = current.pack;
    const guide = isDrawn && !current.pack.transparent ? meanSeed(current) : undefined;
    editor.show(
      withTransparent(current.pack.seeds.shape, transparencyOf(current.pack), true),
      seedBytes(current),
      white,
      guide,
    );
    byId("guide-note").hidden = !guide;
    byId("guide-what").textContent = current.pack.seeds.shape.channels === 3 ? "which colour" : "how bright";
    byId("gain").textContent = gain > VISIBLE_GAIN
      ? " The squares are shown brighter than they are, so that you see them better."
      : "";
  });

  store.watch(["current", "ownPack", "keptPacks"], showPhotograph);

  byId("another").addEventListener("click", () => {
    const { current } = store.state;
    if (!current) return;
    const { choices, pack } = current, { labels, count } = pack.seeds, label = classOf(choices, pack);
    const most = numbersOfClass(labels, label === "all" ? undefined : label, count).length;
    const { seedImage } = choices;
    session.change({ seedImage: typeof seedImage === "number" ? (seedImage + 1) % most : 0 });
  });
  byId("clear").addEventListener("click", () => {
    const { current } = store.state;
    if (!current) return;
    const { seeds: { shape, images }, transparent } = current.pack, area = areaOf(shape);
    const isLight = images.reduce((sum, value) => sum + value, 0) > LIGHT * images.length, ground = isLight ? 255 : 0;
    session.change({
      seedImage: Uint8Array.from(seedBytes(current), (_, v) => transparent?.[Math.floor(v / area)] ?? ground),
    });
  });
  byId("random").addEventListener("click", () => {
    const { current } = store.state;
    if (!current) return;
    session.change({ seedImage: randomSeed(current) });
  });
}

/** A seed image of random levels, or of random colours of the pictures. */
function randomSeed(current: Current): Uint8Array {
  const { pack: { seeds: { shape }, transparent } } = current, white = brightest(current), area = areaOf(shape);
  const random = crypto.getRandomValues(new Uint8Array(area)), palette = paletteOf(commonColours(current.pack));
  if (palette.length === 0) return random.map((byte) => levelByte(byte % LEVELS, white));
  const colours = palette.map((colour) => colour.map((value) => Math.round(value * white / 255)));
  if (transparent) colours.push([...transparent]);
  return Uint8Array.from(
    { length: 3 * area },
    (_, v) => colours[random[v % area] % colours.length][Math.floor(v / area)],
  );
}

/** Shows the photograph that the pack's first squares are of, while these or squares drawn over them are shown. */
function showPhotograph(state: PageState): void {
  const { pack, seedImage } = state.current?.choices ?? {}, figure = byId("photograph");
  const { photograph } = ownPacksOf(state).find(({ fingerprint }) => fingerprint === pack) ?? {};
  figure.hidden = !photograph || typeof seedImage === "number" && seedImage > 0;
  if (photograph && !figure.hidden) figure.querySelector("img")!.src = photograph;
}
