import { assert, assertEquals, assertThrows } from "@std/assert";
import { countBlocks } from "../../work.ts";
import { Buffer } from "node:buffer";
import { crc32 } from "../../../datasets/formats/crc32.ts";
import { isPack, type Pack, readPack, writePack } from "../../../datasets/formats/pack.ts";
import { smallPack } from "./packs.ts";

/** Changes a copy of a pack's bytes and puts its length and checksum right, so that the deeper checks are reached. */
function forged(pack: Pack, change: (bytes: Uint8Array, view: DataView) => Uint8Array | void): Uint8Array {
  let bytes: Uint8Array = writePack(pack);
  bytes = change(bytes, new DataView(bytes.buffer)) ?? bytes;
  const view = new DataView(bytes.buffer);
  view.setUint32(16, bytes.length, true);
  view.setUint32(12, crc32(bytes.subarray(16), crc32(bytes.subarray(0, 12))), true);
  return bytes;
}

/** A pack whose header's JSON is another. */
function withHeader(change: (text: string) => string): Uint8Array {
  return forged(smallPack(), (bytes, view) => {
    const length = view.getUint32(20, true), json = new TextDecoder().decode(bytes.subarray(24, 24 + length));
    const header = new TextEncoder().encode(change(json)), content = bytes.subarray(Math.ceil((24 + length) / 16) * 16);
    const at = Math.ceil((24 + header.length) / 16) * 16, out = new Uint8Array(at + content.length);
    out.set(bytes.subarray(0, 24));
    out.set(header, 24);
    out.set(content, at);
    new DataView(out.buffer).setUint32(20, header.length, true);
    return out;
  });
}

for (const [what, options] of [["with classes", {}], ["without", { labelled: false }]] as const) {
  Deno.test(`packs ${what}: what was written is read, as views of the bytes; the same pack gives the same bytes`, () => {
    const pack = smallPack(options), bytes = writePack(pack), read = readPack(bytes);
    assertEquals(read, pack);
    assertEquals(writePack(read), bytes);
    assert(isPack(bytes));
    for (const part of [read.train.images.pixels, read.train.labels, read.seeds.images, read.seeds.labels]) {
      if (!part) continue;
      assert(part.buffer === bytes.buffer, "a view");
      assertEquals(part.byteOffset % 16, 0);
    }
    const moved = new Uint8Array(bytes.length + 1);
    moved.set(bytes, 1);
    assertEquals(readPack(moved.subarray(1)), pack, "bytes that begin anywhere");
  });
}

Deno.test("packs: the bytes are laid out as their description says", () => {
  const pack = smallPack(), bytes = writePack(pack), view = new DataView(bytes.buffer);
  assertEquals([...bytes.subarray(0, 8)], [0x89, ...new TextEncoder().encode("LOOM\r\n"), 0x1a]);
  const u32 = [8, 16, 20].map((at) => view.getUint32(at, true)), end = 24 + u32[2];
  assertEquals(u32.slice(0, 2), [1, bytes.length]);
  const without = new Uint8Array([...bytes.subarray(0, 12), ...bytes.subarray(16)]);
  assertEquals(view.getUint32(12, true), crc32(without));
  assertEquals(JSON.parse(new TextDecoder().decode(bytes.subarray(24, end))), {
    profile: pack.profile,
    origin: "24 blobs",
    labelled: true,
    train: { count: 24, height: 14, width: 14, channels: 1 },
    seeds: { count: 6, height: 4, width: 4, channels: 1 },
  });
  const up = (at: number) => Math.ceil(at / 16) * 16, images = up(end), labels = up(images + 24 * 196);
  const floats = up(labels + 24), seedLabels = up(floats + 6 * 16 * 4);
  assertEquals(bytes.slice(images, images + 24 * 196), pack.train.images.pixels);
  assertEquals(bytes.slice(labels, labels + 24), pack.train.labels);
  assertEquals(view.getFloat32(floats + 4 * 7, true), pack.seeds.images[7]);
  assertEquals(bytes.slice(seedLabels), pack.seeds.labels);
});

Deno.test("readPack: alien, cut off, newer and damaged files, each in a sentence of its own", () => {
  const bytes = writePack(smallPack()), text = (of: string) => new TextEncoder().encode(of);
  const changed = (at: number, value: number) => bytes.with(at, value);
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(), "F is not a pack: expected it to begin with 89 4c 4f 4f 4d, got no bytes"],
    [text("PNG, or so"), "F is not a pack: expected it to begin with 89 4c 4f 4f 4d, got 50 4e 47 2c 20"],
    [bytes.slice(0, 5), "F is cut off: expected a header of 24 bytes, got 5"],
    [bytes.slice(0, 23), "F is cut off: expected a header of 24 bytes, got 23"],
    [bytes.slice(0, -1), `F is cut off: expected ${bytes.length} bytes, got ${bytes.length - 1}`],
    [new Uint8Array([...bytes, 0]), `F is too long: expected ${bytes.length} bytes, got ${bytes.length + 1}`],
    [changed(8, 2), "F was made by a newer Patchloom: expected version 1, got 2"],
    [changed(8, 0), "F: expected version 1 to 1, got 0"],
    [changed(900, bytes[900] ^ 1), "F is damaged: expected the checksum "],
    [changed(12, bytes[12] ^ 1), "F is damaged: expected the checksum "],
    [forged(smallPack(), (_, view) => view.setUint32(20, 2 ** 32 - 1, true)), "F: expected a header of at most "],
    [forged(smallPack(), (bytes) => void bytes.fill(255, 24, 30)), "F: expected a header of JSON in UTF-8"],
  ];
  for (const [bad, sentence] of cases) {
    const { message } = assertThrows(() => readPack(bad, "F"), Error);
    assert(message.startsWith(sentence), message);
  }
});

Deno.test("readPack: a header that claims what is not so", () => {
  const count = (from: string, to: string) => (json: string) => json.replace(from, to);
  const cases: [(json: string) => string, string][] = [
    [() => "[]", "F: expected the header to be an object, got a list"],
    [() => "7", "F: expected the header to be an object, got 7"],
    [() => "{}", "F: expected profile to be an object, got undefined"],
    [count('"origin":"24 blobs"', '"origin":24'), "F: expected origin to be a text, got 24"],
    [count('"labelled":true', '"labelled":1'), "F: expected labelled to be true or false, got 1"],
    [count('"labelled":true', '"labelled":false'), "for the images that it claims"],
    [count('"train":{', '"trein":{'), "F: expected train to be an object, got undefined"],
    [count('"count":24', '"count":4294967295'), "bytes for the images that it claims, got "],
    [
      count('"count":24', '"count":1e999'),
      "F: expected train.count to be an integer from 1 to 4294967295, got Infinity",
    ],
    [count('"count":24', '"count":0'), "F: expected train.count to be an integer from 1"],
    [count('"count":24', '"count":23.5'), "F: expected train.count to be an integer from 1"],
    [count('"height":14', '"height":4097'), "F: expected train.height to be an integer from 1 to 4096, got 4097"],
    [count('"height":14', '"height":7'), "bytes for the images that it claims, got "],
    [count('"channels":1', '"channels":2'), "F: expected train.channels to be 1 (grey) or 3 (colour), got 2"],
    [
      count('"labelled":true', '"labelled":true,"transparent":[255,0,255]'),
      "F: expected transparent to be three integers from 0 to 255, of images in colour, got a list",
    ],
    [count('"count":6', '"count":0'), "F: expected seeds.count to be an integer from 1 to"],
    [count('"channels":1', '"channels":3'), "F: expected seeds.channels to be 3, as train.channels, got 1"],
  ];
  for (const [change, sentence] of cases) {
    const { message } = assertThrows(() => readPack(withHeader(change), "F"), Error);
    assert(message.includes(sentence), message);
  }
});

Deno.test("packs: values that are no light and classes without a seed or a training image are neither written nor read", () => {
  const good = smallPack(), floats = readPack(writePack(good)).seeds.images.byteOffset;
  for (const value of [NaN, Infinity, -0.01, 1.01]) {
    const images = good.seeds.images.with(5, value), sentence = "expected seed images of values from 0 to 1";
    assertThrows(() => writePack({ ...good, seeds: { ...good.seeds, images } }), Error, sentence);
    const bytes = forged(good, (_, view) => view.setFloat32(floats + 20, value, true));
    assertThrows(() => readPack(bytes, "F"), Error, `F: ${sentence}`);
  }
  const labels = good.train.labels!.with(3, 9);
  const sentence = "expected a seed image of every class, got none of class 9";
  assertThrows(() => writePack({ ...good, train: { ...good.train, labels } }), Error, sentence);
  const seedLabels = good.seeds.labels!.with(4, 255),
    untrained = "expected training images of every class, got none of class 255";
  assertThrows(() => writePack({ ...good, seeds: { ...good.seeds, labels: seedLabels } }), Error, untrained);
  const strange = forged(good, (bytes) => bytes.with(bytes.length - 2, 255));
  assertThrows(() => readPack(strange, "F"), Error, `F: ${untrained}`);
  const { seeds: { labels: _, ...seeds } } = good;
  assertThrows(() => writePack({ ...good, seeds }), Error, "expected labels of training and seed images or of neither");
  assertThrows(
    () => writePack({ ...good, seeds: { ...good.seeds, count: 5 } }),
    Error,
    "Cannot write the pack: expected 80 seed values, got 96",
  );
});

Deno.test("readPack: a Node Buffer, whose slice is no copy, at an odd place", () => {
  const bytes = writePack(smallPack()), wider = Buffer.alloc(bytes.length + 1);
  wider.set(bytes, 1);
  assertEquals(readPack(wider.subarray(1)).seeds, readPack(bytes).seeds);
});

Deno.test("readPack: bytes that several workers share", () => {
  const bytes = writePack(smallPack()), shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  assertEquals(readPack(shared).profile, readPack(bytes).profile);
});

Deno.test("readPack: brackets in texts are no levels, and a header of quotes takes as many steps as it has characters", async () => {
  const text = withHeader((json) => json.replace(/"origin":"[^"]*"/, `"origin":"${"[{".repeat(50)}\\\\ \\" [[["`));
  assertEquals(readPack(text).origin, `${"[{".repeat(50)}\\ " [[[`);
  const steps = async (quotes: number) => {
    const bytes = withHeader(() => `"${'\\"'.repeat(quotes)}`);
    return await countBlocks(() => assertThrows(() => readPack(bytes, "F"), Error, "F: expected a header of JSON"));
  };
  const [few, many] = [await steps(2000), await steps(20_000)];
  assert(many < 20 * few, `${few} and ${many} blocks`);
});
