/** Whether the page can be used by everybody: by the rules of axe, at five widths, light and dark. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { assertAccessible, resized, traced, withBrowser } from "./browser.ts";

/** Asserts that where a pixel came from stands beside the picture or close below it, and the film is seen as a whole. */
async function nearThePicture(page: Page): Promise<void> {
  const [picture, sources] = await Promise.all(
    ["#synthesis", "#pixel-sources"].map(async (one) => (await page.locator(one).boundingBox())!),
  );
  const below = sources.y - picture.y - picture.height;
  assert(sources.x > picture.x + picture.width || sources.x === picture.x && below > 0 && below < 40, `${below} below`);
  const film = await page.locator("#film").evaluate((one) => one.scrollWidth - one.clientWidth);
  assertEquals(film, 0);
}

Deno.test({
  name: "the page: accessible",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      for (const [address, dark] of [["", false], ["pack=digits&class=3&from=noise&frame=0.9", true]] as const) {
        const page = await open(address, { dark });
        await (dark ? page.waitForSelector(".weights") : traced(page));
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => one.open = true));
        for (const width of [1280, 1200, 800, 400, 320]) {
          const title = `at ${width} pixels, ${dark ? "from noise, dark" : "light"}, and nothing overflows`;
          await t.step(title, async () => {
            await resized(page, { width, dark });
            assertEquals(await page.evaluate(() => document.documentElement.scrollWidth), width);
            if (width >= 800) await nearThePicture(page);
            await assertAccessible(page);
          });
        }
        await page.close();
      }
    }),
});
