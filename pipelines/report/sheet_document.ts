/** A contact sheet as a page: pictures in rows, explained in words. It needs no script and no network. */
import type { Size } from "../../core/shape.ts";
import { toBase64 } from "../../datasets/formats/base64.ts";
import { pngOf } from "../../datasets/formats/write_png.ts";
import { escape, htmlDocument } from "./html.ts";
import type { Framed } from "./sheet.ts";

/** Second line of defence behind `escape`: the page may load nothing but its own pictures and styles. */
const POLICY = "default-src 'none'; img-src 'self' data: file:; style-src 'unsafe-inline'; base-uri 'none'";
/** The sides that a picture has on the page, in pixels. */
const SIDES = [96, 192, 384];
const STYLE = `
:root { --side: ${SIDES[0]}px; --paper: #fff; --ink: #1c1e21; --quiet: #585e66; --rule: #d5d8dc; }
${SIDES.map((side, i) => `:root:has(#zoom-${i}:checked) { --side: ${side}px; }`).join("\n")}
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e4e5e7; --quiet: #a2a8b0; --rule: #393d43; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; }
p, ul { max-width: 46rem; margin: 0 0 .7rem; }
ul { padding: 0; list-style: none; }
li { margin: .2rem 0; }
.swatch { display: inline-block; width: .9em; height: .9em; margin-right: .5em; vertical-align: -.05em; border: 3px solid; }
.green { border-color: #24a048; } .blue { border-color: #285adc; } .red { border-color: #d63031; } .orange { border-color: #ee8c00; }
fieldset { display: inline-flex; gap: 1rem; margin: 0 0 1.2rem; padding: .3rem .8rem; border: 1px solid var(--rule); }
.sheet { display: flex; flex-wrap: wrap; gap: 1.4rem 1.2rem; }
figure { margin: 0; scroll-margin-top: 1rem; }
.row { display: flex; flex-wrap: wrap; gap: .3rem; }
.row img { box-sizing: content-box; width: var(--side); height: auto; max-width: calc(100vw - 3rem); border-style: solid; border-width: 3px; image-rendering: pixelated; }
figcaption { width: 0; min-width: 100%; margin-top: .3rem; color: var(--quiet); font-size: .8rem; line-height: 1.4; overflow-wrap: anywhere; }
figcaption b { color: var(--ink); font-weight: 600; }
`;

/** What a page shows. */
interface SheetDocument {
  readonly title: string;
  readonly about: string;
  /** What the colours of frames mean. */
  readonly legend: readonly (readonly [colour: Framed["colour"], text: string])[];
  /** What numbers mean. */
  readonly note?: string;
  /** The number of the side that pictures have at first: 0, the smallest, to 2. */
  readonly zoom: number;
  /** Figures as HTML. */
  readonly figures: readonly string[];
}

/** Styles of grey frames, where there are any. */
const GREY = ".grey { border-color: #8a8f96; }\n";

/** Writes a page. */
export function sheetDocument({ title, about, legend, note, zoom, figures }: SheetDocument): string {
  const choices = SIDES.map((side, i) => {
    const checked = i === zoom ? " checked" : "";
    return `<label><input type="radio" name="zoom" id="zoom-${i}"${checked}> ${side} pixels</label>`;
  });
  const body = `<main>
<h1>${escape(title)}</h1>
<p>${escape(about)}</p>
<ul>
${legend.map(([colour, text]) => `<li><span class="swatch ${colour}"></span>${escape(text)}</li>`).join("\n")}
</ul>
${note === undefined ? "" : `<p>${escape(note)}</p>\n`}<fieldset><legend>Show a picture</legend>${
    choices.join("\n")
  }</fieldset>
<div class="sheet">
${figures.join("\n")}
</div>
</main>`;
  const style = legend.some(([colour]) => colour === "grey") ? STYLE + GREY : STYLE;
  return htmlDocument({ title, style, policy: POLICY, body });
}

/** A picture in its frame: that of a file, or else its own bytes. */
export function framedPicture({ pixels, size, colour }: Framed, usual: Size, alt: string, file?: string): string {
  const { height, width } = size ?? usual, channels = pixels.length > height * width ? 3 : 1;
  const source = file ?? `data:image/png;base64,${toBase64(pngOf({ height, width, channels }, pixels))}`;
  return `<img class="${colour}" alt="${escape(alt)}" width="${width}" height="${height}" src="${escape(source)}">`;
}
