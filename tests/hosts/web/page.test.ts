/** The page in a browser: by pointer, by keyboard, by links, and with damaged files. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import axe from "axe-core";
import { decode } from "fast-png";
import type { Page } from "playwright-core";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { builtins } from "../../../plugins/mod.ts";
import { withFolder } from "../deno/with_folder.ts";
import { openSession, synthesized } from "../deno/cli.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, sha256, sha256Of, traced, withBrowser } from "./browser.ts";

if (!CHROMIUM) {
  const reason = "Skipping the page: there is no Chromium (apt-get install chromium-headless-shell, or chromium)";
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason);
  console.log(reason);
}

const session = openSession("synth");
const TILE = "#tiles label:nth-of-type(2) canvas";
const cell = (y: number, x: number) => `#grid [role=row]:nth-child(${y + 1}) [role=gridcell]:nth-child(${x + 1})`;
const problem = (page: Page) => page.locator("#problem").innerText();
const hash = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));

Deno.test({
  name: "the page",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ address, files, open, blank }) => {
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
        assertMatch(await page.locator("#pack-note").innerText(), /100 of this class/);
        assertMatch(await traced(page), /Drawn from \d+ training images/);
        await page.close();
      });

      await t.step("the saved files are the picture and what made it", async () => {
        const page = await open("pack=digits&class=2&seed=9&set=prior.neighbours%3D20&tile=1");
        const save = async (button: string) => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: button }).click(),
          ]);
          return { name: download.suggestedFilename(), bytes: await Deno.readFile(await download.path()) };
        };
        const picture = await save("Save PNG"), { width, height, data } = decode(picture.bytes);
        assertEquals([picture.name, width, height], ["patchloom-digits-paper-2-seed9-2.png", 32, 32]);
        const grey = Uint8Array.from({ length: 1024 }, (_, p) => data[p * data.length / 1024]);
        assertEquals(await sha256(grey), await sha256Of(page, TILE));
        const saved = (await save("Save run.json")).bytes, run = JSON.parse(new TextDecoder().decode(saved));
        assertEquals([run.seed, run.prior.name, run.prior.neighbours, run.images.length], [
          9,
          "local-nn",
          20,
          4,
        ]);
        assertEquals(run.images.map((image: { class: number }) => image.class), [2, 2, 2, 2]);
        assertEquals(run.link, page.url());
        assertMatch(run.kernels.sha256, /^[0-9a-f]{64}$/);
        // The command line makes the same images from it.
        await withFolder(async (folder) => {
          const file = join(folder, "page.json"), out = join(folder, "again");
          await Deno.writeFile(file, saved);
          const { code, stderr } = await session.run(["synth", "--run", file, "--out", out]);
          assertEquals([code, stderr], [0, `4 images of the page made again: ${out}/images\n`]);
          assertEquals(decode(await Deno.readFile(join(out, "images/0001.png"))).data, data);
          // And from its address.
          const linked = join(folder, "linked"),
            ran = await session.run(["synth", "--run", page.url(), "--out", linked]);
          const picture = `${linked}/images/0001.png`, sentence = `The picture of the address made again: ${picture}`;
          assertEquals([ran.code, ran.stderr], [0, `${sentence}, one of 4\n`]);
          assertEquals(decode(await Deno.readFile(picture)).data, data);
          const other = await session.run(["synth", "--run", file, "--data", file, "--out", out]);
          assertEquals([other.code, /is not a pack/.test(other.stderr)], [1, true], other.stderr);
        });
      });

      await t.step("every prior and context side by side, from one seed image", async () => {
        const page = await open("pack=digits&class=4&view=priors");
        const names = (kind: string) => builtins.plugins.filter((one) => one.kind === kind).map(({ name }) => name);
        assertEquals(await page.locator("#tiles small").allInnerTexts(), names("prior"));
        const slow = await page.locator(".refused").count(); // those that take long to fit wait until they are selected
        assertEquals(await page.locator(".refused", { hasText: "Slow to fit" }).count(), slow);
        const own = await sha256Of(page, "#tiles label:nth-of-type(1) canvas");
        for (let i = 2; i <= names("prior").length; i++) {
          if (await page.locator(`#tiles label:nth-of-type(${i}) canvas`).count() === 0) continue;
          assertNotEquals(await sha256Of(page, `#tiles label:nth-of-type(${i}) canvas`), own);
        }
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
          if (seen.includes(at) && at !== "SUMMARY") break;
          seen.push(at);
        }
        const order = [
          "pack",
          "file",
          "class",
          "grid",
          "brush",
          "another",
          "view",
          "seed",
          "new-seed",
          "tile",
          "stage",
          "play",
          "frame",
        ];
        assertEquals(seen.filter((name) => order.includes(name)), order, String(seen));
        assertStringIncludes(String(seen), "png,run,share,candidate,SUMMARY");

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

      await t.step("each part of a link that cannot be used is named, and the rest is kept", async () => {
        const page = await open("pack=digits&class=99&seed=-1&drawn=AAAA&set=prior.nieghbours%3D3&view=all&more=1");
        const said = await problem(page);
        for (const part of ["class 99", "seed=-1", "3 values", "nieghbours", "view=all", "more"]) {
          assertStringIncludes(said, part);
        }
        assertEquals(hash(page).get("class"), null);
        const plain = await open("pack=digits");
        assertEquals(await sha256Of(page, TILE), await sha256Of(plain, TILE));
        assertEquals(await problem(plain), "");
      });

      await t.step(
        "visitors' own packs: a damaged one is refused, a good one opens, a link waits for it",
        async () => {
          const page = await open("pack=digits&class=3"), before = await sha256Of(page, TILE);
          const good = files.get("faces.loom")!, bad = good.slice();
          bad[1_000_000] ^= 1;
          const give = (name: string, bytes: Uint8Array) =>
            page.locator("#file").setInputFiles({ name, mimeType: "", buffer: Buffer.from(bytes) });
          const drop = (bytes: Uint8Array) =>
            page.evaluate((base64) => {
              const data = new DataTransfer(), bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
              data.items.add(new File([bytes], "dropped.loom"));
              document.body.dispatchEvent(
                new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
              );
            }, bytes.toBase64());
          await drop(bad);
          await page.waitForSelector("#problem:not([hidden])");
          assertMatch(
            await problem(page),
            /^The file is damaged: expected the checksum [0-9a-f]{8}, got [0-9a-f]{8}\.$/,
          );
          assertEquals(await sha256Of(page, TILE), before);
          await give("cut.loom", good.subarray(0, 5000));
          await page.waitForFunction(() => /cut off/.test(document.getElementById("problem")!.textContent!));
          await give("text.loom", new TextEncoder().encode("hello"));
          await page.waitForFunction(() => /not a pack/.test(document.getElementById("problem")!.textContent!));
          await page.getByRole("button", { name: "Random" }).click();
          await done(page);
          const random = await sha256Of(page, TILE);
          assertNotEquals(random, before, "the pack before still works");
          await page.evaluate((base64) => {
            const data = new DataTransfer();
            data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], "text.loom"));
            document.getElementById("new-seed")!.click();
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
          }, btoa("hello"));
          await page.waitForFunction(() => /not a pack/.test(document.getElementById("problem")!.textContent!));
          await done(page);
          const finished = await sha256Of(page, TILE);
          assertNotEquals(finished, random, "the synthesis that was under way is finished");
          await give("text.loom", new TextEncoder().encode("hello again"));
          await done(page);
          assertEquals(await sha256Of(page, TILE), finished, "the finished pictures stay");

          await give("mine.loom", good);
          await page.waitForFunction(() => (document.querySelector("#picture") as HTMLCanvasElement).width === 128);
          await page.locator("#seed").fill("5");
          await page.locator("#seed").press("Enter");
          await done(page);
          assertEquals(await problem(page), "");
          assertMatch(hash(page).get("pack")!, /^[0-9a-f]{8}-\d+$/);
          const made = await sha256Of(page, TILE), link = new URL(page.url()).hash.slice(1);
          const later = await open(link);
          assertStringIncludes(await problem(later), "needs a pack of your own");
          await later.locator("#file").setInputFiles({ name: "mine.loom", mimeType: "", buffer: Buffer.from(good) });
          await later.waitForFunction(() => (document.querySelector("#picture") as HTMLCanvasElement).width === 128);
          await done(later);
          assertEquals(await sha256Of(later, TILE), made);
        },
      );

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

      await t.step("a worker or a pack that cannot be loaded is reported in one sentence", async () => {
        for (
          const [file, sentence] of [["worker.js", /^The page's worker failed: .*\.$/], [
            "digits.loom",
            /^Cannot load digits\.loom: .* 404\.$/,
          ]] as const
        ) {
          const page = await blank();
          page.removeAllListeners("console"); // the browser itself reports what it could not load
          await page.route(`**/${file}`, (route) => route.fulfill({ status: 404, body: "" }));
          await page.goto(address);
          await page.waitForSelector("#problem:not([hidden])");
          assertMatch(await problem(page), sentence);
        }
      });

      for (const [width, dark] of [[375, true], [1280, false]] as const) {
        const title = `accessible at ${width} pixels, ${dark ? "dark" : "light"}, and nothing overflows`;
        await t.step(title, async () => {
          const page = await open("", { width, dark });
          await traced(page);
          await page.evaluate(() => document.querySelectorAll("details").forEach((one) => one.open = true));
          assertEquals(await page.evaluate(() => document.documentElement.scrollWidth), width);
          await page.evaluate((axe as unknown as { source: string }).source);
          const { violations } = await page.evaluate("axe.run(document)") as {
            violations: { id: string; nodes: { html: string }[] }[];
          };
          assertEquals(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
        });
      }
    }),
});
