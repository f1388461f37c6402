/** The page's address and the browser's history: what Back undoes, and what leaves the address alone. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { done, hash, sha256Of, TILE, withBrowser } from "./browser.ts";

/** Goes one step back, and waits until the address is what it was. */
async function back(page: Page, to: string): Promise<void> {
  await page.goBack();
  await page.waitForFunction((to) => location.hash === to, to);
  await done(page);
}

const fragment = (page: Page) => new URL(page.url()).hash;

Deno.test({
  name: "the page: its address and history",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      await t.step("the link to the picture moves the focus and keeps all choices", async () => {
        const page = await open("pack=digits&class=4&seed=7");
        const [address, made] = [fragment(page), await sha256Of(page, TILE)];
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        assertEquals(await page.evaluate(() => document.activeElement!.id), "synthesis");
        await done(page);
        assertEquals([fragment(page), await sha256Of(page, TILE)], [address, made]);
        // Any other fragment without choices is no link to pictures either.
        await page.evaluate(() => location.hash = "examples");
        await page.waitForFunction((address) => location.hash === address, address);
        assertEquals(await sha256Of(page, TILE), made);
        await page.close();
      });

      await t.step("Back returns to the examples and choices before, one click after another", async () => {
        const page = await open();
        const addresses = [fragment(page)];
        const step = async (click: () => Promise<void>) => {
          await click();
          await page.waitForFunction((before) => location.hash !== before, addresses.at(-1)!);
          await done(page);
          addresses.push(fragment(page));
        };
        await step(() => page.getByRole("button", { name: "A digit from noise" }).click());
        await step(() => page.getByRole("button", { name: "Shirts" }).click());
        await step(() => page.getByRole("radio", { name: "shoes" }).check({ force: true }));
        await step(() => page.getByRole("button", { name: "New", exact: true }).click());
        for (const address of addresses.slice(0, -1).reverse()) await back(page, address);
        assertEquals(await page.getByRole("radio", { name: "3", exact: true }).isChecked(), true);
        await page.goForward();
        await page.waitForFunction((to) => location.hash === to, addresses[1]);
        await done(page);
        assertEquals(await page.locator("#noise").isVisible(), true);
        await page.close();
      });

      await t.step("Clear, Random, a class and a seed are steps of their own between strokes", async () => {
        const page = await open("pack=digits&class=4"), addresses = [fragment(page)];
        const step = async (act: () => Promise<unknown>) => {
          await act();
          await page.waitForFunction((before) => location.hash !== before, addresses.at(-1)!);
          await done(page);
          addresses.push(fragment(page));
        };
        const button = (name: string) => () => page.getByRole("button", { name, exact: true }).click();
        const stroke = (cell: number) => () => page.locator("#grid [role=gridcell]").nth(cell).click();
        const start = await page.evaluate(() => history.length);
        await step(button("Clear"));
        await step(stroke(5));
        await step(() => stroke(6)());
        addresses.splice(-2, 1); // both strokes are one drawing
        await step(() => page.getByRole("radio", { name: "5", exact: true }).check({ force: true }));
        await step(stroke(9));
        await step(button("Clear"));
        await step(button("Random"));
        await step(button("New"));
        // The random square may have the brush's level already: a stroke would change nothing.
        const square = (await page.locator("#grid [role=gridcell]").nth(2).getAttribute("aria-label"))!;
        const level = page.getByRole("radio", { name: `Level ${square.endsWith("level 9.0") ? 0 : 9}` });
        await level.check({ force: true });
        await step(stroke(2));
        assertEquals(await page.evaluate(() => history.length) - start, addresses.length - 1);
        for (const address of addresses.slice(0, -1).reverse()) await back(page, address);
        await page.close();
      });

      await t.step("a drawing of many strokes is one step, and looking closer is none", async () => {
        const page = await open("pack=digits&class=4"), before = fragment(page);
        const length = () => page.evaluate(() => history.length), start = await length();
        await page.locator("#stage").click({ position: { x: 200, y: 150 } });
        await page.locator("#film label").nth(3).click();
        await page.locator("#tiles label").nth(2).click();
        assertEquals(await length(), start);
        assert(hash(page).has("pixel") && hash(page).has("frame") && hash(page).has("tile"));
        const closer = fragment(page);
        assertNotEquals(closer, before);
        const cells = page.locator("#grid [role=gridcell]");
        for (const cell of [1, 5, 9, 13]) {
          await cells.nth(cell).click();
          await done(page);
        }
        assertEquals(await length(), start + 1);
        await back(page, closer);
        assertEquals(hash(page).has("drawn"), false);
        await page.close();
      });
    }),
});
