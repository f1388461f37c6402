import { assertEquals } from "@std/assert";
import type { KeptPacks } from "../../../../hosts/web/state/kept_packs.ts";
import { INITIAL, type PageState, type TileState } from "../../../../hosts/web/state/page_state.ts";
import { Session } from "../../../../hosts/web/state/session.ts";
import { openStore } from "../../../../hosts/web/state/store.ts";
import type { Client } from "../../../../hosts/web/worker/client.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { openedPack } from "./opened_pack.ts";

/** The pack of the links, and one of another file. */
const MINE = "00000001-10", OTHER = "00000002-10";

/** A page whose address is a link. Of its samples, the third follows the squares best, all others not at all. */
async function pageOf(link: string) {
  const store = openStore<PageState>(INITIAL), bytes = [MINE, OTHER], pages = [link];
  const global = globalThis as unknown as Record<string, unknown>, before = [global.location, global.history];
  global.location = {
    get hash() {
      return `#${pages.at(-1)}`;
    },
  };
  global.history = {
    pushState: (_: null, __: string, address: string) => pages.push(address.slice(1)),
    replaceState: (_: null, __: string, address: string) => pages.splice(-1, 1, address.slice(1)),
  };
  const client = {
    open: (from) => {
      return Promise.resolve({
        pack: { ...openedPack(), fingerprint: typeof from === "string" ? "" : bytes[from[0]] },
      });
    },
  } as Partial<Client> as Client;
  const kept = {
    find: () => Promise.resolve(undefined),
    keep: () => Promise.resolve([]),
    list: () => Promise.resolve([]),
  } as Partial<KeptPacks> as KeptPacks;
  const session = new Session(store, client, {
    plugins: builtins,
    kept,
    inspect: () => {},
    synthesize(current, tiles) {
      const { images, shape } = current.pack.seeds, area = shape.height * shape.width;
      const { choices: { seedImage } } = current, first = typeof seedImage === "number" ? seedImage * area : 0;
      const squares = Uint8Array.from(images.slice(first, first + area), (value) => Math.round(255 * value));
      const made = tiles.map((tile, i) => {
        const pixels = i === 2 ? squares : squares.map((byte) => 255 - byte);
        return { ...tile, frames: [{ layer: 0, iteration: 0, shape, pixels }], result: {} } as unknown as TileState;
      });
      store.change({ tiles: made, requests: current.requests });
    },
  });
  await session.openAddress();
  return {
    pages,
    session,
    store,
    sample: () => store.state.current!.choices.tile,
    openFile: (number: number) => session.openFile(new File([Uint8Array.of(number)], "mine.loom")),
    [Symbol.dispose]: () => [global.location, global.history] = before,
  };
}

Deno.test("openFile: the pack that a link waits for shows the sample of the link, not the one that follows best", async () => {
  for (const [link, sample] of [[`pack=${MINE}&tile=3`, 3], [`pack=${MINE}&seed=7`, 0]] as const) {
    using page = await pageOf(link);
    await page.openFile(0);
    page.session.showFollowing();
    assertEquals([page.store.state.current!.choices.pack, page.sample()], [MINE, sample]);
    assertEquals(page.pages, [link], "the address stays the link, and is no new step of the history");
    page.session.change({ seed: 8 });
    page.session.showFollowing();
    assertEquals(page.sample(), 2, "of other pictures, the one that follows best is shown");
  }
});

Deno.test("openFile: a link is waited for no longer when other pictures were asked for", async () => {
  using page = await pageOf(`pack=${MINE}&tile=3`);
  page.session.change({ tile: 1 });
  assertEquals(page.store.state.awaited?.pack, MINE, "another sample is no other picture");
  page.session.change({ seed: 8 });
  assertEquals(page.store.state.awaited, undefined);
  assertEquals(page.pages.length, 2, "the address of the link is a step back");
  await page.openFile(0);
  page.session.showFollowing();
  assertEquals(page.sample(), 2);
});

Deno.test("openFile: another pack than the one that a link waits for shows the sample that follows best", async () => {
  using page = await pageOf(`pack=${MINE}&tile=3`);
  await page.openFile(1);
  page.session.showFollowing();
  assertEquals([page.store.state.current!.choices.pack, page.sample()], [OTHER, 2]);
});
