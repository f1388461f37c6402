/** The page in Firefox: it loads, and makes pictures with the bytes of Deno, also with several workers. */
import { assertEquals, assertMatch } from "@std/assert";
import { loadKernels } from "../../../core/kernels.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { openSynthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import puppeteer from "puppeteer-core";
import { compiled } from "../../kernels_under_test.ts";
import { installedProgram } from "../../programs.ts";
import { servePage, sha256 } from "./browser.ts";

const FIREFOX = installedProgram(["firefox", "firefox-esr"]);
if (!FIREFOX) {
  const reason = "Skipping the page in Firefox: there is no Firefox (apt-get install firefox-esr)";
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason);
  console.log(reason);
}

/** Pictures do not move: they are shown as soon as they are made. */
const STILL = { "ui.prefersReducedMotion": 1 };
/** Milliseconds to wait for pictures: longer than on a machine that runs all tests at once. */
const PATIENCE = 120_000;

Deno.test({
  name: "the page in Firefox: a picture has the bytes that Deno makes",
  ignore: !FIREFOX,
  // Puppeteer keeps timers and its socket to the browser for a moment.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using page = await servePage();
    const browser = await puppeteer.launch({
      browser: "firefox",
      executablePath: FIREFOX,
      headless: true,
      extraPrefsFirefox: STILL,
    });
    try {
      const tab = await browser.newPage(), said: string[] = [];
      tab.setDefaultTimeout(PATIENCE);
      tab.on("console", (message) => message.type() === "error" && said.push(message.text()));
      tab.on("pageerror", (error) => said.push(String(error)));
      await tab.goto(`${page.address}#pack=digits&class=5&seed=77&from=1`);
      const done = () =>
        tab.waitForFunction(() =>
          !document.querySelector("#synthesis[aria-busy]") &&
          /^\d+ pictures of/.test(document.getElementById("status")!.textContent!)
        );
      await done();
      const pixels = async (sample: number) => {
        const bytes = await tab.evaluate((sample) => {
          const canvas = document.querySelectorAll<HTMLCanvasElement>("#tiles canvas")[sample];
          const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
          return [...data].filter((_, i) => i % 4 === 0);
        }, sample);
        return await sha256(Uint8Array.from(bytes));
      };
      const pack = readPack(page.files.get("digits.loom")!);
      const synthesizer = openSynthesizer(loadKernels(compiled("kernels.wasm")), pack, builtins);
      const [second] = [...pack.seeds.labels!.keys()].filter((i) => pack.seeds.labels![i] === 5).slice(1);
      const one = pack.seeds.images.subarray(16 * second, 16 * second + 16), images = [0, 1, 2, 3];
      const seedImages = Float32Array.from(images.flatMap(() => [...one]));
      const steps = synthesizer.synthesize({ class: 5, seed: 77, images, seedImages });
      let step = steps.next();
      while (!step.done) step = steps.next();
      for (const [i, { pixels: made }] of step.value.images.entries()) {
        assertEquals(await pixels(i), await sha256(made as Uint8Array<ArrayBuffer>), `sample ${i + 1}`);
      }
      assertEquals(await tab.evaluate(() => crossOriginIsolated), true);
      // Several workers compare contexts; the first one is the profile's.
      await tab.evaluate(() => document.querySelectorAll<HTMLInputElement>("#views input")[2].click());
      await done();
      assertMatch(tab.url(), /view=contexts/);
      assertEquals(await pixels(0), await sha256(step.value.images[0].pixels as Uint8Array<ArrayBuffer>));
      assertEquals(said, []);
    } finally {
      await browser.close();
    }
  },
});
