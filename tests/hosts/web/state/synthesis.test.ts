import { assertEquals, assertMatch } from "@std/assert";
import type { Choices } from "../../../../pipelines/page/choices.ts";
import { requestedPlan, type SynthesisRequest } from "../../../../pipelines/synthesis/request.ts";
import { builtins } from "../../../../plugins/mod.ts";
import {
  type Current,
  currentFrame,
  hasNewTiles,
  INITIAL,
  type PageState,
} from "../../../../hosts/web/state/page_state.ts";
import { openStore } from "../../../../hosts/web/state/store.ts";
import { synthesis } from "../../../../hosts/web/state/synthesis.ts";
import { tilesOf } from "../../../../pipelines/page/tiles.ts";
import type { Client } from "../../../../hosts/web/worker/client.ts";
import type { PictureResult, SynthesisMessage } from "../../../../hosts/web/worker/protocol.ts";
import { choices, openedPack } from "./opened_pack.ts";

type Content = SynthesisMessage extends infer M ? M extends { id: number } ? Omit<M, "id"> : never : never;

/** A page whose worker says what the test says. */
function page(still = true) {
  const store = openStore<PageState>(INITIAL), pack = openedPack(), log: string[] = [];
  const asked: {
    requests: readonly SynthesisRequest[];
    say(message: Content): void;
    end(): void;
    fail(error: Error): void;
  }[] = [];
  const client = {
    synthesize(requests, onMessage) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      asked.push({ requests, say: (message) => onMessage({ id: 0, ...message }), end: resolve, fail: reject });
      return promise;
    },
    cancel: () => log.push("cancel"),
  } as Partial<Client> as Client;
  const { start: synthesize, cancel } = synthesis(store, client, {
    play: () => log.push("play"),
    still: () => still,
    finished: () => log.push("finished"),
  });
  return {
    store,
    asked,
    log,
    cancel,
    start(seed: number, more: Partial<Choices> = {}) {
      const next = { ...choices, tile: 0, frame: undefined, pixel: undefined, seed, ...more },
        made = tilesOf(next, pack, builtins);
      const planned = requestedPlan(pack.profile, next, builtins);
      const current: Current = { pack, choices: next, planned, requests: made.requests };
      store.change({ current });
      return synthesize(current, made.tiles, false);
    },
  };
}
const picture = (byte: number) => new Uint8Array(256).fill(byte), shape = { height: 16, width: 16, channels: 1 };
const frame = (layer: number, iteration: number, byte: number): Content => {
  return {
    kind: "frame",
    request: 0,
    frame: { layer, iteration, shape, pictures: [0, 1, 2, 3].map(() => picture(byte)), done: 0.25 },
  };
};
const result = (byte: number): Content => {
  const image = { number: 0, pixels: picture(byte) } as PictureResult;
  return { kind: "result", request: 0, images: [image, image, image, image] };
};

Deno.test("synthesis: an image that is drawn again begins its film again; the others keep theirs", () => {
  const { store, asked, start } = page();
  void start(1);
  for (const [layer, byte] of [[1, 10], [0, 20]]) asked[0].say(frame(layer, 0, byte));
  const pictures = [undefined, picture(30), undefined, undefined];
  asked[0].say({ kind: "frame", request: 0, frame: { layer: 1, iteration: 0, shape, pictures, done: 0.5 } });
  const films = store.state.tiles.map(({ frames }) => frames.slice(1).map(({ layer, pixels }) => [layer, pixels[0]]));
  const once = [[1, 10], [0, 20]];
  assertEquals(films, [once, [[1, 30]], once, once]);
});

Deno.test("synthesis: tiles get the seed image, every iteration and the result; the status says what was made", async () => {
  const { store, asked, log, start } = page(), work = start(1);
  assertEquals([store.state.busy, store.state.tiles.length, hasNewTiles(store.state)], [true, 0, false]);
  asked[0].say(frame(0, -1, 10));
  asked[0].say(frame(0, 0, 20));
  assertEquals(store.state.tiles.map(({ frames }) => frames.map((one) => one.iteration)), Array(4).fill([-1, -1, 0]));
  assertEquals(currentFrame(store.state)!.pixels, picture(20));
  asked[0].say(result(30));
  assertEquals(currentFrame(store.state)!.pixels, picture(30));
  assertEquals(store.state.tiles[1].result!.pixels, picture(30));
  asked[0].end();
  await work;
  assertMatch(store.state.status, /^4 pictures of 16\u00d716 in \d+\.\d s$/);
  assertEquals([store.state.busy, log], [false, ["finished"]]);
});

Deno.test("synthesis: the pictures before stay until the first new one; superseded messages are ignored", async () => {
  const { store, asked, log, start } = page(), first = start(1);
  asked[0].say(frame(0, 0, 20));
  const before = store.state.tiles, second = start(2);
  assertEquals([store.state.tiles === before, hasNewTiles(store.state)], [true, false]);
  asked[0].say(frame(0, 1, 25));
  asked[0].end();
  await first;
  assertEquals([store.state.tiles === before, store.state.busy, log], [true, true, []]);
  asked[1].say({ kind: "refused", request: 0, sentence: "No" });
  assertEquals(store.state.tiles.map(({ frames, refused }) => [frames.length, refused]), Array(4).fill([1, "No"]));
  asked[1].fail(new Error("It failed"));
  await second;
  assertEquals([store.state.problems, store.state.busy, log], [["It failed."], false, ["finished"]]);
});

Deno.test("synthesis: the film plays from the seed image where pictures may move", () => {
  const { store, asked, log, start } = page(false);
  start(1);
  asked[0].say(frame(0, -1, 10));
  assertEquals([store.state.playhead, log], [0, ["play"]]);
  assertEquals(currentFrame(store.state)!.shape, { height: 4, width: 4, channels: 1 });
});

Deno.test("synthesis: says how much is done, and stops: what is under way ends, and its pictures stay", async () => {
  const { store, asked, log, start, cancel } = page(), stopped = start(1);
  asked[0].say(frame(1, 0, 20));
  assertEquals(store.state.progress, 0.25);
  cancel();
  assertEquals([store.state.busy, log, currentFrame(store.state)!.pixels], [false, ["cancel"], picture(20)]);
  assertMatch(store.state.status, /^Stopped/);
  asked[0].say(frame(0, 0, 30));
  asked[0].end();
  await stopped;
  assertEquals([currentFrame(store.state)!.pixels, log], [picture(20), ["cancel"]]);
  cancel();
  assertEquals(log, ["cancel"], "nothing is under way");
});

Deno.test("synthesis: pictures that are made stay when one more is asked for, and only that one is made", async () => {
  const { store, asked, start } = page(), first = start(1, { view: "priors" }), { requests } = asked[0];
  requests.forEach((_, request) => {
    asked[0].say({ ...frame(0, 0, request), request } as Content);
    asked[0].say({ ...result(request), request } as Content);
  });
  asked[0].end();
  await first;
  const before = store.state.tiles, slow = before.findIndex(({ request }) => request < 0);
  const second = start(1, { view: "priors", tile: slow });
  assertEquals(asked[1].requests.map(({ prior }) => prior), [before[slow].title]);
  const made = (tile: number) => store.state.tiles[tile].result?.pixels;
  assertEquals(before.map((_, tile) => made(tile)), before.map(({ result }) => result?.pixels), "they stay meanwhile");
  asked[1].say({ ...frame(0, 0, 99), request: 0 } as Content);
  asked[1].say(result(99));
  assertEquals(made(slow), picture(99));
  asked[1].end();
  await second;
  assertMatch(store.state.status, new RegExp(`^${requests.length + 1} pictures of`));
});
