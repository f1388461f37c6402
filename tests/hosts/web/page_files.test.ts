/** What the page saves and is given: pictures, run.json, links, and files that are not what they should be. */
import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { decode } from "fast-png";
import type { Page } from "playwright-core";
import { withFolder } from "../deno/with_folder.ts";
import { openSession } from "../deno/cli.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, hash, sha256, sha256Of, TILE, withBrowser } from "./browser.ts";

const session = openSession("synth");
const problem = (page: Page) => page.locator("#problem").innerText();

Deno.test({
  name: "the page: what it saves and is given",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ address, files, open, blank }) => {
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
    }),
});
