/** The dialog that takes something out of a picture: painted over by pointer and keys, filled, undone and saved. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { decode, encode } from "fast-png";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, resized, withBrowser } from "./browser.ts";

const WIDTH = 80, HEIGHT = 60;
/** A pattern that repeats itself every 8 pixels. */
const pattern = (p: number, c: number) => 20 + 25 * (p % WIDTH % 8) + 3 * (Math.floor(p / WIDTH) % 8) + c;
/** A red spot on it. */
const isSpot = (p: number) => (p % WIDTH - 30) ** 2 + (Math.floor(p / WIDTH) - 24) ** 2 < 25;

const data = Uint8Array.from({ length: 3 * WIDTH * HEIGHT }, (_, i) => {
  const p = Math.floor(i / 3);
  return isSpot(p) ? [255, 0, 0][i % 3] : pattern(p, i % 3);
});
const PICTURE = {
  name: "spot.png",
  mimeType: "image/png",
  buffer: Buffer.from(encode({ width: WIDTH, height: HEIGHT, channels: 3, data })),
};

/** The pixels of one of the dialog's canvases: red, green, blue and opacity. */
async function pixels(page: Page, id: string): Promise<number[]> {
  return await page.evaluate((id) => {
    const canvas = document.getElementById(id) as HTMLCanvasElement;
    return [...canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data];
  }, id);
}

/** Whether each pixel is painted over. */
async function painted(page: Page): Promise<boolean[]> {
  return (await pixels(page, "fill-paint")).filter((_, i) => i % 4 === 3).map((opacity) => opacity > 0);
}

async function opened(page: Page): Promise<void> {
  await page.locator("#own-fill").setInputFiles(PICTURE);
  await page.waitForSelector("#fill[open]");
}

/** Drags over the spot, and some pixels beside it. */
async function dragOverSpot(page: Page): Promise<void> {
  const box = (await page.locator("#fill-stage").boundingBox())!;
  const at = (x: number, y: number) => [box.x + x / WIDTH * box.width, box.y + y / HEIGHT * box.height] as const;
  await page.mouse.move(...at(26, 21));
  await page.mouse.down();
  for (const [x, y] of [[34, 21], [34, 25], [26, 25], [26, 29], [34, 29]]) await page.mouse.move(...at(x, y));
  await page.mouse.up();
}

/** Fills, and waits for the end. */
async function fill(page: Page, button = "Fill"): Promise<void> {
  await page.locator("#fill").getByRole("button", { name: button, exact: true }).click();
  await page.waitForFunction(() => /^Filled in /.test(document.getElementById("fill-note")!.textContent!));
}

/** The picture as it was, but for the spot. */
async function assertGone(page: Page): Promise<void> {
  const found = await pixels(page, "fill-picture");
  found.forEach((value, i) => assertEquals(value, i % 4 === 3 ? 255 : pattern(i >> 2, i % 4), `value ${i}`));
}

Deno.test({
  name: "the page: takes something out of a picture",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      const page = await open("pack=digits&class=3"), disabled = (id: string) => page.locator(id).isDisabled();
      await t.step("what is no picture is refused", async () => {
        await page.locator("#own-fill").setInputFiles({ ...PICTURE, buffer: Buffer.from("no picture") });
        await page.waitForSelector("#problem:not([hidden])");
        assertMatch(
          await page.locator("#problem").innerText(),
          /^Cannot use spot\.png: it is neither a picture that this browser reads/,
        );
      });
      await t.step("by pointer: painted over, filled with the picture's own pixels, and saved", async () => {
        await opened(page);
        assertEquals(
          [await disabled("#fill-go"), await disabled("#fill-save"), await disabled("#fill-undo")],
          Array(3).fill(true),
        );
        await dragOverSpot(page);
        const paint = await painted(page);
        paint.forEach((is, p) => assert(is || !isSpot(p), `pixel ${p} is not painted over`));
        assert(paint.filter(Boolean).length < WIDTH * HEIGHT / 8, "only what was dragged over is painted");
        await fill(page);
        await assertGone(page);
        assertEquals((await painted(page)).some(Boolean), false);
        const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#fill-save").click()]);
        assertEquals(saved.suggestedFilename(), "spot-filled.png");
        const file = decode(await Deno.readFile(await saved.path()));
        assertEquals([file.width, file.height, file.channels], [WIDTH, HEIGHT, 3]);
        file.data.forEach((value, i) => assertEquals(value, pattern(Math.floor(i / 3), i % 3)));
      });
      await t.step("another filling; undone it is the picture with its paint, then without", async () => {
        await fill(page, "Another filling");
        await assertGone(page);
        const undo = page.locator("#fill-undo");
        await undo.click();
        assertEquals((await pixels(page, "fill-picture")).filter((_, i) => i % 4 < 3), [...data]);
        assert((await painted(page)).some(Boolean));
        await undo.click();
        assertEquals([(await painted(page)).some(Boolean), await undo.isDisabled()], [false, true]);
      });
      await t.step("by keyboard: arrows move the brush, space paints, + makes it larger", async () => {
        const stage = page.locator("#fill-stage"), label = () => stage.getAttribute("aria-label");
        await page.keyboard.press("Tab"); // the focus was on Undo, which does nothing now
        await stage.focus();
        const before = await label();
        await page.keyboard.press("ArrowLeft");
        assert(await label() !== before, before!);
        for (const _ of [1, 2, 3]) await page.keyboard.press("+");
        assertMatch((await label())!, /7 pixels wide\. 0 % is painted over$/);
        await page.keyboard.press(" ");
        const once = (await painted(page)).filter(Boolean).length;
        assert(once > 30 && once < 50, `${once} pixels of a brush 7 pixels wide`);
        for (const _ of [1, 2]) await page.keyboard.press("Shift+ArrowDown");
        assert((await painted(page)).filter(Boolean).length > 1.5 * once);
        await fill(page);
        await page.keyboard.press("Escape");
        await page.waitForSelector("#fill:not([open])", { state: "attached" });
      });
      await t.step("by touch; closed while it is filled, the next picture begins anew", async () => {
        await opened(page);
        await page.evaluate(() => {
          const stage = document.getElementById("fill-stage")!, box = stage.getBoundingClientRect();
          stage.setPointerCapture = () => {}; // of a pointer that the browser does not know
          const send = (type: string, part: number) =>
            stage.dispatchEvent(
              new PointerEvent(type, {
                ...{
                  pointerId: 7,
                  pointerType: "touch",
                  clientX: box.x + part * box.width,
                  clientY: box.y + box.height / 2,
                },
              }),
            );
          ["pointerdown", "pointermove", "pointerup", "pointermove"].forEach((type, i) => send(type, 0.2 + 0.2 * i));
        });
        const paint = await painted(page), row = paint.slice(WIDTH * HEIGHT / 2, WIDTH * (HEIGHT / 2 + 1));
        assertEquals([row[16], row[24], row[32], row[56], row[64]], [true, true, true, false, false]);
        await page.locator("#fill-go").click();
        await page.keyboard.press("Escape");
        await opened(page);
        assertEquals([(await painted(page)).some(Boolean), await disabled("#fill-save")], [false, true]);
        await dragOverSpot(page);
        await fill(page);
        await assertGone(page);
        await page.keyboard.press("Escape");
      });
      await t.step("a texture that was dropped can be mended, too", async () => {
        await page.locator("#own-texture").setInputFiles(PICTURE);
        await page.waitForSelector("#texture-fill:not([hidden])");
        await page.locator("#texture-fill button").click();
        await page.waitForSelector("#fill[open]");
        assertEquals((await pixels(page, "fill-picture")).filter((_, i) => i % 4 < 3), [...data]);
        await page.close();
      });
      const wide = await open();
      await opened(wide);
      for (const width of [1280, 800, 400, 320]) {
        await t.step(`accessible at ${width} pixels, and nothing overflows`, async () => {
          await resized(wide, { width, dark: width === 800 });
          const box = (await wide.locator("#fill").boundingBox())!;
          assert(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
          assertEquals(await wide.locator("#fill").evaluate((one) => one.scrollWidth - one.clientWidth), 0);
          await assertAccessible(wide);
          const shot = Deno.env.get("SHOT");
          if (shot) await wide.screenshot({ path: `${shot}${width}.png` });
        });
      }
      await wide.close();
    }),
});
