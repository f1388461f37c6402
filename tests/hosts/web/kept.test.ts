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

Deno.test("keptPacks: the newest four, with their bytes; none where the browser keeps nothing", async () => {
  const kept = keptPacks(memoryCaches());
  const pack = (n: number) => {
    return {
      fingerprint: `${n}-8`,
      title: `${n} B\u00e4ume \u{1f333}`,
      time: 1e12 + n,
      bytes: Uint8Array.of(n, 200),
      made: n % 2 === 0,
    };
  };
  assertEquals(await kept.list(), []);
  for (const n of [1, 2, 3, 4, 1, 5]) assertEquals(await kept.keep(pack(n)), true);
  const found = await Promise.all([1, 2, 3, 4, 5].map((n) => kept.find(`${n}-8`)));
  assertEquals(found, [pack(1), undefined, pack(3), pack(4), pack(5)]);
  const entries = [5, 1, 4, 3].map((n) => ({ ...pack(n), bytes: undefined }));
  assertEquals(await kept.list(), entries.map(({ bytes: _, ...entry }) => entry), "the newest first");
  await kept.remove("4-8");
  assertEquals((await kept.list()).map(({ fingerprint }) => fingerprint), ["5-8", "1-8", "3-8"]);
  await kept.forget();
  assertEquals([await kept.list(), await kept.find("1-8")], [[], undefined]);

  const broken = { open: () => Promise.reject(new Error("denied")), delete: () => Promise.reject(new Error("denied")) };
  for (const storage of [undefined, broken as unknown as CacheStorage]) {
    const none = keptPacks(storage);
    assertEquals([await none.keep(pack(1)), await none.find("1-8"), await none.list()], [false, undefined, []]);
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
    withBrowser(async ({ open, address }) => {
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
        for (const [i, title] of ["6 pictures", "8 pictures"].entries()) {
          const text = (await titles())[i];
          assert(text.startsWith(title) && text.includes(year), text);
        }
        await page.locator("#own-packs").getByRole("radio", { name: "8 pictures" }).check({ force: true });
        await opened(8);
        assertEquals(new URLSearchParams(link()).get("pack"), new URLSearchParams(first).get("pack"));
        await page.getByRole("button", { name: "Remove 6 pictures" }).click();
        await page.getByRole("button", { name: "Remove", exact: true }).click();
        await page.waitForFunction(() => document.querySelectorAll("#own-packs label").length === 1);
        assertMatch((await titles())[0], /^8 pictures/);
        const tops = await page.locator("#packs label").evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect().top)
        );
        assertEquals([tops.length, new Set(tops).size], [4, 1], "the packs stand in one line");
      });

      await t.step("one button forgets them, after a question", async () => {
        const own = link();
        await page.locator("#forget").click();
        assertMatch(await page.locator("#ask").innerText(), /^Forget 1 pack of your own\?/);
        await page.keyboard.press("Enter"); // the focus is on Cancel
        await page.waitForSelector("#ask:not([open])", { state: "attached" });
        assertEquals([link(), await page.locator("#own-packs label").count()], [own, 1]);
        await page.locator("#forget").click();
        await page.getByRole("button", { name: "Forget 1 pack" }).click();
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
