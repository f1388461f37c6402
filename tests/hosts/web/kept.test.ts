/** A visitor's own pictures after the page was loaded again, and what a link to them says. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { keptPacks } from "../../../hosts/web/state/kept_packs.ts";
import { CHROMIUM } from "../../programs.ts";
import { done, sha256Of, TILE, withBrowser } from "./browser.ts";
import { drawings } from "./drawings.ts";

/** One cache in memory: as much of the browser's as is used. */
function memoryCaches(): CacheStorage {
  let entries = new Map<string, Response>();
  const cache = {
    put: async (key: string, response: Response) => void entries.set(key, await Promise.resolve(response)),
    match: (key: string) => Promise.resolve(entries.get(key)?.clone()),
    delete: (key: string) => Promise.resolve(entries.delete(key)),
    keys: () => Promise.resolve([...entries.keys()]),
  };
  const storage = {
    open: () => Promise.resolve(cache),
    delete: () => Promise.resolve(Boolean(entries = new Map())),
  };
  return storage as unknown as CacheStorage;
}

Deno.test("keptPacks: the newest eight, with their bytes; none where the browser keeps nothing", async () => {
  const kept = keptPacks(memoryCaches());
  const pack = (n: number, length = 8) => {
    return {
      fingerprint: `${n}-${length}`,
      title: `${n} B\u00e4ume \u{1f333}`,
      time: 1e12 + n,
      bytes: Uint8Array.of(n, 200),
      made: n % 2 === 0,
    };
  };
  const entryOf = (n: number, length = 8) => {
    const { bytes: _, ...entry } = pack(n, length);
    return entry;
  };
  assertEquals(await kept.list(), []);
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 1]) assertEquals(await kept.keep(pack(n)), []);
  assertEquals(await kept.keep(pack(9)), [entryOf(2)], "the one that was opened longest ago makes room, and is named");
  assertEquals([await kept.find("1-8"), await kept.find("2-8")], [pack(1), undefined]);
  assertEquals(await kept.list(), [9, 1, 8, 7, 6, 5, 4, 3].map((n) => entryOf(n)), "the newest first");
  await kept.remove("4-8");
  assertEquals((await kept.list()).map(({ fingerprint }) => fingerprint[0]).join(""), "9187653");
  assertEquals(await kept.keep(pack(1, 99e6)), [], "large packs have room for small ones");
  assertEquals((await kept.keep(pack(2, 60e6))).length, 8, "two of them have not");
  assertEquals(await kept.list(), [entryOf(2, 60e6)]);
  await kept.forget();
  assertEquals([await kept.list(), await kept.find("1-8")], [[], undefined]);

  const broken = { open: () => Promise.reject(new Error("denied")), delete: () => Promise.reject(new Error("denied")) };
  for (const storage of [undefined, broken as unknown as CacheStorage]) {
    const none = keptPacks(storage);
    assertEquals([await none.keep(pack(1)), await none.find("1-8"), await none.list()], [[], undefined, []]);
    await none.remove("1-8");
    await none.forget();
  }
});

Deno.test({
  name: "the page: keeps a visitor's own pictures",
  ignore: !CHROMIUM,
  // Playwright keeps its pipes to the browser until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withBrowser(async ({ open, blank, address }) => {
      const page = await open(), link = () => new URL(page.url()).hash.slice(1);
      const status = (text: string) => {
        return page.waitForFunction((text) => document.getElementById("status")!.textContent!.includes(text), text);
      };
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });

      await t.step("they are there after a reload, and Back finds them", async () => {
        await page.locator("#own-pictures").setInputFiles(drawings(4, 2).map(({ kind: _, ...file }) => file));
        await page.waitForFunction(() =>
          /pictures of your own/.test(document.getElementById("pack-note")!.textContent!)
        );
        await done(page);
        await page.waitForFunction(() =>
          document.getElementById("kept-note")!.textContent!.includes("keeps your last")
        );
        assertEquals(await page.locator("#removed-packs").isVisible(), false);
        const made = await sha256Of(page, TILE), own = link();
        await page.reload();
        await done(page);
        assertEquals([link(), await sha256Of(page, TILE)], [own, made]);
        await page.getByRole("button", { name: "Shirts" }).click();
        await page.waitForFunction(() => location.hash.includes("objects"));
        await done(page);
        await page.goBack();
        await page.waitForFunction((own) => location.hash.slice(1) === own, own);
        await page.waitForFunction(() =>
          /pictures of your own/.test(document.getElementById("pack-note")!.textContent!)
        );
        await done(page);
        assertEquals(await sha256Of(page, TILE), made);
      });

      await t.step("the copied link says what it does not hold", async () => {
        const own = link();
        await page.locator("#share").click();
        await status("not your pictures");
        const early = await blank();
        await early.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
        await early.route("**/digits.loom", () => {}); // it is still on its way
        await early.goto(address);
        await early.locator("#share").click();
        const said = "Copied the link: it opens this page with the same choices.";
        await early.waitForFunction((said) => document.getElementById("status")!.textContent === said, said);
        await early.close();
        const other = await open(own);
        assertMatch(await other.locator("#problem").innerText(), /needs a pack of your own/);
        assertEquals(new URL(other.url()).hash.slice(1), own, "the link is still there");
        await other.locator("#stage").click({ position: { x: 90, y: 90 } });
        assertEquals(new URL(other.url()).hash.slice(1), own);
        await other.close();
      });

      await t.step("a page without choices lists them: each is opened again, and removed", async () => {
        const first = link(), titles = () => page.locator("#own-packs label").allInnerTexts();
        const opened = (count: number) => {
          return page.waitForFunction(
            (start) => document.getElementById("pack-note")!.textContent!.startsWith(start),
            `${count} pictures of your own`,
          ).then(() => done(page));
        };
        await page.locator("#own-pictures").setInputFiles(drawings(3, 2).map(({ kind: _, ...file }) => file));
        await opened(6);
        await page.waitForFunction(() => document.querySelectorAll("#own-packs label").length === 2);
        await page.goto("about:blank");
        await page.goto(address);
        await done(page);
        assertMatch(await page.locator("#pack-note").innerText(), /^Digits/);
        assertEquals(await page.locator("#own-packs").isVisible(), false);
        await page.getByRole("radio", { name: "Yours" }).check({ force: true });
        await opened(6);
        const year = String(new Date().getFullYear());
        for (const [i, title] of ["0.png and 5 others", "0.png and 7 others"].entries()) {
          const text = (await titles())[i];
          assert(text.startsWith(title) && text.includes(year), text);
        }
        await page.locator("#own-packs").getByRole("radio", { name: "0.png and 7 others" }).check({ force: true });
        await opened(8);
        assertEquals(new URLSearchParams(link()).get("pack"), new URLSearchParams(first).get("pack"));
        await page.getByRole("button", { name: "Remove 0.png and 5 others" }).click();
        await page.getByRole("button", { name: "Remove", exact: true }).click();
        await page.waitForFunction(() => document.querySelectorAll("#own-packs label").length === 1);
        assertMatch((await titles())[0], /^0\.png and 7 others/);
        const tops = await page.locator("#packs label").evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect().top)
        );
        assertEquals([tops.length, new Set(tops).size], [4, 1], "the packs stand in one line");
      });

      await t.step("a ninth one takes the place of the oldest one, which is said", async () => {
        await page.evaluate(async () => {
          const cache = await caches.open("own-packs");
          for (let n = 1; n <= 7; n++) {
            const entry = { fingerprint: `${n}-8`, title: `old ${n}`, time: n, made: true };
            const headers = { "x-entry": encodeURIComponent(JSON.stringify(entry)) };
            await cache.put(`own/${n}-8.loom`, new Response("", { headers }));
          }
        });
        await page.locator("#own-pictures").setInputFiles(drawings(5, 1).map(({ kind: _, ...file }) => file));
        await page.waitForSelector("#removed-packs:not([hidden])");
        assertMatch(
          await page.locator("#removed-packs").innerText(),
          /^Removed to make room for this one: 0\.png and 7 others\. This browser keeps your last 8 packs/,
        );
        await done(page);
        assertEquals(await page.locator("#own-packs label").count(), 8);
        assertEquals(await page.locator("#own-packs legend").innerText(), "Your packs: 8");
      });

      await t.step("one button forgets them, after a question", async () => {
        const own = link();
        await page.locator("#forget").click();
        assertMatch(await page.locator("#ask").innerText(), /^Forget 8 packs of your own\?/);
        await page.keyboard.press("Enter"); // the focus is on Cancel
        await page.waitForSelector("#ask:not([open])", { state: "attached" });
        assertEquals([link(), await page.locator("#own-packs label").count()], [own, 8]);
        await page.locator("#forget").click();
        await page.getByRole("button", { name: "Forget 8 packs" }).click();
        await page.waitForFunction(() => location.hash.includes("digits"));
        await done(page);
        assertEquals(await page.getByRole("radio", { name: "Yours" }).count(), 0);
        assertEquals(await page.locator("#kept").isVisible(), false);
        await page.goto(`${address}#${own}`);
        await page.reload();
        await done(page);
        assertMatch(await page.locator("#problem").innerText(), /needs a pack of your own/);
        await page.getByRole("button", { name: "Shirts" }).click();
        await page.waitForFunction(() => location.hash.includes("objects"));
        await done(page);
        await page.locator("#share").click();
        await status("same choices");
        assert(!(await page.locator("#status").innerText()).includes("not your pictures"));
      });
    }),
});
