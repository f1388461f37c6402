/** The panel of a pixel's sources: it speaks of the frame that is shown, or says why it does not. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { done, hash, sha256Of, traced, withBrowser } from "./browser.ts";

/** Begins to record, at each frame of the screen, what the stage and the panel say. */
async function record(page: Page): Promise<() => Promise<[stage: string, panel: string][]>> {
  await page.evaluate(() => {
    const seen: [string, string][] = (globalThis as unknown as { seen: [string, string][] }).seen = [];
    const look = () => {
      const stage = document.getElementById("stage")!.getAttribute("aria-label")!;
      seen.push([stage, document.getElementById("trace")!.textContent!]);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: [string, string][] }).seen);
}

/** The noise that a text names; undefined if it names none. */
const noiseIn = (text: string) => /([<\d.]+)\s% noise/.exec(text)?.[1];

Deno.test({
  name: "the page: where a pixel came from",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      await t.step("while a film plays, the panel never speaks of another frame than the shown one", async () => {
        const page = await open("pack=digits&class=3&from=4", { motion: true });
        await traced(page, "patch");
        const seen = await record(page);
        await page.getByRole("button", { name: "A digit from noise" }).click();
        await page.waitForFunction(() => document.querySelector(".weights"));
        await page.locator("#noise-play").click();
        await page.waitForFunction(() => !document.querySelector(".weights"));
        await page.waitForFunction(() => document.querySelector(".weights"));
        const all = await seen(), playing = all.filter(([stage]) => noiseIn(stage));
        assert(playing.length > 20);
        for (const [stage, panel] of playing) {
          assert(!/Candidates|patch(es)? cover/.test(panel), `${stage}: ${panel}`);
          if (noiseIn(panel)) assertEquals(noiseIn(panel), noiseIn(stage));
        }
        assert(all.some(([, panel]) => panel.includes("The film plays")));
        await page.close();
      });

      await t.step("another sample or pack takes the patches of the one before away", async () => {
        const page = await open("pack=digits&class=3&from=4", { motion: true });
        await traced(page, "patch");
        await page.locator("#trace").evaluate((one) => one.prepend("the first"));
        await page.locator("#tiles label").nth(2).click();
        await page.waitForFunction(() => !document.getElementById("trace")!.textContent!.includes("the first"));
        await traced(page, "patch");
        const seen = await record(page);
        await page.getByRole("button", { name: "Shirts" }).click();
        await page.waitForFunction(() => document.querySelectorAll("#film input").length > 5);
        await done(page);
        await traced(page, "patch");
        const sources = (await seen()).filter(([stage]) => stage.includes("32 pixels")).map(([, panel]) => panel);
        assert(sources.some((panel) => panel.includes("The film plays")));
        await page.close();
      });

      await t.step("each frame of the film is painted once, not again with every frame that follows", async () => {
        const page = await open("pack=digits&class=3&from=noise");
        await page.evaluate(() => {
          const { prototype } = CanvasRenderingContext2D, { putImageData } = prototype;
          const counts = (globalThis as unknown as { counts: Record<string, number> }).counts = { film: 0 };
          prototype.putImageData = function (...values: unknown[]) {
            if (this.canvas.closest("#film")) counts.film++;
            return Reflect.apply(putImageData, this, values);
          };
        });
        await page.getByRole("button", { name: "Shirts" }).click();
        await page.waitForFunction(() => location.hash.includes("objects"));
        await done(page);
        const frames = await page.locator("#film input").count();
        const painted = await page.evaluate(() => (globalThis as unknown as { counts: { film: number } }).counts.film);
        assert(frames > 10 && painted >= frames && painted <= frames + 3, `${painted} of ${frames}`);
        await page.close();
      });

      await t.step("a face from noise: its layers lead back to the noise that it came from", async () => {
        const page = await open("pack=faces&from=noise&seed=2&pixel=40.80");
        await traced(page, "patch");
        assertMatch(await page.locator("#trace").innerText(), /came from noise at 32×32/);
        const last = await sha256Of(page, "#picture");
        await page.getByRole("button", { name: "How it came from noise" }).click();
        await page.waitForSelector(".weights");
        assertEquals([hash(page).get("frame"), hash(page).get("pixel")], ["2.20", "10.20"]);
        assertMatch(await page.locator("#trace").innerText(), /Row 11, column 21/);
        assert(await sha256Of(page, "#picture") !== last);
        await page.close();
      });
    }),
});
