/** Drawing on the page: where and how bright to draw, and what is said of a drawing that leads nowhere. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { encode } from "fast-png";
import type { Page } from "playwright-core";
import { readPack } from "../../../datasets/formats/pack.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, hash, withBrowser } from "./browser.ts";

/** Draws cells of the grid at the brush's level, on black. */
async function draw(page: Page, cells: readonly number[]): Promise<void> {
  await page.getByRole("button", { name: "Clear" }).click();
  for (const cell of cells) await page.locator("#grid [role=gridcell]").nth(cell).click();
  await done(page);
}

const warning = (page: Page) => page.locator("#agreement").innerText();

/** Six pictures of a red and a blue bar on white. */
function proceduralColours() {
  return Array.from({ length: 6 }, (_, i) => {
    const width = 64, data = new Uint8Array(3 * width * width).fill(255);
    for (let p = 0; p < width * width; p++) {
      const x = p % width, y = Math.floor(p / width);
      if (y > 14 + i && y < 30 + i) data.set(x < 32 ? [224, 16, 32] : [32, 48, 224], 3 * p);
    }
    const buffer = Buffer.from(encode({ width, height: width, channels: 3, data }));
    return { name: `${i}.png`, mimeType: "image/png", buffer };
  });
}

Deno.test({
  name: "the page: drawing",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open, files, blank, address }) => {
      await t.step("dots show the mean of the class, and the brush begins at a usual level", async () => {
        const page = await open("pack=digits&class=7&from=4");
        assertEquals(await page.locator("#grid.guided").count(), 0, "the pack's own squares need no guide");
        const level = await page.locator("#brush input:checked").inputValue();
        const { seeds: { images, labels } } = readPack(files.get("digits.loom")!);
        const white = Math.round(255 * images.reduce((most, value) => Math.max(most, value), 0));
        assert(Number(level) >= 3 && Number(level) <= 7, level);
        await draw(page, [5, 6, 10, 14]);
        const dots = await page.locator("#grid [role=gridcell]").evaluateAll((cells) => {
          return cells.map((cell) => Number(/\d+/.exec(getComputedStyle(cell, "::after").backgroundColor)![0]));
        });
        const sevens = [...labels!.keys()].filter((i) => labels![i] === 7);
        dots.forEach((dot, p) => {
          const mean = sevens.reduce((sum, i) => sum + images[16 * i + p], 0) / sevens.length;
          assert(Math.abs(dot - 255 * 255 * mean / white) < 2, `${p}: ${dot}`);
        });
        assertEquals(await page.locator("#guide-note").isVisible(), true);
        assertEquals(await page.locator("#agreement").isVisible(), false, "a seven as the dots show it becomes one");
        await page.close();
      });

      await t.step("a drawing that no example is like, or an empty one, says what to do", async () => {
        const page = await open("pack=digits&class=3&from=4", { height: 800 });
        await draw(page, [0, 1, 2, 3, 7, 11, 15]);
        assertMatch(
          await warning(page),
          /hardly follows its squares: .* another class or all, or paint as the dots show\.$/,
        );
        const box = (await page.locator("#agreement").boundingBox())!,
          picture = (await page.locator("#stage").boundingBox())!;
        assert(
          box.y - picture.y - picture.height < 20 && box.y + box.height < 800,
          "it stands below the picture, in sight",
        );
        assertEquals(await page.locator("#drawn .agreement").isVisible(), false);
        await page.setViewportSize({ width: 400, height: 800 });
        const beside = (await page.locator("#drawn .agreement").boundingBox())!;
        assert(beside.y + beside.height < 800, "on phones it stands below the drawing and its picture, in sight");
        assertEquals(await page.locator("#agreement").isVisible(), false);
        await page.setViewportSize({ width: 1280, height: 800 });
        await draw(page, []);
        await page.waitForFunction(() => document.getElementById("agreement")!.textContent!.includes("are the same"));
        await page.getByRole("button", { name: "Another" }).click();
        await done(page);
        assertEquals(await page.locator("#agreement").isVisible(), false);
        await page.close();
      });

      await t.step(
        "colour packs: a named brush in the pictures' colours, which paints by pointer and keys",
        async () => {
          const page = await open();
          await page.locator("#own-pictures").setInputFiles(proceduralColours());
          await page.waitForFunction(() => /^6 pictures/.test(document.getElementById("pack-note")!.textContent!));
          await done(page);
          assertEquals(await page.locator("#brush-title").innerText(), "Brush colour");
          assertMatch(await page.locator("#grid-help").innerText(), /1 to \d paint with a colour of the brush/);
          const chosen = page.locator("#brush label:has(:checked)");
          assertEquals(await chosen.getAttribute("title"), "1: red");
          assertEquals(await page.locator("#colour").inputValue(), "#e01020");
          const square = page.locator("#grid [role=gridcell]").nth(5), named = () => square.getAttribute("aria-label");
          await square.click();
          assertEquals(await named(), "Row 2, column 2: red");
          await page.keyboard.press("2");
          const second = (await page.locator("#brush label").nth(1).getAttribute("title"))!.slice(3);
          assertEquals(await named(), `Row 2, column 2: ${second}`);
          await page.keyboard.press(" ");
          assertEquals(await named(), "Row 2, column 2: red");
          await page.locator("#colour").fill("#10a030");
          await page.keyboard.press("Tab");
          await square.click();
          assertEquals([await named(), await chosen.count()], ["Row 2, column 2: green", 0]);
          await done(page);
          await page.close();
        },
      );

      await t.step("a stroke shows its result at once, also where films play", async () => {
        const page = await open("pack=digits&class=3&from=4", { motion: true });
        await page.waitForFunction(() =>
          [...document.querySelectorAll<HTMLInputElement>("#film input")].at(-1)?.checked
        );
        await page.evaluate(() => {
          const names: string[] = (globalThis as unknown as { names: string[] }).names = [],
            stage = document.getElementById("stage")!;
          new MutationObserver(() => names.push(stage.getAttribute("aria-label")!)).observe(stage, {
            attributes: true,
          });
        });
        await page.locator("#grid [role=gridcell]").nth(5).click();
        await done(page);
        assertEquals(await page.locator("#film input").last().isChecked(), true);
        const names = await page.evaluate(() => (globalThis as unknown as { names: string[] }).names);
        assertEquals(names.some((name) => name.includes("Seed image")), false, names.join());
        await page.close();
      });

      await t.step("a random seed that is none is refused, and the field shows the picture's again", async () => {
        const page = await open("pack=digits&class=3&seed=12");
        for (const text of ["-5", "", "1.5"]) {
          await page.locator("#seed").fill(text);
          await page.locator("#seed").press("Enter");
          await page.locator("#seed").blur();
          assertEquals(await page.locator("#seed").inputValue(), "12", text);
          assertMatch(
            await page.locator("#problem").innerText(),
            /^Cannot use this random seed: expected a whole number/,
          );
        }
        assertEquals(hash(page).get("seed"), "12");
        await page.locator("#seed").fill("13");
        await page.locator("#seed").press("Enter");
        await done(page);
        assertEquals(await page.locator("#problem").isVisible(), false);
        await page.close();
      });

      await t.step("progress stands at the head of the picture, from the first moment on", async () => {
        const page = await blank({ height: 800 });
        await page.route("**/digits.loom", async (route) => {
          await page.waitForSelector("#running:visible");
          await route.continue();
        });
        await page.goto(address);
        await done(page);
        assertEquals(await page.locator("#running").isVisible(), false);
        // In one step: work that ends would hide it again.
        const bottom = await page.evaluate(() => {
          document.getElementById("running")!.hidden = false;
          return document.getElementById("stop")!.getBoundingClientRect().bottom;
        });
        assert(bottom > 0 && bottom < 250, `at ${bottom}`);
        await page.close();
      });

      await t.step("on paper: the pictures and the address, no buttons", async () => {
        const page = await open("pack=digits&class=3&from=4");
        await page.emulateMedia({ media: "print" });
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        assertEquals(await page.locator("button:visible, input[type=file]:visible").count(), 0);
        assertEquals(await page.locator("#print-address").innerText(), page.url());
        assertEquals(await page.locator("#stage").isVisible() && await page.locator("#trace").isVisible(), true);
        await page.close();
      });
    }),
});
