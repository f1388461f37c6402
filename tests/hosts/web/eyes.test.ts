/** The page with a photograph of a face: eyes are proposed, corrected by clicks or keys, and the face begins a picture. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { decode, encode } from "fast-png";
import type { Page } from "playwright-core";
import { readPack } from "../../../datasets/formats/pack.ts";
import { ALIGNED_SIDE, alignEyes } from "../../../datasets/faces/align_eyes.ts";
import { resized } from "../../../datasets/resize.ts";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, done, resized as resizedPage, sha256, sha256Of, withBrowser } from "./browser.ts";

/** The portrait's side in the photograph, where its corner lies, and the photograph's sides. */
const PORTRAIT = 192, LEFT = 90, TOP = 30, WIDTH = 340, HEIGHT = 250;
/** Where its eyes are. */
const EYES = [44, 84].map((x) => ({ x: LEFT + (x + 0.5) * 1.5 - 0.5, y: TOP + 52.5 * 1.5 - 0.5 }));

/** A drawn portrait on grey, as grey levels. */
function photographOf(portrait: Uint8Array): Uint8Array<ArrayBuffer> {
  const image = { count: 1, height: ALIGNED_SIDE, width: ALIGNED_SIDE, pixels: portrait };
  const { pixels } = resized(image, { height: PORTRAIT, width: PORTRAIT }), grey = new Uint8Array(WIDTH * HEIGHT);
  grey.fill(150);
  for (let y = 0; y < PORTRAIT; y++) {
    grey.set(pixels.subarray(y * PORTRAIT, (y + 1) * PORTRAIT), (TOP + y) * WIDTH + LEFT);
  }
  return grey;
}

/** Drops a file on the page. */
async function dropped(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(({ name, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)), transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type: "image/png" }));
    dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
  }, { name, base64: Buffer.from(bytes).toString("base64") });
}

/** The places of the circles, in pixels of the photograph. */
async function places(page: Page): Promise<{ x: number; y: number }[]> {
  const circles = await page.locator("#eyes-marks .eye-point").evaluateAll((all) => {
    return all.map((one) => [Number(one.getAttribute("cx")), Number(one.getAttribute("cy"))]);
  });
  return circles.map(([x, y]) => ({ x: x - 0.5, y: y - 0.5 }));
}

/** Clicks in the middle of a pixel of the photograph. Returns the place that this is. */
async function clickAt(page: Page, x: number, y: number): Promise<void> {
  const box = (await page.locator("#eyes-stage").boundingBox())!;
  await page.mouse.click(box.x + (x + 0.5) / WIDTH * box.width, box.y + (y + 0.5) / HEIGHT * box.height);
}

/** Waits until a pack with the photograph is open and its pictures are made. */
async function begun(page: Page, name: string): Promise<string> {
  await page.waitForFunction((name) => document.getElementById("pack-note")!.textContent!.includes(name), name);
  await done(page);
  return await page.locator("#pack-note").innerText();
}

Deno.test({
  name: "the page: a dropped photograph of a face is aligned by its eyes and begins a picture",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open, files }) => {
      const { train } = readPack(files.get("faces.loom")!, "faces.loom"), area = ALIGNED_SIDE ** 2;
      const grey = photographOf(train.images.pixels.subarray(3 * area, 4 * area));
      const photograph = encode({ width: WIDTH, height: HEIGHT, channels: 1, data: grey });
      const aligned = async (...[a, b]: { x: number; y: number }[]) => {
        return await sha256(alignEyes({ width: WIDTH, height: HEIGHT, pixels: grey }, a, b) as Uint8Array<ArrayBuffer>);
      };

      await t.step("the eyes are proposed where they are, and aligned as by data import", async () => {
        const page = await open();
        await dropped(page, "me.png", photograph);
        await page.waitForSelector("#eyes[open]");
        const proposed = await places(page);
        for (const [i, { x, y }] of proposed.entries()) {
          assert(Math.hypot(x - EYES[i].x, y - EYES[i].y) < 6, `${x}, ${y}`); // a tenth of the distance between them
        }
        assertEquals(await sha256Of(page, "#eyes-aligned"), await aligned(...proposed));
        await page.locator("#eyes-use").click();
        assertMatch(
          await begun(page, "me.png"),
          /120 of \d+ examples; your photograph me\.png gives a seed image/,
        );
        assertEquals(await page.locator("#grid [role=gridcell]").count(), 64);
        assertEquals(await page.locator("#problem").textContent(), "");
        // The photograph stands beside its squares, as aligned, also when the page is opened again.
        const shown = async () => {
          const address = (await page.locator("#photograph img:visible").getAttribute("src"))!;
          const { data } = decode(Uint8Array.fromBase64(address.slice(address.indexOf(",") + 1)));
          return await sha256(data as Uint8Array<ArrayBuffer>);
        };
        assertEquals(await shown(), await aligned(...proposed));
        await page.reload();
        await begun(page, "me.png");
        assertEquals(await shown(), await aligned(...proposed));
        await page.getByRole("button", { name: "Another" }).click();
        await done(page);
        assertEquals(
          await page.locator("#photograph").isVisible(),
          false,
          "other squares are none of the photograph's",
        );
        await page.getByRole("radio", { name: "Yours" }).check({ force: true });

        const choosing = page.waitForEvent("download");
        await page.locator("#save-pack").click();
        const chunks = [];
        for await (const chunk of await (await choosing).createReadStream()) chunks.push(chunk);
        const saved = readPack(new Uint8Array(Buffer.concat(chunks)), "saved");
        assertEquals([saved.profile.name, saved.train.images.count, saved.seeds.count], ["faces", 120, 61]);
        await page.close();
      });

      await t.step(
        "two clicks mark other eyes, and the face joins the examples; a second one comes beside it",
        async () => {
          const page = await open();
          for (const [n, name] of ["one.png", "two.png"].entries()) {
            await dropped(page, name, photograph);
            await page.waitForSelector("#eyes[open]");
            await page.getByRole("button", { name: "Mark again" }).click();
            assertEquals(await page.locator("#eyes-use").isDisabled(), true);
            const look = (id: string) => page.locator(id).evaluate((one) => getComputedStyle(one).backgroundColor);
            assertNotEquals(await look("#eyes-use"), await look("#new-seed"), "a button that does nothing looks so");
            await clickAt(page, 210, 110); // the right eye first
            assertEquals(await page.locator("#eyes-use").isDisabled(), true);
            await clickAt(page, 160, 104);
            const clicked = (await places(page)).toReversed();
            for (const [i, [x, y]] of [[160, 104], [210, 110]].entries()) {
              assert(Math.hypot(clicked[i].x - x, clicked[i].y - y) < 1, JSON.stringify(clicked));
            }
            assertEquals(await sha256Of(page, "#eyes-aligned"), await aligned(...clicked));
            await page.getByLabel("Add it to the examples, too").check();
            await page.locator("#eyes-use").click();
            const note = await begun(page, name);
            assertEquals(note.match(/gives a seed image and an example/g)?.length, n + 1, note);
            assertEquals(await sha256Of(page, "#shown-examples canvas:first-child"), await aligned(...clicked));
          }
          await page.close();
        },
      );

      await t.step("faces in several photographs are aligned, and what shows none is left out", async () => {
        const page = await open(), side = 64, wall = new Uint8Array(WIDTH * HEIGHT).fill(90);
        const portraits = Array.from({ length: 6 }, (_, i) => {
          return photographOf(train.images.pixels.subarray((3 + i) * area, (4 + i) * area));
        });
        const named = [...portraits, wall].map((data, i) => ({
          name: `${i}.png`,
          mimeType: "image/png",
          buffer: Buffer.from(encode({ width: WIDTH, height: HEIGHT, channels: 1, data })),
        }));
        await page.locator("#own-pictures").setInputFiles(named);
        const said = (await page.locator("#own-status").boundingBox())!;
        assert(
          said.y > 0 && said.y + said.height <= 900,
          "what is read is said within sight, wherever files are dropped",
        );
        assertMatch(await begun(page, "faces of your own"), /^6 faces of your own, aligned by their eyes, 1 of them/);
        assertEquals(
          await page.locator("#problem").innerText(),
          "Left out files in which no face was found: 6.png.",
        );
        const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-pack").click()]);
        const saved = readPack(await Deno.readFile(await download.path())).train.images;
        // The first one gives the seed image. The finder is off by some pixels of the photograph, two fifths of that of the result.
        const pixels = alignEyes({ width: WIDTH, height: HEIGHT, pixels: portraits[1] }, EYES[0], EYES[1], side);
        const off = pixels.reduce((sum, value, i) => sum + Math.abs(value - saved.pixels[i]), 0) / side ** 2;
        assert(off < 12, `${off} levels`);
        await page.close();
      });

      await t.step("by keyboard", async () => {
        const page = await open();
        await dropped(page, "me.png", photograph);
        await page.waitForSelector("#eyes[open]");
        const [left, right] = await places(page);
        for (const key of ["ArrowRight", "ArrowRight", "ArrowUp", " ", "ArrowDown"]) await page.keyboard.press(key);
        const moved = await places(page);
        const near = (a: number, b: number) => assert(Math.abs(a - b) < 1e-6, `${a} ${b}`);
        [[moved[0].x, left.x + 2], [moved[0].y, left.y - 1], [moved[1].x, right.x], [moved[1].y, right.y + 1]]
          .forEach(([a, b]) => near(a, b));
        await page.close();
      });

      await t.step(
        "Escape leaves all as it was; a face can be a texture, or something is taken out of it",
        async () => {
          const page = await open("pack=digits&class=3"), status = await page.locator("#status").innerText();
          await dropped(page, "me.png", photograph);
          await page.waitForSelector("#eyes[open]");
          assertEquals(
            await page.locator("#own-status").isVisible(),
            false,
            "nothing is being read while the page waits",
          );
          assertEquals(await page.locator("#status").textContent(), status);
          await dropped(page, "other.png", photograph);
          assertMatch(
            await page.locator("#problem").innerText(),
            /^Cannot take two pictures at a time: finish the first/,
          );
          await page.keyboard.press("Escape");
          await page.waitForSelector("#eyes:not([open])", { state: "attached" });
          assertEquals(await page.locator("#status").innerText(), status);
          assertMatch(await page.locator("#pack-note").innerText(), /^Digits/);
          const data = new Uint8Array(3600).fill(90), wall = encode({ width: 60, height: 60, channels: 1, data });
          const file = { name: "wall.png", mimeType: "image/png", buffer: Buffer.from(wall) };
          await page.locator("#own-face").setInputFiles(file);
          await page.waitForSelector("#eyes[open]");
          assertMatch(await page.locator("#eyes-note").innerText(), /^No face was found\. Click one eye/);
          await page.keyboard.press("Escape");
          await page.waitForSelector("#eyes:not([open])", { state: "attached" });
          await dropped(page, "me.png", photograph);
          await page.waitForSelector("#eyes[open]");
          assertMatch(await page.locator("#eyes-note").innerText(), /^Are the circles/);
          await page.getByRole("button", { name: "Make a texture" }).click();
          await page.waitForFunction(() => /^Your picture me/.test(document.getElementById("pack-note")!.textContent!));
          await dropped(page, "me.png", photograph);
          await page.waitForSelector("#eyes[open]");
          await page.getByRole("button", { name: "Take something out", exact: true }).click();
          await page.waitForSelector("#fill[open]");
          await page.close();
        },
      );

      const page = await open();
      await dropped(page, "me.png", photograph);
      await page.waitForSelector("#eyes[open]");
      for (const width of [1280, 800, 400, 320]) {
        await t.step(`accessible at ${width} pixels, and nothing overflows`, async () => {
          await resizedPage(page, { width, dark: width === 800 });
          const box = (await page.locator("#eyes").boundingBox())!;
          assert(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
          assertEquals(await page.locator("#eyes").evaluate((one) => one.scrollWidth - one.clientWidth), 0);
          await assertAccessible(page);
        });
      }
      await page.close();
    }),
});
