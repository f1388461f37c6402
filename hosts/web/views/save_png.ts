/** Saves the shown picture, its noise, or all steps side by side, in their own size or enlarged for a slide. */
import type { Size } from "../../../core/shape.ts";
import { classOf } from "../../../pipelines/page/tiles.ts";
import {
  type Current,
  frameIndex,
  hasNewTiles,
  type PageState,
  selectedTile,
  type TileFrame,
} from "../state/page_state.ts";
import type { Store } from "../state/store.ts";
import { byId, element } from "./element.ts";
import { frameName, sizeText } from "./film_strip.ts";
import { saveFile } from "./save_file.ts";
import { pictureFile, type ShownPicture, stripSize } from "./saved_picture.ts";

/** Most pixels of the longer side of a picture for a slide, and of a strip. */
const SLIDE = 1024, STRIP = 2048;

/** Something that can be saved: what its option says, what its file's name adds, and its pictures. */
interface Saving {
  readonly value: "shown" | "noise" | "film";
  readonly label: string;
  readonly suffix: string;
  readonly rows: readonly (readonly ShownPicture[])[];
}

/** Sets the button up, and the choices of what it saves and how large. */
export function savePngView(store: Store<PageState>): void {
  const png = byId<HTMLButtonElement>("png"), what = byId<HTMLSelectElement>("png-what");
  const size = byId<HTMLSelectElement>("png-size");
  const chosen = () => {
    const all = savings(store.state);
    return all.find(({ value }) => value === what.value) ?? all[0];
  };
  const showSizes = () => {
    const saving = chosen(), sizes = saving ? sizesOf(saving) : [];
    showOptions(size, sizes.map(([value, { height, width }]) => ({ value, label: sizeText({ height, width }) })));
  };
  store.watch(["current", "tiles", "playhead"], (state) => {
    if (!hasNewTiles(state)) return;
    png.disabled = what.disabled = size.disabled = !selectedTile(state)?.result;
    showOptions(what, savings(state));
    showSizes();
  });
  what.addEventListener("change", showSizes);
  png.addEventListener("click", () => {
    const { current } = store.state, saving = chosen();
    if (!current || !saving) return;
    const [[, own], enlarged] = sizesOf(saving), isLarge = enlarged !== undefined && size.value === enlarged[0];
    const factor = isLarge ? enlarged[1].width / own.width : 1;
    const parts = [nameOf(current), saving.suffix, isLarge ? `${factor}x` : ""].filter((part) => part !== "");
    saveFile(new Blob([pictureFile(saving.rows, factor)], { type: "image/png" }), `${parts.join("-")}.png`);
  });
}

/** What can be saved now: the shown picture first. */
function savings(state: PageState): Saving[] {
  const tile = selectedTile(state), index = frameIndex(state), frame = tile?.frames[index];
  if (!tile || !frame) return [];
  const isLast = tile.result !== undefined && index === tile.frames.length - 1;
  const name = frameName(frame, index === 0 && !frame.noise), suffix = isLast ? "" : suffixOf(frame, index);
  const shown = { value: "shown", label: isLast ? "Finished picture" : name, suffix, rows: [[frame]] } as const;
  const noisy = ({ shape, noise }: TileFrame) => noise && { shape, pixels: noise.noisy };
  const noise = noisy(frame);
  const noises = tile.frames.map(noisy).filter((one) => one !== undefined), rows = [tile.frames];
  return [
    shown,
    ...noise
      ? [{ value: "noise", label: "Noisy picture", suffix: `noise${frame.iteration + 1}`, rows: [[noise]] } as const]
      : [],
    ...tile.frames.length > 1
      ? [
        {
          value: "film",
          label: "All steps",
          suffix: "steps",
          rows: noises.length > 0 ? [noises, ...rows] : rows,
        } as const,
      ]
      : [],
  ];
}

/** The sizes in which something can be saved, by the values of their options. */
function sizesOf({ value, rows }: Saving): [value: string, size: Size][] {
  const own = stripSize(rows), most = value === "film" ? STRIP : SLIDE;
  const factor = Math.floor(most / Math.max(own.height, own.width));
  const large = { height: own.height * factor, width: own.width * factor };
  return [["own", own], ...factor > 1 ? [["slide", large] satisfies [string, Size]] : []];
}

/** What names a frame that is not the finished picture. */
function suffixOf({ noise, iteration, shape: { height, width } }: TileFrame, index: number): string {
  if (noise) return `step${iteration + 1}`;
  if (index === 0) return "seed";
  return `${width}x${height}-${iteration < 0 ? "enlarged" : `round${iteration + 1}`}`;
}

/** The name of the selected picture's file, without its extension. */
function nameOf({ pack, choices }: Current): string {
  const parts = ["patchloom", pack.profile.name, classOf(choices, pack) ?? "", `seed${choices.seed}`, choices.tile + 1];
  return parts.filter((part) => part !== "").join("-");
}

/** Shows options. The chosen one stays, where there still is one of its value. */
function showOptions(
  select: HTMLSelectElement,
  options: readonly { readonly value: string; readonly label: string }[],
): void {
  const shown = [...select.options].map(({ value, text }) => `${value} ${text}`);
  if (String(shown) === String(options.map(({ value, label }) => `${value} ${label}`))) return;
  const { value } = select;
  select.replaceChildren(...options.map((one) => element("option", { value: one.value }, one.label)));
  if (options.some((one) => one.value === value)) select.value = value;
}
