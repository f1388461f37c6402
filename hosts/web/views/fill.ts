/** The dialog in which a visitor paints over what is to go in a picture, and the page fills it from around. */
import { withoutOpacity } from "../../../datasets/formats/colour.ts";
import { samplesPng } from "../../../datasets/formats/write_png.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import type { Client } from "../worker/client.ts";
import { brushOver, type Painting, paintOf, showPaint } from "./brush.ts";
import { bitmapOf, pixelsOf } from "./decode.ts";
import { byId } from "./element.ts";
import { saveFile } from "./save_file.ts";

/** Longest side of pictures, in pixels; larger ones are scaled down. */
const LONGEST = 2000;

/** A picture, and what is painted over in it. */
interface Version {
  readonly picture: Rgba;
  readonly painting: Painting;
  /** Which filling made it. */
  readonly number: number;
}

/** The work of the dialog: the versions of a picture, the last of which is shown. */
class Filling {
  readonly versions: Version[];
  /** Whether a hole is being filled. */
  isBusy = false;
  constructor(readonly name: string, picture: Rgba) {
    this.versions = [versionOf(picture, 0)];
  }
  get last(): Version {
    return this.versions.at(-1)!;
  }
}

function versionOf(picture: Rgba, number: number): Version {
  return { picture, painting: paintOf(picture), number };
}

/**
 * Sets the dialog up.
 *
 * @param start starts a client of a worker of its own: what the page does meanwhile goes on
 * @returns what opens it with a picture; undefined if the file is none that the browser reads
 */
export function fillDialog(start: () => Client): (file: File) => Promise<"opened" | undefined> {
  const dialog = byId<HTMLDialogElement>("fill");
  let filling: Filling | undefined, client: Client | undefined;
  const current = () => filling?.isBusy ? undefined : filling?.last.painting;
  brushOver(byId("fill-stage"), byId<HTMLInputElement>("fill-brush"), current, () => filling && showState(filling));
  const run = (from: Version, number: number) => {
    if (filling) void fill(filling, client ??= start(), from, number);
  };
  byId("fill-go").addEventListener("click", () => filling && run(filling.last, 0));
  byId("fill-again").addEventListener("click", () => {
    if (!filling) return;
    const { number } = filling.versions.pop()!;
    run(filling.last, number + 1);
  });
  byId("fill-undo").addEventListener("click", () => filling && undo(filling));
  byId("fill-save").addEventListener("click", () => filling && save(filling));
  dialog.addEventListener("close", () => {
    if (filling?.isBusy) client?.cancel();
    filling = undefined;
  });
  return async (file) => {
    const bitmap = await bitmapOf(file);
    if (!bitmap) return undefined;
    const part = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * part)));
    filling = new Filling(file.name, pixelsOf(bitmap, { width, height }));
    dialog.showModal();
    showPicture(filling.last);
    showState(filling, part < 1 ? `Scaled down to ${width}\u00d7${height} pixels. ${PAINT}` : PAINT);
    byId("fill-stage").focus();
    return "opened";
  };
}

/** What to do first. */
const PAINT = "Paint over what is to go, a little over its edges.";

/** Fills what is painted over in a version, and shows the next one. */
async function fill(filling: Filling, client: Client, from: Version, number: number): Promise<void> {
  const { picture, painting: { paint } } = from, bar = byId<HTMLProgressElement>("fill-progress");
  const began = performance.now();
  filling.isBusy = true;
  bar.value = 0;
  showPicture(from);
  showState(filling, "Filling\u2026");
  let said: string;
  try {
    const sources = await client.fill(picture, paint, number, (done) => bar.value = done);
    const data = picture.data.slice();
    sources.forEach((source, p) => {
      if (paint[p]) data.set(picture.data.subarray(4 * source, 4 * source + 4), 4 * p);
    });
    filling.versions.push(versionOf({ ...picture, data }, number));
    said = `Filled in ${((performance.now() - began) / 1000).toFixed(1)} s. Try another filling, or paint over more.`;
  } catch (error) {
    said = `${(error as Error).message}.`;
  }
  filling.isBusy = false;
  showPicture(filling.last);
  showState(filling, said);
}

/** Takes the paint away, or else the last filling. */
function undo(filling: Filling): void {
  const { versions, last: { painting } } = filling;
  if (painting.count > 0 || versions.length === 1) versions.push({ ...versions.pop()!, painting: paintOf(painting) });
  else versions.pop();
  showPicture(filling.last);
  showState(filling, PAINT);
}

function save({ name, last: { picture: { width, height, data } } }: Filling): void {
  const bytes = samplesPng({ width, height, depth: 8, ...withoutOpacity(data) });
  saveFile(new Blob([bytes], { type: "image/png" }), `${name.replace(/\.[^.]*$/, "")}-filled.png`);
}

/** Shows a picture, and its paint above. */
function showPicture({ picture: { width, height, data }, painting }: Version): void {
  const canvas = byId<HTMLCanvasElement>("fill-picture");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  showPaint(byId<HTMLCanvasElement>("fill-paint"), painting);
}

/** Shows what can be done. `said`: what is to be said; without it the note stays. */
function showState({ isBusy, versions, last: { painting } }: Filling, said?: string): void {
  const enable = (id: string, is: boolean) => byId<HTMLButtonElement>(id).disabled = isBusy || !is;
  enable("fill-go", painting.count > 0);
  enable("fill-again", versions.length > 1 && painting.count === 0);
  enable("fill-undo", versions.length > 1 || painting.count > 0);
  enable("fill-save", versions.length > 1);
  byId("fill-progress").hidden = !isBusy;
  if (said !== undefined) byId("fill-note").textContent = said;
}
