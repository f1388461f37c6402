/** Pictures from noise on the page: every noise level, windows and weights, the bytes of `synth`, and how long a digit takes. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { decode } from "fast-png";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../../programs.ts";
import { cli, openSession } from "../deno/cli.ts";
import { withFolder } from "../deno/with_folder.ts";
import { done, hash, sha256, sha256Of, TILE, withBrowser } from "./browser.ts";

const FIRST = "#tiles label:nth-of-type(1) canvas";
const session = openSession("synth");

/** Waits for the weights of a pixel, and returns the text about them. */
async function weights(page: Page, text: string): Promise<string> {
  await page.waitForFunction((text) => document.getElementById("trace")!.textContent!.includes(text), text);
  return await page.locator("#trace").innerText();
}

/** The window that is marked: its side and its place in pixels of the picture. */
async function marked(page: Page, marks: string): Promise<number[]> {
  return await page.locator(`${marks} .patch`).evaluate((one) => {
    return ["y", "x", "height", "width"].map((name) => Number(one.getAttribute(name)));
  });
}

Deno.test({
  name: "the page: pictures from noise",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open }) => {
      await t.step("one click: a digit from noise, whose address gives the same bytes by synth", async () => {
        const page = await open();
        const drawn = await sha256Of(page, TILE);
        await page.getByRole("button", { name: "A digit from noise" }).click();
        await page.waitForFunction(() => document.querySelectorAll("#film input").length === 20);
        await done(page);
        assertEquals([hash(page).get("from"), hash(page).get("class")], ["noise", "3"]);
        const made = await sha256Of(page, TILE);
        assert(made !== drawn);
        assertEquals(await page.locator("#problem").isVisible(), false);
        assertEquals(await page.locator("#grid").isVisible(), false);
        await page.locator("#tiles label").nth(1).click();
        await page.waitForFunction(() => location.hash.includes("tile=1"));
        await withFolder(async (folder) => {
          const out = join(folder, "out"), words = ["synth", "--run", page.url(), "--out", out];
          const ran = await cli(words, { session });
          assertEquals(ran.code, 0, ran.stderr);
          const { data } = decode(await Deno.readFile(join(out, "images", "0001.png")));
          assertEquals(await sha256(new Uint8Array(data)), made);

          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Save run.json" }).click(),
          ]);
          const record = join(folder, "run.json"), again = join(folder, "again");
          await download.saveAs(record);
          const repeated = await cli(["synth", "--run", record, "--out", again], { session });
          assertEquals(repeated.code, 0, repeated.stderr);
          const { data: second } = decode(await Deno.readFile(join(again, "images", "0001.png")));
          assertEquals(await sha256(new Uint8Array(second)), made);
        });
        await page.close();
      });

      await t.step("every noise level by the slider, with the window and the weights of a pixel", async () => {
        const page = await open("pack=digits&class=3&from=noise");
        const estimates = new Set<string>(), noisy = new Set<string>();
        for (const step of [0, 6, 12, 19]) {
          await page.locator("#noise-level").fill(String(step));
          await page.waitForFunction((name) => {
            return document.getElementById("noise-note")!.textContent!.startsWith(name);
          }, `Step ${step + 1} of 20`);
          estimates.add(await sha256Of(page, "#picture"));
          noisy.add(await sha256Of(page, "#noisy"));
          const [y, x, height, width] = await marked(page, "#marks");
          assertEquals(await marked(page, "#noisy-marks"), [y, x, height, width], "the same window in both pictures");
          const side = Number(/the (\d+)\u00d7/.exec(await page.locator("#noise-note").innerText())![1]);
          assert(height === Math.min(side, height) && height % 2 === 1 || side > 31, `${side} and ${height}`);
        }
        assertEquals([estimates.size, noisy.size], [4, 4]);
        assertEquals(hash(page).get("frame"), "0.20");
        for (
          const [step, what, size, suffix, canvas, factor] of [
            [6, "shown", "slide", "-step7-32x", "#picture", 32],
            [6, "noise", "own", "-noise7", "#noisy", 1],
            [19, "shown", "own", "", "#picture", 1],
          ] as const
        ) {
          await page.locator("#noise-level").fill(String(step));
          await page.locator("#png-what").selectOption(what);
          await page.locator("#png-size").selectOption(size);
          const label = await page.locator("#png-what option").first().innerText();
          assertEquals(label, step === 6 ? /Step 7 of 20, .* noise/.exec(label)?.[0] : "Finished picture");
          const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#png").click()]);
          assertEquals(download.suggestedFilename(), `patchloom-digits-paper-3-seed1-1${suffix}.png`);
          const { width, data } = decode(await Deno.readFile(await download.path()));
          const own = Uint8Array.from({ length: 1024 }, (_, p) => {
            return data[factor * (Math.floor(p / 32) * width + p % 32)];
          });
          assertEquals([width, await sha256(own)], [32 * factor, await sha256Of(page, canvas)]);
        }
        await page.locator("#noise-level").fill("9");
        const box = (await page.locator("#picture").boundingBox())!;
        await page.mouse.move(box.x + box.width * (5.5 / 32), box.y + box.height * (20.5 / 32));
        const text = await weights(page, "Row 21, column 6");
        assertMatch(text, /compared with the same window of 150 examples/);
        const shares = [...text.matchAll(/(\d+(?:\.\d+)?)\s%\n/g)].map(([, share]) => Number(share));
        assert(shares.length > 1 && shares.every((share, i) => i === 0 || shares[i - 1] >= share), text);
        const [top, left, height, width] = await marked(page, "#marks");
        assertEquals([top + (height >> 1), left + width - 1 >= 5, left <= 5], [20, true, true]);
        assertEquals(await page.locator(".weights li").count() > 3, true);
        await page.mouse.move(box.x + box.width + 60, box.y - 30);
        assertEquals(hash(page).get("pixel"), null, "a pixel under the pointer is not chosen");
        await page.close();
      });

      await t.step("the settings: fewer steps, wider windows, another denoiser, and back", async () => {
        const page = await open("pack=digits&class=3&from=noise"), before = await sha256Of(page, TILE);
        await page.locator("#settings summary").first().click();
        const windows = page.getByLabel("windows", { exact: true });
        const set = async (name: string, value: string) => {
          await page.getByLabel(name, { exact: true }).last().fill(value);
          await page.getByLabel(name, { exact: true }).last().press("Enter");
          await done(page);
        };
        await set("steps", "4");
        assertEquals(hash(page).getAll("set"), ["noise.steps=4"]);
        assertEquals(await page.locator("#film input").count(), 4);
        assertEquals(await windows.inputValue(), "27,19,7,3");
        await set("windows", "63,63,63,63");
        assertEquals(hash(page).getAll("set"), ["noise.steps=4", "noise.windows=63,63,63,63"]);
        // Windows are for their steps, and those of the profile are the profile's again.
        await set("steps", "20");
        assertEquals(hash(page).getAll("set"), []);
        assertEquals(await sha256Of(page, TILE), before);
        await page.getByLabel("Denoiser", { exact: true }).selectOption("wiener");
        await done(page);
        assertEquals(hash(page).getAll("set"), ["noise.denoiser=wiener"]);
        assert(await sha256Of(page, TILE) !== before);
        await page.getByRole("button", { name: "Reset to the profile" }).click();
        await done(page);
        assertEquals([hash(page).getAll("set"), await sha256Of(page, TILE)], [[], before]);
        await page.close();
      });

      await t.step("by keyboard: the slider and the play button", async () => {
        const page = await open("pack=digits&class=3&from=noise", { motion: true });
        await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#noise-level")!.value === "19");
        await page.locator("#noise-level").focus();
        await page.keyboard.press("Home");
        await page.keyboard.press("ArrowRight");
        assertEquals(hash(page).get("frame"), "0.2");
        await page.locator("#noise-play").press("Enter");
        const level = () => page.locator("#noise-level").inputValue().then(Number), play = page.locator("#noise-play");
        const reached = (step: number) => {
          return page.waitForFunction((step) => {
            return Number(document.querySelector<HTMLInputElement>("#noise-level")!.value) >= step;
          }, step);
        };
        assertEquals(await play.innerText(), "Pause");
        await reached(4);
        await page.keyboard.press("Enter");
        const paused = await level();
        assert(paused >= 4 && paused < 19, String(paused));
        assertEquals([await play.innerText(), hash(page).get("frame")], ["Play", `0.${paused + 1}`]);
        await page.waitForFunction(() => document.getElementById("trace")!.textContent!.includes("compared with"));
        assertEquals(await level(), paused, "the film rests, and its pixel is explained");
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.getElementById("noise-play")!.textContent === "Pause");
        assert(await level() >= paused, "it goes on from there");
        await page.keyboard.press("Escape");
        assertEquals([await level(), await play.innerText(), hash(page).get("frame")], [19, "Play", null]);
        await page.close();
      });

      await t.step("a face from noise: steps, then the layers that follow", async () => {
        const page = await open("pack=faces&from=noise");
        assertEquals(await page.locator("#film fieldset").count(), 3);
        assertEquals(await page.locator("#picture").evaluate((one) => (one as HTMLCanvasElement).width), 128);
        assertEquals(await page.locator("#noisy").evaluate((one) => (one as HTMLCanvasElement).width), 32);
        // The picture at the right is the estimate of no step.
        const note = () => page.locator("#noise-note").innerText();
        assertMatch(await note(), /is the estimate\. This is the last step\. The picture .*, enlarged to 128\u00d7128/);
        // A click on the noisy picture, which has a quarter of the sides, chooses the same place of the finished one.
        const noisy = page.locator("#noisy"), { width, height } = (await noisy.boundingBox())!;
        await noisy.click({ position: { x: width * (4.5 / 32), y: height * (5.5 / 32) }, force: true });
        await page.waitForFunction(() => location.hash.endsWith("pixel=22.18"));
        await page.locator("#noise-level").fill("18");
        await page.waitForFunction(() => document.getElementById("noise-note")!.textContent!.startsWith("Step 19"));
        assertMatch(await note(), /is the estimate, at the right\. The next step/);
        await page.getByRole("radio", { name: "Drawing" }).check({ force: true });
        await done(page);
        assertEquals(hash(page).get("from"), null);
        assertEquals(await page.locator("#grid [role=gridcell]").count(), 64);
        await page.close();
      });

      await t.step("priors and denoisers side by side from one random seed, and copies are called so", async () => {
        const page = await open("pack=digits&class=3&from=4&view=priors");
        const made = await sha256Of(page, "#tiles label:nth-of-type(6) canvas");
        assertEquals(await page.locator("#tiles label:nth-of-type(6) small").first().innerText(), "Means of windows");
        const from = await open("pack=digits&class=3&from=noise");
        assertEquals(await sha256Of(from, FIRST), made);
        assertEquals(await page.locator("#tiles label:has-text('from noise')").count(), 3);
        assertEquals(await page.locator("#tiles label:has-text('from the squares')").count(), 5);
        await page.close();
        // The method of the samples is selected, and that of the other source where the source changes.
        const selected = () => from.locator("#tiles label:has(:checked) small").first().innerText();
        await from.getByRole("radio", { name: "Methods" }).check({ force: true });
        await done(from);
        assertEquals(await selected(), "Means of windows");
        assertEquals(await from.locator("#noise-pictures").isVisible(), true);
        await from.getByRole("radio", { name: "Drawing" }).check({ force: true });
        await done(from);
        assertEquals(await selected(), "Nearest pieces");
        await from.close();
        // Windows of the whole picture: the exact denoiser of the training images, which makes nothing else than these.
        const copies = await open();
        assertEquals(await copies.locator("#copy").isVisible(), false);
        await copies.getByRole("button", { name: "Windows too large: copies" }).click();
        await copies.waitForFunction(() => !document.getElementById("copy")!.hidden);
        await done(copies);
        assertEquals(await copies.locator("#copy").innerText(), "This is a copy of an example.");
        assertEquals(await copies.locator("#tiles small", { hasText: "a copy" }).count(), 4);
        assertEquals(await copies.locator("#distances").isVisible(), false, "numbers on demand");
        await copies.locator("#numbers summary").click();
        assertMatch(
          await copies.locator("#distances").innerText(),
          /distance to this example is 0\.\d\d; a copy has 0\./,
        );
        await copies.close();
      });

      await t.step("a digit from noise takes little time from the click to the picture", async () => {
        const page = await open("pack=digits&class=3&from=noise");
        const times: number[] = [];
        for (let i = 0; i < 5; i++) {
          times.push(
            await page.evaluate(() =>
              new Promise<number>((resolve) => {
                const started = performance.now(), status = document.getElementById("status")!;
                new MutationObserver((_, observer) => {
                  if (!/pictures? of/.test(status.textContent!)) return;
                  observer.disconnect();
                  resolve(performance.now() - started);
                }).observe(status, { childList: true, characterData: true, subtree: true });
                document.getElementById("new-seed")!.click();
              })
            ),
          );
        }
        times.sort((a, b) => a - b);
        console.log(`four digits from noise: ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
        // A third of a second where nothing else runs; a busy machine takes longer.
        assert(times[0] < 3000, String(times));
        await page.close();
      });
    }),
});
