/** The page with the exemplar of a texture: size, tiling, the film, and what it saves. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { cli, withFolder } from "../deno/cli.ts";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, done, traced, withBrowser } from "./browser.ts";

/** A part of the built-in pebbles: a small exemplar is searched quickly. */
function pebbles(side: number): Uint8Array {
  const { images: { pixels } } = proceduralTextures(), area = 128 * 128;
  const data = Uint8Array.from({ length: 3 * side * side }, (_, i) => {
    const p = Math.floor(i / 3);
    return pixels[(3 + i % 3) * area + Math.floor(p / side) * 128 + p % side];
  });
  return encode({ width: side, height: side, channels: 3, data });
}

/** Rows of 8 pixels. */
function rows(side: number): Uint8Array {
  const data = Uint8Array.from(
    { length: side * side },
    (_, p) => 128 + 90 * Math.sin(Math.floor(p / side) * Math.PI / 4),
  );
  return encode({ width: side, height: side, channels: 1, data });
}

Deno.test({
  name: "the page: makes a texture of one picture, of any size and tiling, with the bytes of synth",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      const exemplar = pebbles(48), page = await open("pack=digits&class=3");
      const file = { name: "pebbles.png", mimeType: "image/png", buffer: Buffer.from(exemplar) };
      const widthOf = (selector: string) =>
        page.locator(selector).evaluate((canvas) => (canvas as HTMLCanvasElement).width);
      const save = async (button: string) => {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: button }).click(),
        ]);
        return { name: download.suggestedFilename(), bytes: await Deno.readFile(await download.path()) };
      };
      await t.step("a picture that is no picture is refused, and nothing changes", async () => {
        const bad = { ...file, name: "bad.png", buffer: Buffer.from(exemplar.subarray(0, 90)) };
        await page.locator("#own-texture").setInputFiles(bad);
        await page.waitForSelector("#problem:not([hidden])");
        assertMatch(await page.locator("#problem").innerText(), /^bad\.png is a damaged PNG: .*\.$/);
        assertMatch(await page.locator("#pack-note").innerText(), /^Digits/);
      });
      await t.step("without an opaque pixel it is refused by its name, and the drawing's words go", async () => {
        const clear = Buffer.from(encode({ width: 20, height: 20, channels: 4, data: new Uint8Array(1600) }));
        await page.locator("#grid [role=gridcell]").nth(5).click();
        assertEquals(await page.locator("#guide-note").isVisible(), true);
        await page.locator("#own-texture").setInputFiles({ ...file, name: "clear.png", buffer: clear });
        await page.waitForSelector("#problem:not([hidden])");
        assertEquals(
          await page.locator("#problem").innerText(),
          "Cannot use clear.png: expected at least one opaque pixel, got none.",
        );
      });
      await t.step("a size that holds no whole rows gets a hint, if the texture tiles", async () => {
        // By the element: small pictures may be made before a pointer reaches the button.
        const stop = () => page.evaluate(() => document.getElementById("stop")!.click());
        const hint = () => page.locator("#tiling-hint").innerText();
        await page.locator("#own-texture").setInputFiles({ ...file, name: "rows.png", buffer: Buffer.from(rows(64)) });
        await page.waitForFunction(() => /rows/.test(document.getElementById("pack-note")!.textContent!));
        await stop();
        const down = page.locator("#tiling").getByRole("radio", { name: "Down" });
        await down.check({ force: true });
        assertEquals(await hint(), "");
        await page.locator("#texture-height").fill("60");
        await page.locator("#texture-height").press("Enter");
        assertMatch(
          await hint(),
          /^Your picture repeats itself every 8\.0 pixels in y: a height of 64 .* tiles better\.$/,
        );
        await stop();
        const text = await page.locator("body").innerText();
        assertEquals(
          /exemplar|squares like|\bdots\b|Paint with/i.exec(text)?.[0],
          undefined,
          text,
        );
        const [packs, width] = await Promise.all(
          ["#packs", "#texture-width"].map((one) => page.locator(one).boundingBox()),
        );
        assert(width!.y - packs!.y - packs!.height >= 5, "the size stands apart from the packs");
      });
      await t.step("one picture becomes a texture, which can be stopped and made smaller", async () => {
        await page.locator("#own-texture").setInputFiles(file);
        await page.waitForFunction(() => /pebbles/.test(document.getElementById("pack-note")!.textContent!));
        assertEquals(await page.locator("#problem").isVisible(), false);
        await page.locator("#stop").click();
        assertMatch(await page.locator("#status").innerText(), /^Stopped/);
        for (const [name, side] of [["width", "64"], ["height", "48"]]) {
          await page.locator(`#texture-${name}`).fill(side);
          await page.locator(`#texture-${name}`).press("Enter");
        }
        await page.locator("#tiling").getByRole("radio", { name: "Both" }).check({ force: true });
        await done(page);
        assertEquals(
          await page.locator("#status").innerText().then((text) => text.split(" in ")[0]),
          "1 picture of 64\u00d748",
        );
        const sides = await page.locator("#film canvas").evaluateAll((all) =>
          all.map((one) => (one as HTMLCanvasElement).width)
        );
        assertEquals(sides, [64], "the quilted image, which no layer follows");
        assertEquals(await widthOf("#tiled canvas"), 128, "twice, as it tiles");
        assertEquals([await widthOf("#picture"), await page.locator("#views").isVisible()], [64, false]);
      });
      await t.step("the saved picture, pack and run.json are those of synth", async () => {
        await withFolder(async (folder) => {
          const paths = {
            png: join(folder, "pebbles.png"),
            pack: join(folder, "a.loom"),
            run: join(folder, "run.json"),
          };
          await Deno.writeFile(paths.png, exemplar);
          const picture = await save("Save PNG"), run = await save("Save run.json"), pack = await save("Save pack");
          assertEquals([picture.name, pack.name], ["patchloom-texture-seed1-1.png", "texture.loom"]);
          await Deno.writeFile(paths.pack, pack.bytes);
          await Deno.writeFile(paths.run, run.bytes);
          const { data } = decode(picture.bytes),
            words = "--quiet --count 1 --threads 1 --size 64x48 --tile both --out";
          for (
            const [out, ...from] of [["a", "--data", paths.png, "--profile", "texture"], ["b", "--profile", paths.pack]]
          ) {
            const made = await cli(["synth", ...from, ...words.split(" "), join(folder, out)]);
            assertEquals(made.code, 0, made.stderr);
            assertEquals(decode(await Deno.readFile(join(folder, out, "images/0000.png"))).data, data);
          }
          const again = await cli(["synth", "--run", paths.run, "--data", paths.pack, "--out", join(folder, "c")]);
          assertEquals([again.code, /^1 image of the page made again/.test(again.stderr)], [0, true], again.stderr);
          assertEquals(decode(await Deno.readFile(join(folder, "c/images/0000.png"))).data, data);
        });
      });
      await t.step(
        "a pixel at the edge leads to the pixel of the exemplar that it is",
        async () => {
          await page.locator("#stage").click({ position: { x: 3, y: 3 } });
          assertMatch(await traced(page), /from your picture/);
        },
      );
      await t.step("the link waits for the pack; accessible, and nothing overflows", async () => {
        const link = new URL(page.url()).hash.slice(1), later = await open(link, { width: 375 });
        assert(/needs a pack of your own/.test(await later.locator("#problem").innerText()));
        await assertAccessible(page);
        assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      });
      const shot = Deno.env.get("SHOT");
      if (shot) await page.screenshot({ path: shot, fullPage: true });
    }),
});
