import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import type { SheetInput } from "../../../pipelines/synthesis/contact_sheet.ts";
import { sheetPage } from "../../../pipelines/synthesis/sheet_page.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs, small } from "../../small_world.ts";
import { elements } from "../../well_formed.ts";

const SIDE = 32;
const fileOf = (number: number) => `images/${number}.png`;

/** A run of some images of class "cats & dogs", with the originals of their seed images or without. */
function runOf(count: number, about: string, hasOriginals = true): SheetInput {
  const images = blobs(4, SIDE), labels = new Uint8Array(4), classes = ["cats & dogs"];
  const done = Array.from({ length: count }, (_, number): GroupImage => ({
    number,
    group: 0,
    pixels: blobs(1, SIDE, 9).pixels,
    nearest: { image: 2, distance: 3, trainingDistance: number === 0 ? Infinity : 6, other: 1 },
    structure: { image: 1, correlation: 0.614 },
    contributors: [{ image: 3, share: 0.5 }, { image: -1, share: 0.25 }],
    correction: 0,
  }));
  const planned = plan({ ...small, about, size: SIDE, classwise: true }, builtins);
  const data = { name: "", origin: "", files: [], classes, train: { images, labels }, test: { images, labels } };
  const size = { height: SIDE, width: SIDE };
  return {
    input: { plan: planned, size, data, classes: [0], count, seed: 1, seedSource: "test" },
    groups: [{ label: 0, images: done.map(({ number }) => number) }],
    ...hasOriginals && { originals: images, seedOf: done.map(() => 1) },
    done,
    noise: [],
    times: { fit: 0, synthesis: 0 },
  };
}

Deno.test("sheetPage: every image beside its original and nearest training image, explained in words", () => {
  const html = sheetPage(runOf(3, "a <b>bold</b> & odd profile"), fileOf), all = elements(html);
  const images = all.filter(({ name }) => name === "img").map(({ attributes }) => attributes);
  assertEquals(images.map((one) => one.get("class")), Array(3).fill(["green", "blue", "orange"]).flat());
  assertEquals(images.filter((_, i) => i % 3 === 1).map((one) => one.get("src")), [0, 1, 2].map(fileOf));
  assert(images.filter((_, i) => i % 3 !== 1).every((one) => one.get("src")!.startsWith("data:image/png;base64,")));
  for (
    const text of [
      "a &lt;b&gt;bold&lt;/b&gt; &amp; odd profile.",
      "is the seed image that synthesis began with",
      "Originality is the distance to the nearest training image over",
      "class cats &amp; dogs<br>3.00 to training image 2<br>",
      "3.00 to training image 2, 6.00 from that to its own nearest; originality <b>0.50</b>",
      "shares 61 % structure with training image 1",
      "pixels from training image 3 (50 %), no image (25 %)",
    ]
  ) assert(html.includes(text), text);
  assert(!/https?:|<script/.test(html), "no network, no script");
});

Deno.test("sheetPage: pictures are named by their files, a morph by those of its parents; the size is that of the images", () => {
  const run = runOf(1, "faces from noise, 64x64"), { data } = run.input;
  const pictures = ["a.jpg", "b & c.jpg", "d.jpg", "e.jpg"], all = data.train.images.count;
  const morphs = { parents: new Map([[2, [0, 1]]]), all };
  const html = sheetPage({ ...run, input: { ...run.input, data: { ...data, pictures, morphs, real: data } } }, fileOf);
  assert(html.includes(`faces from noise, ${SIDE}x${SIDE}.`), html);
  assert(html.includes("3.00 to a morph of a.jpg, b &amp; c.jpg<br>"), html);
  assert(html.includes("% structure with b &amp; c.jpg"), html);
  assert(!html.includes("training image 2"), html);
});

Deno.test("sheetPage: without originals there is no green; of many images the first hundred; the same text each time", () => {
  const run = runOf(101, "digits", false), html = sheetPage(run, fileOf);
  const classes = elements(html).filter(({ name }) => name === "img").map(({ attributes }) => attributes.get("class"));
  assertEquals(classes, Array(100).fill(["blue", "orange"]).flat());
  assert(
    html.includes("101 synthesized images") && html.includes("These are the first 100.") &&
      !html.includes("seed image"),
  );
  assertEquals(html, sheetPage(run, fileOf));
});

Deno.test("sheetPage: exemplars and textures, in their own sizes", () => {
  const run = runOf(1, "stones", false), planned = plan({ ...small, aligned: false, contexts: [] }, builtins);
  const [image] = run.done,
    html = sheetPage({
      ...run,
      input: { ...run.input, plan: planned },
      done: [{ ...image, nearest: undefined, structure: undefined }],
    }, fileOf);
  const classes = elements(html).filter(({ name }) => name === "img").map(({ attributes }) => attributes.get("class"));
  assertEquals(classes, ["red", "red", "red", "red", "blue"]);
  assert(html.includes("an exemplar: what was learned from") && !html.includes("Originality"));
});
