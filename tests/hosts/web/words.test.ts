/** The words of the page: one for one thing, and none that only experts know outside of the settings for experts. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { inPlainWords } from "../../../hosts/web/views/methods.ts";
import { builtins } from "../../../plugins/mod.ts";
import { CHROMIUM } from "../../programs.ts";
import { traced, withBrowser } from "./browser.ts";

/** Words of the paper and of flags, second names of the examples, and comparisons that need statistics. */
const UNKNOWN =
  /training (image|patch)|example picture|contributor|iteration|\blayers?\b|\bpriors?\b|denoiser|exemplar|quilt|posterior|drawn by rule|equally (probable|likely)|weigh 0\.0/i;

/** All that the page says outside of the settings for experts: texts, names and titles. */
async function words(page: Page): Promise<string> {
  return await page.evaluate(() => {
    document.getElementById("settings")!.hidden = true;
    const named = [...document.querySelectorAll("body [aria-label], body [title]")].filter((one) => {
      return !one.closest("[hidden], #settings");
    });
    const names = named.map((one) => `${one.getAttribute("aria-label") ?? ""} ${one.getAttribute("title") ?? ""}`);
    return [document.body.innerText, ...names].join("\n");
  });
}

Deno.test("inPlainWords: where the examples come from, without the number of those that are left out", () => {
  assertEquals(
    inPlainWords("digits drawn by rule in MNIST's place: 1500 of 4000 training images"),
    "digits drawn by a program: 1500 examples",
  );
});

Deno.test("the methods explain themselves without words that the page does not use", () => {
  const methods = builtins.plugins.filter(({ kind }) => kind === "prior" || kind === "denoiser");
  for (const { name, about } of methods) {
    assert(!/training image|LR-HR|posterior/.test(inPlainWords(about)), `${name}: ${inPlainWords(about)}`);
  }
});

Deno.test({
  name: "the page: its words",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      const addresses = [
        "pack=digits&class=3&from=4&frame=0.2",
        "pack=digits&class=3&from=4&frame=0.0",
        "pack=digits&class=3&from=noise&frame=0.7",
        "pack=faces&from=1",
        "pack=objects&class=1",
      ];
      for (const address of addresses) {
        await t.step(address, async () => {
          const page = await open(address);
          await page.waitForSelector("#trace:not([aria-busy])");
          const text = await words(page);
          assertEquals(UNKNOWN.exec(text)?.[0], undefined, text);
          await page.close();
        });
      }

      await t.step("what the pieces and their choice are is said where they first appear", async () => {
        const page = await open("pack=digits&class=3&from=4&frame=0.1");
        await traced(page, "patch");
        const text = await page.locator("body").innerText();
        for (const term of ["patch", "candidates"]) {
          assert(
            text.indexOf(term) === text.indexOf(`a ${term},`) + 2 ||
              text.indexOf(term) === text.indexOf(`its ${term},`) + 4,
          );
        }
        await page.close();
      });

      await t.step("the last step names no next one, and a film of noise has one button to play it", async () => {
        const page = await open("pack=digits&class=3&from=noise&frame=0.18"), note = page.locator("#noise-note");
        assertEquals((await note.innerText()).includes("The next step"), true);
        assertEquals(await page.getByRole("button", { name: /^Play/ }).count(), 1);
        await page.locator("#noise-level").fill("19");
        await page.waitForFunction(() => document.getElementById("noise-note")!.textContent!.startsWith("Step 20"));
        assertEquals((await note.innerText()).includes("next"), false);
        await page.waitForFunction(() => document.getElementById("trace")!.textContent!.includes("at 0.6"));
        assertMatch(
          await page.locator("#trace").innerText(),
          /The other 149 examples together change almost nothing\./,
        );
        await page.close();
      });

      await t.step("windows of the whole picture say why they make copies", async () => {
        const page = await open();
        await page.getByRole("button", { name: "Windows too large: copies" }).click();
        await page.waitForFunction(() => document.getElementById("trace")!.textContent!.includes("whole examples fit"));
        const text = await words(page);
        assert(text.includes("The whole noisy picture asks all examples"));
        assert(!text.includes("63"), text);
        await page.close();
      });

      await t.step("a method that does not begin with what is shown says so", async () => {
        const page = await open("pack=digits&class=3&from=noise&view=priors&tile=0");
        await page.waitForFunction(() =>
          document.getElementById("noise-note")!.textContent!.includes("begins with squares")
        );
        assertEquals(await page.locator("#noise .pair").isVisible(), false);
        assertEquals(await page.getByRole("button", { name: "Play", exact: false }).count(), 1);
        await page.close();
      });

      await t.step("in a narrow window, too, the film begins with its first frame", async () => {
        const page = await open("pack=digits&class=3&from=noise", { width: 400 }), film = page.locator("#film");
        assertEquals(await film.evaluate((one) => [one.scrollLeft, one.scrollWidth - one.clientWidth]), [0, 0]);
        assertEquals(await film.locator("p").innerText(), "noise \u2192 32");
        await page.close();
      });

      await t.step(
        "on a desk, the examples stand below what is made of them, and the columns are about as long",
        async () => {
          const page = await open("pack=digits&class=3&from=4");
          await traced(page, "patch");
          const bottoms = await page.evaluate(() => {
            return ["seed-image", "synthesis", "pixel-sources"].map((id) => {
              return document.getElementById(id)!.getBoundingClientRect().bottom;
            });
          });
          assert(Math.max(...bottoms) < 1.3 * Math.min(...bottoms), String(bottoms));
          const { y } = (await page.locator("#examples").boundingBox())!;
          assert(y > Math.max(...bottoms), `${y} and ${bottoms}`);
          await page.close();
        },
      );
    }),
});
