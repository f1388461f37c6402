/** The page with every kind of pictures that visitors have: none may end without a picture or a sentence. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { encode } from "fast-png";
import jpeg from "jpeg-js";
import type { Page } from "playwright-core";
import { stream } from "../../../core/random.ts";
import { MAGENTA, WHITE } from "../../../datasets/formats/colour.ts";
import { transparentPng } from "../../../datasets/formats/write_png.ts";
import { proceduralSprites } from "../../../datasets/procedural/sprites.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, withBrowser } from "./browser.ts";

/** A visitor's file. */
interface Picked {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const png = (name: string, bytes: Uint8Array): Picked => ({ name, mimeType: "image/png", buffer: Buffer.from(bytes) });
const each = (count: number, make: (i: number) => Picked) => Array.from({ length: count }, (_, i) => make(i));

/** A red or green disk on blue, each at another place. */
function scene(i: number, width: number, height: number): Uint8Array {
  const rgba = new Uint8Array(4 * width * height), x = width * (0.4 + 0.2 * Math.sin(i)), y = height * (0.4 + 0.01 * i);
  for (let p = 0; p < width * height; p++) {
    const inside = Math.hypot(p % width - x, Math.floor(p / width) - y) < height / 4;
    rgba.set(!inside ? [40, 60, 200, 255] : i % 2 ? [220, 40, 30, 255] : [30, 180, 60, 255], 4 * p);
  }
  return rgba;
}

function photograph(i: number, width: number, height: number): Picked {
  const { data } = jpeg.encode({ width, height, data: scene(i, width, height) }, 90);
  return { name: `${i}.jpg`, mimeType: "image/jpeg", buffer: Buffer.from(data) };
}

function drawing(i: number, width: number, height: number, channels: 1 | 3 = 3): Picked {
  const rgba = scene(i, width, height), data = rgba.filter((_, at) => at % 4 < channels);
  return png(`${i}.png`, encode({ width, height, channels, data }));
}

/** Built-in sprites on white, or with transparent pixels. */
function sprites(count: number, background: typeof WHITE): Picked[] {
  const { height, width, pixels } = proceduralSprites("train", count, background), length = 3 * height * width;
  return each(count, (i) => {
    const planes = pixels.subarray(i * length, (i + 1) * length);
    const bytes = background === MAGENTA ? transparentPng({ height, width }, planes, MAGENTA) : encode({
      height,
      width,
      channels: 3,
      data: planes.map((_, at) => planes[(at % 3) * height * width + Math.floor(at / 3)]),
    });
    return png(`${i}.png`, bytes);
  });
}

/** A photograph of a camera's size, with grain, as colours that an engine compares slowly. */
function largePhotograph(width: number, height: number): Picked {
  const random = stream(1),
    data = scene(1, width, height).map((value, at) => {
      return at % 4 === 3 ? 255 : Math.max(0, Math.min(255, value + 60 * random.next() - 30));
    });
  return {
    name: "large.jpg",
    mimeType: "image/jpeg",
    buffer: Buffer.from(jpeg.encode({ width, height, data }, 90).data),
  };
}

/** Milliseconds until the first picture of a photograph that is dropped on the page, and until the finished one. */
const FIRST_PICTURE = 60_000, LAST_PICTURE = 120_000;

const NO_PICTURE = png("notes.png", new TextEncoder().encode("no picture at all"));

/** Kinds of pictures, and what the page makes of them. Those that follow one another have other notes. */
const KINDS: readonly (readonly [kind: string, files: readonly Picked[], note: RegExp, coloured: boolean])[] = [
  ["colour photographs", each(30, (i) => photograph(i, 80, 60)), /^30 pictures/, true],
  ["200 colour photographs", each(200, (i) => photograph(i, 40, 40)), /^200 pictures/, true],
  ["grey pictures", each(12, (i) => drawing(i, 50, 50, 1)), /^12 pictures/, false],
  ["icons on white", sprites(20, WHITE), /^20 pictures/, true],
  ["colour PNG files of mixed sizes", each(12, (i) => drawing(i, 20 + 17 * i, 90 - 5 * i)), /^12 pictures/, true],
  [
    "transparent pictures among others",
    [...sprites(10, MAGENTA), ...each(10, (i) => photograph(i, 64, 64))],
    /^20 pic/,
    true,
  ],
  ["small photographs that are not square", each(8, (i) => photograph(i, 64, 48)), /^8 pictures/, true],
  ["one photograph", [photograph(1, 64, 64)], /^Your picture 1\.jpg/, true],
  ["a text called .png among pictures", [...each(8, (i) => photograph(i, 64, 64)), NO_PICTURE], /^8 pictures/, true],
];

/** Chooses files and waits until the page has made pictures of them, which are others than before. */
async function picked(page: Page, files: readonly Picked[], note: RegExp): Promise<void> {
  const shown = () => page.locator("#picture").evaluate((one) => (one as HTMLCanvasElement).toDataURL());
  const before = await shown();
  await page.locator("#own-pictures").setInputFiles([...files]);
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.getElementById("pack-note")!.textContent!),
    note.source,
  );
  await done(page);
  assertNotEquals(await shown(), before);
}

/** Asserts that an element lies in a window of a height as a whole, without scrolling. */
async function inSight(page: Page, selector: string, height: number): Promise<void> {
  const { top, bottom } = await page.locator(selector).evaluate((one) => one.getBoundingClientRect().toJSON());
  assert(top >= 0 && bottom <= height, `${selector} lies at ${top} to ${bottom}`);
}

/** How far the channels of the picture differ, at most. */
function colourOf(page: Page): Promise<number> {
  return page.locator("#picture").evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
    let most = 0;
    for (let at = 0; at < data.length; at += 4) {
      most = Math.max(most, Math.abs(data[at] - data[at + 1]), Math.abs(data[at + 1] - data[at + 2]));
    }
    return most;
  });
}

Deno.test({
  name: "the page: makes pictures of every kind of pictures, and refuses what is no picture in one sentence",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      await t.step("the pictures come into sight, the focus stays, and a problem elsewhere stands there", async () => {
        const page = await open("pack=digits&class=3", { width: 400, height: 800 });
        const [[kind, files, note, coloured]] = KINDS;
        await page.locator("#own-pictures").focus();
        await picked(page, files, note);
        assertEquals(await page.locator("#problem").textContent(), "");
        assertEquals(await colourOf(page) > 60, coloured, kind);
        await inSight(page, "#stage", 800);
        assertEquals(await page.evaluate(() => document.activeElement!.id), "own-pictures");
        await page.locator("#seed").fill("1.5");
        await page.locator("#seed").press("Enter");
        await page.waitForSelector("#synthesis #problem:not([hidden])");
        await inSight(page, "#problem", 800);
        await page.locator("#file").setInputFiles(NO_PICTURE);
        await page.waitForSelector("#examples #problem:not([hidden])");
        assertMatch(await page.locator("#problem").innerText(), /^The file is not a pack: /);
        await page.close();
      });
      const visited = await open("pack=digits&class=3");
      for (const [kind, files, note, coloured] of KINDS.slice(1)) {
        await t.step(kind, async () => {
          await picked(visited, files, note);
          const skipped = files.includes(NO_PICTURE) ? "Skipped files that are no pictures: notes.png." : "";
          assertEquals(await visited.locator("#problem").textContent(), skipped);
          assertEquals(await colourOf(visited) > 60, coloured, kind);
        });
      }
      await visited.close();
      await t.step("a large colour photograph that is dropped becomes pictures", async () => {
        const page = await open(), { name, mimeType, buffer } = largePhotograph(1600, 1200);
        const started = performance.now();
        await page.evaluate(({ name, mimeType, base64 }) => {
          const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)), transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name, { type: mimeType }));
          dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
        }, { name, mimeType, base64: buffer.toString("base64") });
        const made = () => /^Your picture/.test(document.getElementById("pack-note")!.textContent!);
        await page.waitForFunction(made);
        // Until its first picture is there, the picture before stays, which is grey.
        while (await colourOf(page) <= 60) await page.waitForTimeout(20);
        const first = performance.now() - started;
        await done(page);
        const last = performance.now() - started;
        console.log(
          `a photograph of 1600x1200: ${first.toFixed(0)} ms to the first picture, ${last.toFixed(0)} to the last`,
        );
        assert(first < FIRST_PICTURE && last < LAST_PICTURE, `${first} and ${last}`);
        assertMatch(await page.locator("#pack-note").innerText(), /296x222 pixels, scaled down from 1600x1200/);
        await page.close();
      });
      for (
        const [kind, files, sentence] of [
          [
            "a text called .png",
            [NO_PICTURE],
            "Cannot use notes.png: it is neither a picture that this browser reads, such as PNG or JPEG, nor a saved pack (.loom).",
          ],
          [
            "too few photographs",
            each(2, (i) => photograph(i, 64, 64)),
            "Cannot use 2 pictures: expected 5 to 5000. One picture alone makes a texture, or a new face if it shows one.",
          ],
        ] as const
      ) {
        await t.step(`${kind}: the pictures before stay`, async () => {
          const page = await open("pack=digits&class=3", { width: 400, height: 800 });
          const status = await page.locator("#status").innerText(), button = page.locator("#own-pictures");
          await button.focus();
          await button.setInputFiles([...files]);
          await page.waitForSelector("#problem:not([hidden])");
          assertEquals(await page.locator("#problem").innerText(), sentence);
          await inSight(page, "#problem", 800);
          await inSight(page, ".joined:has(#own-pictures)", 800);
          assertEquals(await page.evaluate(() => document.activeElement!.id), "own-pictures");
          assertEquals(await page.locator("#own-status").isVisible(), false);
          assertEquals(await page.locator("#status").innerText(), status);
          assert((await page.locator("#pack-note").innerText()).startsWith("Digits"));
          await page.close();
        });
      }
    }),
});
