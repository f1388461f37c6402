/** The size and the tiling of a texture, in place of the seed image, which is quilted from the exemplar. */
import { type Current, hasNewTiles, isTexture, type PageState, selectedTile } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import { repeatedImage } from "../../../pipelines/synthesis/repeated_image.ts";
import { tilingHint } from "../../../pipelines/synthesis/hints.ts";
import { withSettingValue } from "../state/settings.ts";
import type { Store } from "../state/store.ts";
import { byId, radios } from "./element.ts";
import { inPlainWords } from "./methods.ts";
import { paint } from "./picture.ts";

/** The directions in which a texture tiles, as people say them. */
const TILINGS = [
  { value: "none", label: ["No"] },
  { value: "x", label: ["Across"] },
  { value: "y", label: ["Down"] },
  { value: "both", label: ["Both"] },
];

/** Shows the size and the tiling of textures, and lets the visitor change them. */
export function textureView(store: Store<PageState>, session: Session): void {
  const inputs = [byId<HTMLInputElement>("texture-width"), byId<HTMLInputElement>("texture-height")];
  const title = byId("seed-title"), heading = title.lastChild!;
  const change = (set: readonly string[]) => session.change({ set, frame: undefined, pixel: undefined });
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    const texture = isTexture(current);
    byId("texture").hidden = !texture;
    heading.textContent = texture ? "Size and tiling" : "Start";
    if (!texture) return;
    const { planned, choices: { set } } = current, [{ height, width }] = planned.sizes;
    inputs.forEach((input, i) => {
      if (document.activeElement !== input) input.value = String([width, height][i]);
    });
    const tile = planned.tile ?? "none";
    radios(byId("tiling"), "tiling", TILINGS, tile, (value) => change(withSettingValue(set, "tile", value, "none")));
    const { periods } = current.pack, unit = 2 ** planned.layers.length;
    const hint = periods && planned.tile && tilingHint(periods, { height, width }, planned.tile, unit);
    byId("tiling-hint").hidden = !hint;
    byId("tiling-hint").textContent = hint ? `${inPlainWords(hint)}.` : "";
  });
  store.watch(["current", "tiles"], (state) => {
    const tile = state.current?.planned.tile, made = hasNewTiles(state) ? selectedTile(state) : undefined;
    byId("tiled").hidden = tile === undefined;
    const last = made?.result && made.frames.at(-1);
    if (!tile || !last) return;
    const { shape, pixels } = repeatedImage(last.shape, last.pixels, tile);
    paint(byId("tiled").querySelector("canvas")!, shape, pixels);
  });
  inputs.forEach((input, i) => {
    input.addEventListener("change", () => {
      const { current } = store.state;
      if (!current || input.value === "" || !input.checkValidity()) return void input.reportValidity();
      change(withSettingValue(current.choices.set, `size.${i}`, Number(input.value), ownSide(current, i)));
    });
  });
}

/** The width (0) or height (1) that the pack's profile has. */
function ownSide({ pack: { profile: { size } } }: Current, i: number): number {
  return typeof size === "number" ? size : size[i];
}
