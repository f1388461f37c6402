/** The page in a browser: by pointer and by keyboard, light and dark, on a desk and on a phone. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { Page } from "playwright-core";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { builtins } from "../../../plugins/mod.ts";
import { methodTitle } from "../../../hosts/web/views/methods.ts";
import { withFolder } from "../deno/with_folder.ts";
import { openSession, synthesized } from "../deno/cli.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, hash, sha256, sha256Of, TILE, traced, withBrowser } from "./browser.ts";

if (!CHROMIUM) {
  const reason = "Skipping the page: there is no Chromium (apt-get install chromium-headless-shell, or chromium)";
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason);
  console.log(reason);
}

const session = openSession("synth");
const cell = (y: number, x: number) => `#grid [role=row]:nth-child(${y + 1}) [role=gridcell]:nth-child(${x + 1})`;

/** Asserts that two elements lie in the window without scrolling. */
async function seenTogether(page: Page, input: string, result: string, height: number): Promise<void> {
  for (const selector of [input, result]) {
    const box = (await page.locator(selector).boundingBox())!;
    assert(box.y >= 0 && box.y + box.height <= height, `${selector} lies at ${box.y} to ${box.y + box.height}`);
  }
}

Deno.test({
  name: "the page",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ files, open }) => {
      await t.step("choose, draw, synthesize, trace, share: the link and synth give the same picture", async () => {
        const page = await open();
        await page.getByRole("radio", { name: "5", exact: true }).check({ force: true });
        await done(page);
        await page.getByRole("radio", { name: "Level 6" }).check({ force: true });
        await page.getByRole("button", { name: "Clear" }).click();
        const drawn = [[0, 1], [0, 2], [1, 1], [2, 1], [2, 2], [3, 1]];
        for (const [y, x] of drawn) await page.locator(cell(y, x)).click();
        await page.locator("#seed").fill("77");
        await page.locator("#seed").press("Enter");
        await done(page);
        const made = await sha256Of(page, TILE);

        await page.locator("#stage").click({ position: { x: 200, y: 150 } });
        assertMatch(await traced(page), /Candidates and their probabilities/);
        assert(await page.locator(".candidates label").count() > 20);
        assertEquals(await page.locator(".candidates .drawn").count(), 1);
        assert(await page.locator(".contributors li").count() > 1);

        await page.locator("#tiles label").nth(1).click();
        await traced(page);
        const link = page.url(), marks = await page.locator("#marks").innerHTML();
        const [second, other] = await Promise.all([open(new URL(link).hash.slice(1)), open("class=5&seed=77")]);
        assertEquals(await sha256Of(second, TILE), made);
        assertEquals(await sha256Of(second, "#picture"), made, "the second sample is selected");
        await traced(second);
        assertEquals(await second.locator("#marks").innerHTML(), marks);
        assertNotEquals(await sha256Of(other, TILE), made);

        // Level 6 of 9 is two thirds of the brightest value of all seed images.
        const bytes = new URLSearchParams(new URL(link).hash.slice(1)).get("drawn")!.replaceAll("-", "+").replaceAll(
          "_",
          "/",
        );
        const seed = Uint8Array.from(atob(bytes), (byte) => byte.charCodeAt(0));
        const lit = drawn.map(([y, x]) => 4 * y + x);
        assertEquals([...seed.keys()].filter((i) => seed[i] > 0), lit.toSorted((a, b) => a - b));
        await withFolder(async (folder) => {
          const [pack, from] = [join(folder, "digits.loom"), join(folder, "seed.idx3-ubyte")];
          await Deno.writeFile(pack, files.get("digits.loom")!);
          await Deno.writeFile(from, writeIdx([1, 4, 4], seed));
          const words = [
            "--profile",
            "digits-paper",
            "--data",
            pack,
            "--from",
            from,
            "--class",
            "5",
            "--seed",
            "77",
            "--count",
            "4",
          ];
          const { pixels } = await synthesized(join(folder, "out"), words, { session });
          assertEquals(await sha256(pixels.slice(1024, 2048) as Uint8Array<ArrayBuffer>), made);
        });
      });

      await t.step("objects, whose classes have names", async () => {
        const page = await open("pack=objects&class=1");
        assertEquals(await page.locator("#classes label").allInnerTexts(), [
          "bags",
          "shirts",
          "shoes",
          "trousers",
          "all",
        ]);
        assertMatch(
          await page.locator("#pack-note").innerText(),
          /by a program: 400 examples, 100 of them in the chosen class\.$/,
        );
        assertMatch(await traced(page), /Picked from \d+ examples/);
        await page.close();
      });

      await t.step("every prior and context side by side, from one seed image", async () => {
        const page = await open("pack=digits&class=4&view=priors");
        const names = (kind: string) => builtins.plugins.filter((one) => one.kind === kind).map(({ name }) => name);
        const methods = [...names("prior"), ...names("denoiser")].map(methodTitle);
        assertEquals(await page.locator("#tiles small:first-of-type").allInnerTexts(), methods);
        const slow = await page.locator(".refused").count(); // those that take long to fit wait until they are selected
        assertEquals(await page.locator(".refused", { hasText: "Slow: select it" }).count(), slow);
        assertMatch(
          await page.locator("#status").innerText(),
          new RegExp(`^\\d+ pictures .*; ${slow} slow ones start when selected$`),
        );
        const own = await sha256Of(page, "#tiles label:nth-of-type(1) canvas");
        for (let i = 2; i <= names("prior").length; i++) {
          if (await page.locator(`#tiles label:nth-of-type(${i}) canvas`).count() === 0) continue;
          assertNotEquals(await sha256Of(page, `#tiles label:nth-of-type(${i}) canvas`), own);
        }
        // A small mixture, which is fitted quickly.
        const mixture = ["components=1", "given=0", "local=false", "patches=50"].map((one) => `&set=prior.${one}`);
        await page.evaluate((more) => location.hash += more, `&prior=gmm${mixture.join("")}`);
        await page.waitForFunction(() =>
          document.querySelector<HTMLSelectElement>("#controls select")!.value === "gmm"
        );
        const slowTile = page.locator("#tiles label", { hasText: "Smooth pieces" });
        await slowTile.click();
        const borders = await page.locator("#tiles label").evaluateAll((all) => {
          return all.map((one) => getComputedStyle(one.querySelector("canvas, .refused")!).borderTopColor);
        });
        assertEquals(borders.filter((one) => one !== "rgba(0, 0, 0, 0)").length, 1);
        await done(page);
        assertEquals([await slowTile.locator("canvas").count(), await slowTile.locator(".refused").count()], [1, 0]);
        assertEquals(await sha256Of(page, "#tiles label:has(:checked) canvas"), await sha256Of(page, "#picture"));
        assertEquals(await sha256Of(page, "#tiles label:nth-of-type(1) canvas"), own, "the others stay");
        await page.locator("#tiles label").first().click();
        assertEquals(await page.locator("#synthesis[aria-busy]").count(), 0);
        assertEquals(await slowTile.locator("canvas").count(), 1, "it stays beside the others");
        await page.evaluate(() => location.hash = "pack=digits&class=4&view=priors");
        await page.waitForFunction(() => !location.hash.includes("gmm"));
        await page.getByLabel("Contexts").check({ force: true });
        await done(page);
        assertEquals(await page.locator("#tiles label").count(), 1 + names("context").length);
        const sample = await open("pack=digits&class=4");
        assertEquals(await sha256Of(sample, "#tiles label:nth-of-type(1) canvas"), own);
        assertEquals(await sha256Of(page, "#tiles label:nth-of-type(1) canvas"), own);
      });

      await t.step(
        "a stroke of the pointer paints all cells that it crosses, and the chosen colours are kept",
        async () => {
          const page = await open();
          await page.getByRole("radio", { name: "Level 9" }).check({ force: true });
          await page.getByRole("button", { name: "Clear" }).click();
          const at = async (y: number, x: number) => {
            const box = (await page.locator(cell(y, x)).boundingBox())!;
            return [box.x + box.width / 2, box.y + box.height / 2] as const;
          };
          await page.mouse.move(...await at(1, 0));
          await page.mouse.down();
          await page.mouse.move(...await at(1, 3), { steps: 12 });
          await page.mouse.move(...await at(3, 3), { steps: 12 });
          await page.mouse.up();
          await done(page);
          const labels = await page.locator("#grid [role=gridcell]").evaluateAll((cells) => {
            return cells.map((cell) => cell.getAttribute("aria-label")!.endsWith("level 9.0") ? 1 : 0);
          });
          assertEquals(labels, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1]);

          const theme = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
          const light = await theme();
          await page.locator("#theme").click();
          const dark = await theme();
          assertNotEquals(dark, light);
          await page.reload();
          await done(page);
          assertEquals(await theme(), dark);
        },
      );

      await t.step("by keyboard alone", async () => {
        const page = await open(),
          focus = () =>
            page.evaluate(() => {
              const { id, name, type, tagName } = document.activeElement as HTMLInputElement;
              const role = document.activeElement!.getAttribute("role");
              return type === "radio" ? name : role === "gridcell" ? "grid" : id || tagName;
            });
        const seen: string[] = [], press = (key: string) => page.keyboard.press(key);
        await traced(page);
        for (let i = 0; i < 60 && seen.at(-1) !== "BODY"; i++) {
          await press("Tab");
          const at = await focus();
          if (seen.includes(at) && at !== "SUMMARY" && at !== "BUTTON") break; // buttons of examples have no id
          seen.push(at);
        }
        const order = [
          "pack",
          "class",
          "source",
          "grid",
          "brush",
          "another",
          "file",
          "view",
          "seed",
          "new-seed",
          "tile",
          "stage",
          "play",
          "frame",
        ];
        assertEquals(seen.filter((name) => order.includes(name)), order, String(seen));
        assertStringIncludes(String(seen), "png,png-what,png-size,run,share,candidate,settings-title");

        const to = async (name: string) => {
          for (let i = 0; i < 60 && await focus() !== name; i++) await press("Tab");
          assertEquals(await focus(), name);
        };
        await to("class");
        await press("ArrowRight");
        await done(page);
        assertEquals(hash(page).get("class"), "4");
        assertEquals(await focus(), "class", "the focus stays where it was");
        await to("grid");
        for (const key of ["ArrowDown", "ArrowRight", "9", "ArrowRight", "+", "+", "-"]) await press(key);
        await done(page);
        const label = (y: number, x: number) => page.locator(cell(y, x)).getAttribute("aria-label");
        assertEquals(await label(1, 1), "Row 2, column 2: level 9.0");
        assertMatch((await label(1, 2))!, /^Row 2, column 3: level \d\.0$/);
        assert(hash(page).has("drawn"));
        await to("stage");
        await press("ArrowLeft");
        await press("ArrowUp");
        await traced(page, "row 16, column 16");
        await to("frame");
        await press("ArrowLeft");
        assertEquals(hash(page).get("frame"), "0.3");
        await traced(page);
        await to("candidate");
        await press("ArrowRight");
        assertEquals(await focus(), "candidate");
      });

      await t.step("the film runs to the last iteration, and settings lead to another picture and back", async () => {
        const page = await open("pack=digits&class=7", { motion: true });
        await page.waitForFunction(() => {
          const frames = [...document.querySelectorAll<HTMLInputElement>("#film input")];
          return frames.length === 14 && frames.at(-1)!.checked;
        });
        const before = await sha256Of(page, TILE);
        await page.locator("#settings summary").first().click();
        await page.locator("#prior-neighbours").fill("3");
        await page.locator("#prior-neighbours").press("Enter");
        await done(page);
        assertEquals(hash(page).getAll("set"), ["prior.neighbours=3"]);
        const fewer = await page.waitForFunction(() => document.querySelectorAll(".candidates label").length <= 3);
        assert(fewer);
        await page.getByRole("checkbox", { name: "mirror" }).check();
        await done(page);
        assertEquals(hash(page).getAll("context"), ["square", "mirror"]);
        await page.getByRole("button", { name: "Reset to the profile" }).click();
        await done(page);
        await page.waitForFunction(() =>
          [...document.querySelectorAll<HTMLInputElement>("#film input")].at(-1)!.checked
        );
        assertEquals(await sha256Of(page, TILE), before);
      });

      await t.step("a drawing and its picture are seen together, on a desk and on phones", async () => {
        for (const [width, height, result] of [[1280, 800, "#picture"], [800, 800, "#picture"]] as const) {
          await seenTogether(await open("", { width, height }), "#grid", result, height);
        }
        for (const [width, height] of [[400, 740], [320, 640]] as const) {
          const page = await open("", { width, height });
          await seenTogether(page, "#grid", "#drawing .preview", height);
          const pixels = () => {
            return page.locator("#drawing .preview").evaluate((one) => (one as HTMLCanvasElement).toDataURL());
          };
          const before = await pixels();
          await page.getByRole("button", { name: "Clear" }).click();
          for (const [y, x] of [[0, 1], [1, 1], [2, 1], [3, 1]]) await page.locator(cell(y, x)).click();
          await done(page);
          assertNotEquals(await pixels(), before, "drawing shows its result");
          await page.close();
          await seenTogether(
            await open("pack=digits&class=3&from=noise", { width, height }),
            "#noisy",
            "#noise .preview",
            height,
          );
        }
      });

      await t.step("on phones the picture stays in sight while one goes through the page", async () => {
        for (const [width, height] of [[400, 740], [320, 640]] as const) {
          const page = await open("", { width, height }), dock = page.locator("#dock");
          await traced(page);
          const seen = () => dock.evaluate((one) => one.classList.contains("away"));
          assertEquals([await seen(), await dock.isVisible()], [false, false], "the picture itself is in sight");
          await page.locator("#settings").scrollIntoViewIfNeeded();
          await page.waitForSelector("#dock.away");
          const box = (await dock.boundingBox())!;
          assert(box.x > 0 && box.x + box.width <= width && box.y > 0 && box.y + box.height <= height);
          assertEquals(await sha256Of(page, "#dock canvas"), await sha256Of(page, "#picture"));
          await page.locator("footer a").last().scrollIntoViewIfNeeded();
          const link = (await page.locator("footer a").last().boundingBox())!;
          assert(link.y + link.height <= (await dock.boundingBox())!.y, "it covers no link at the page's end");
          await dock.click();
          await page.waitForSelector("#dock:not(.away)", { state: "attached" });
          await page.close();
        }
        const desk = await open("", { width: 1280, height: 300 });
        await desk.locator("footer").scrollIntoViewIfNeeded();
        await desk.waitForSelector("#dock.away", { state: "attached" });
        assertEquals(await desk.locator("#dock").isVisible(), false);
        await desk.close();
      });

      await t.step("a picture from noise or from squares by one click, and surprises", async () => {
        const page = await open(), tries = page.locator("#tries button");
        const titles = await tries.allInnerTexts();
        assert(titles.length >= 6 && titles.at(-1) === "Surprise me");
        for (const title of ["A face from noise", "A digit from 16 squares", "Surprise me"]) {
          const before = hash(page).toString();
          await page.getByRole("button", { name: title }).click();
          await page.waitForFunction((before) => location.hash.slice(1) !== before, before);
          await done(page);
          assertEquals(await page.locator("#problem").isVisible(), false, title);
        }
        await page.close();
      });

      await t.step("while the next picture is made, the patches of the picture before go", async () => {
        const page = await open("pack=digits&class=4");
        await traced(page);
        await page.evaluate(() => location.hash = "pack=faces&from=1&view=priors");
        await page.waitForFunction(
          () => document.getElementById("trace")!.textContent!.includes("is being made"),
          null,
          {
            timeout: 8000,
          },
        );
        await page.getByRole("button", { name: "Stop" }).click();
        await page.close();
      });
    }),
});
