/** The seed image: the grid on which it is drawn, and the buttons that choose another one. */
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
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { classOf } from "../../../pipelines/page/tiles.ts";
import { byId } from "./element.ts";
import { levelByte, LEVELS } from "./levels.ts";
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
    if (current.pack !== pack) editor.setBrush(usualBright(current), white);
    pack = current.pack;
    const guide = isDrawn && !current.pack.transparent ? meanSeed(current) : undefined;
    editor.show(withTransparent(current.pack.seeds.shape, current.pack, true), seedBytes(current), white, guide);
    byId("guide-note").hidden = !guide;
    byId("gain").textContent = gain > VISIBLE_GAIN
      ? ` The squares are shown ${gain.toFixed(1)} times as bright as they are.`
      : "";
  });

  byId("another").addEventListener("click", () => {
    const { current } = store.state;
    if (!current) return;
    const { choices, pack } = current, { labels, count } = pack.seeds, label = classOf(choices, pack);
    const most = typeof label === "number" ? labels!.filter((one) => one === label).length : count;
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
    const random = crypto.getRandomValues(new Uint8Array(seedBytes(current).length)), white = brightest(current);
    session.change({ seedImage: random.map((byte) => levelByte(byte % LEVELS, white)) });
  });
}
