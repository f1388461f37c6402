/** The page for someone who reads nothing: from 30 drawings of their own to a saved picture, on a desk, on a phone and by keyboard. */
import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, done, withBrowser } from "./browser.ts";
import { drawings } from "./drawings.ts";

/** Milliseconds from the open page to the saved picture; a person has two minutes. */
const MAX_MILLISECONDS = 60_000;

const opened = (page: Page) =>
  page.waitForFunction(() => /^30 pictures of your own/.test(document.getElementById("pack-note")!.textContent!));

/** Saves the picture by an action, and checks it. */
async function saved(page: Page, act: () => Promise<void>): Promise<void> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const { width, height, data } = decode(await Deno.readFile(await download.path()));
  assertEquals([width, height], [32, 32]);
  // Dark lines on white paper.
  assert(Math.min(...data) < 100 && Math.max(...data) > 220, `${Math.min(...data)} to ${Math.max(...data)}`);
}

async function accessible(page: Page): Promise<void> {
  await assertAccessible(page);
  assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "something overflows");
}

Deno.test({
  name: "the page: 30 drawings become a picture in little time, with no word read",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      const files = drawings(3, 10).map(({ kind: _, ...file }) => file);
      for (const width of [1280, 375]) {
        await t.step(`by pointer, ${width} pixels wide`, async () => {
          const page = await open("", { width }), started = performance.now();
          await page.locator("#own-pictures").setInputFiles(files);
          await opened(page);
          await done(page);
          await page.getByRole("button", { name: "Clear" }).click();
          await page.getByRole("radio", { name: "Level 0" }).check({ force: true });
          for (const cell of [2, 6, 7, 11]) await page.locator("#grid [role=gridcell]").nth(cell - 1).click();
          await done(page);
          await page.getByRole("button", { name: "New" }).click();
          await done(page);
          await saved(page, () => page.getByRole("button", { name: "Save PNG" }).click());
          assert(performance.now() - started < MAX_MILLISECONDS);
          await accessible(page);
          const shot = Deno.env.get("SHOT");
          if (shot) await page.screenshot({ path: `${shot}-${width}.png`, fullPage: true });
        });
      }
      await t.step("by keyboard alone", async () => {
        const page = await open(), press = (key: string) => page.keyboard.press(key);
        const to = async (id: string) => {
          const at = () =>
            page.evaluate(() => document.activeElement!.id || document.activeElement!.getAttribute("role"));
          for (let i = 0; i < 60 && await at() !== id; i++) await press("Tab");
          assertEquals(await at(), id);
        };
        // A listener from before the key: dialogs are intercepted from some time after the first listener on.
        page.on("filechooser", (chooser) => chooser.setFiles(files));
        await to("own-pictures");
        await press("Enter");
        await opened(page);
        await done(page);
        await to("gridcell");
        for (const key of ["ArrowRight", "9", "ArrowDown", "5"]) await press(key);
        await done(page);
        await to("new-seed");
        await press("Enter");
        await done(page);
        await to("png");
        await saved(page, () => press("Enter"));
        assertEquals(await page.locator("#problem").isVisible(), false);
      });
    }),
});
