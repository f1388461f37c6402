/** The page with pictures of one's own: chosen, dropped as folders, saved as a pack. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { decode } from "fast-png";
import { MAGENTA } from "../../../datasets/formats/colour.ts";
import { transparentPng } from "../../../datasets/formats/write_png.ts";
import { proceduralSprites } from "../../../datasets/procedural/sprites.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, done, withBrowser } from "./browser.ts";
import { drawings } from "./drawings.ts";

/** Built-in sprites as files, with transparent pixels, and the colours of each. */
function spriteFiles(count: number) {
  const { height, width, pixels } = proceduralSprites("train", count, MAGENTA), length = 3 * height * width;
  return Array.from({ length: count }, (_, i) => {
    const bytes = transparentPng({ height, width }, pixels.subarray(i * length, (i + 1) * length), MAGENTA);
    const colours = coloursOf(decode(bytes).data);
    return { name: `${i}.png`, mimeType: "image/png", buffer: Buffer.from(bytes), colours };
  });
}

/** The colours of RGBA pixels as words; "clear": transparent. */
function coloursOf(data: ArrayLike<number>): string[] {
  const found = new Set<string>();
  for (let at = 0; at < data.length; at += 4) {
    found.add(data[at + 3] === 0 ? "clear" : [0, 1, 2, 3].map((c) => data[at + c]).join());
  }
  return [...found];
}

Deno.test({
  name: "the page: makes pictures of a visitor's own pictures, and saves them as a pack",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      const pictures = drawings(4, 10), page = await open("pack=digits&class=3");
      const opened = (note: RegExp) =>
        page.waitForFunction(
          (source) => new RegExp(source).test(document.getElementById("pack-note")!.textContent!),
          note.source,
        );
      await t.step("chosen files become a pack, which the saved file holds", async () => {
        const text = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") };
        await page.locator("#own-pictures").setInputFiles([...pictures.map(({ kind: _, ...file }) => file), text]);
        await opened(/^40 pictures of your own/);
        await done(page);
        assertEquals(await page.locator("#problem").innerText(), "Skipped files that are no pictures: notes.txt.");
        assertEquals(await page.locator("#picture").evaluate((canvas) => (canvas as HTMLCanvasElement).width), 32);
        const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-pack").click()]);
        const { profile, train, seeds } = readPack(await Deno.readFile(await download.path()));
        assertEquals([download.suggestedFilename(), train.images.count, seeds.count], ["pictures.loom", 36, 4]);
        assertEquals([profile.size, profile.classwise], [32, false]);
        // The middle square: a drawing's white border, and dark lines.
        assertEquals([train.images.pixels[0], Math.min(...train.images.pixels) < 40], [255, true]);
      });
      await t.step("dropped folders become classes; too few pictures are refused and nothing changes", async () => {
        await page.evaluate(
          (files) => {
            const entry = (folder: string) => ({
              isFile: false,
              isDirectory: true,
              name: folder,
              createReader() {
                let left = files.filter((file) => file.folder === folder).map(({ name, base64 }) => ({
                  isFile: true,
                  name,
                  file: (resolve: (file: File) => void) =>
                    resolve(
                      new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: "image/png" }),
                    ),
                }));
                return { readEntries: (resolve: (entries: unknown[]) => void) => (resolve(left), left = []) };
              },
            });
            const items = ["boats", "cars"].map((name) => ({ webkitGetAsEntry: () => entry(name) }));
            const drop = new Event("drop", { bubbles: true, cancelable: true });
            Object.defineProperty(drop, "dataTransfer", { value: { items, files: [] } });
            document.body.dispatchEvent(drop);
          },
          pictures.filter(({ kind }) => kind < 2).map(({ name, buffer, kind }) => {
            return { name, base64: buffer.toString("base64"), folder: ["boats", "cars"][kind] };
          }),
        );
        await opened(/^20 pictures of your own/);
        await done(page);
        assertEquals(await page.locator("#classes label").allInnerTexts(), ["boats", "cars", "all"]);
        const note = await page.locator("#pack-note").innerText();
        await page.locator("#own-pictures").setInputFiles(pictures.slice(0, 2).map(({ kind: _, ...file }) => file));
        await page.waitForSelector("#problem:not([hidden])");
        assertMatch(await page.locator("#problem").innerText(), /^Cannot use 2 pictures: expected 5 to 5000\./);
        assertEquals(await page.locator("#pack-note").innerText(), note);
      });
      await t.step("a dropped folder that cannot be read is said", async () => {
        await page.evaluate(() => {
          const refuse = (_: unknown, reject: (error: Error) => void) => reject(new Error("A file could not be found"));
          const folder = { isDirectory: true, name: "boats", createReader: () => ({ readEntries: refuse }) };
          const drop = new Event("drop", { bubbles: true, cancelable: true });
          const items = [{ webkitGetAsEntry: () => folder }];
          Object.defineProperty(drop, "dataTransfer", { value: { items, files: [] } });
          document.body.dispatchEvent(drop);
        });
        const sentence = "Cannot read what was dropped: A file could not be found.";
        await page.waitForFunction((text) => document.getElementById("problem")!.textContent!.includes(text), sentence);
      });
      await t.step("64x64, and accessible", async () => {
        await page.locator("#own-size").selectOption("64");
        await page.locator("#own-pictures").setInputFiles(pictures.map(({ kind: _, ...file }) => file));
        await opened(/^40 pictures of your own/);
        await done(page);
        const width = () => page.locator("#picture").evaluate((canvas) => (canvas as HTMLCanvasElement).width);
        assertEquals([await width(), await page.locator("#other-size").innerText()], [
          64,
          "Size 64\u00d764. 32\u00d732: quicker",
        ]);
        await page.locator("#other-size button").click();
        await page.waitForFunction(() => document.getElementById("other-size")!.textContent!.startsWith("Size 32"));
        await done(page);
        assertEquals(await width(), 32);
        assertMatch(await page.locator("#own-packs label").first().innerText(), /^0\.png and 39 others/);
        await assertAccessible(page);
        assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      });
      await t.step("pictures with transparent pixels become sprites, of their size and in their colours", async () => {
        const sprites = spriteFiles(24);
        await page.locator("#own-pictures").setInputFiles(sprites);
        await opened(/^24 pictures of your own/);
        await done(page);
        const colours = new Set(sprites.flatMap(({ colours }) => colours));
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Save PNG" }).click(),
        ]);
        const { width, height, channels, data } = decode(await Deno.readFile(await download.path()));
        assertMatch(download.suggestedFilename(), /^patchloom-sprites-seed1-[1-4]\.png$/);
        assertEquals([width, height, channels], [24, 24, 4]);
        const made = coloursOf(data);
        assert(made.includes("clear") && made.every((colour) => colours.has(colour)), made.join(" "));
        // The canvas is transparent at the same pixels.
        const shown = await page.locator("#picture").evaluate((canvas) => {
          const context = (canvas as HTMLCanvasElement).getContext("2d")!;
          return [...context.getImageData(0, 0, 24, 24).data];
        });
        assertEquals(shown.filter((_, i) => i % 4 === 3), [...data].filter((_, i) => i % 4 === 3));
        assert(
          await page.evaluate(() => getComputedStyle(document.getElementById("stage")!).backgroundImage !== "none"),
        );
        const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#save-pack").click()]);
        const pack = readPack(await Deno.readFile(await saved.path()));
        assertEquals([pack.transparent, pack.profile.pixelArt], [[255, 0, 255], true]);
        const shot = Deno.env.get("SHOT_SPRITES");
        if (shot) await page.screenshot({ path: shot, fullPage: true });
      });
      await t.step("without a network the page opens again and synthesizes", async () => {
        const offline = await open("pack=digits&class=3");
        await offline.evaluate("navigator.serviceWorker.ready");
        await offline.context().setOffline(true);
        await offline.reload();
        await done(offline);
        await offline.getByRole("radio", { name: "Faces" }).check({ force: true });
        await offline.waitForFunction(() => /^Portraits/.test(document.getElementById("pack-note")!.textContent!));
        await done(offline);
      });
      const shot = Deno.env.get("SHOT");
      if (shot) await page.screenshot({ path: shot, fullPage: true });
    }),
});
