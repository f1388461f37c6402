// Spoils packs in many ways and reads them: nothing but a sentence or a pack may come of it.
//   deno run tests/datasets/formats/fuzz_packs.ts [COUNT] [SEED]
import { assert, assertEquals } from "@std/assert";
import { type Stream, stream } from "../../../core/random.ts";
import { lengthOf } from "../../../core/shape.ts";
import { crc32 } from "../../../datasets/formats/crc32.ts";
import { openSynthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { type Pack, readPack, writePack } from "../../../datasets/formats/pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, smallPack } from "./packs.ts";

const HUGE = [0, 1, 255, 4096, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 16, 2 ** 32 - 1];
/** What is put in place of an entry of the header. */
const ODD: readonly unknown[] = [
  ...HUGE,
  ...[-1, 0.5, 2 ** 53, 1e308, null, true, false, "", "x", "\u0000\u001b[2J\n", [], {}, [[]], { __proto__: null }],
  JSON.parse("[".repeat(20) + "]".repeat(20)),
  ...["a".repeat(70_000), Array(3000).fill(7), { count: 1, height: 1, width: 1, channels: 1 }],
];

type Mutation = (bytes: Uint8Array, below: (n: number) => number) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  (bytes, below) => { // bits
    for (let n = 1 + below(4); n > 0; n--) bytes[below(bytes.length)] ^= 1 << below(8);
    return bytes;
  },
  (bytes, below) => bytes.slice(0, below(bytes.length)), // its end
  (bytes, below) => bytes.slice(below(bytes.length)), // its beginning
  (bytes, below) => { // bytes more
    const at = below(bytes.length + 1), more = Uint8Array.from({ length: 1 + below(40) }, () => below(256));
    return new Uint8Array([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)]);
  },
  (bytes, below) => { // a stretch twice or filled
    const from = below(bytes.length), to = below(bytes.length);
    return below(2) === 0
      ? bytes.copyWithin(to, from, from + below(64))
      : bytes.fill(below(256), from, from + below(64));
  },
  (bytes, below) => { // a number of the fixed part, or what looks like one
    if (bytes.length < 28) return bytes;
    const at = below(3) === 0 ? below(bytes.length - 3) : 8 + 4 * below(4);
    new DataView(bytes.buffer).setUint32(at, HUGE[below(HUGE.length)], true);
    return bytes;
  },
  (bytes, below) => { // an entry of the header
    const length = new DataView(bytes.buffer).getUint32(20, true);
    let header: Record<string, unknown>;
    try {
      header = JSON.parse(new TextDecoder().decode(bytes.subarray(24, 24 + length)));
    } catch {
      return bytes;
    }
    let inside = header;
    for (;;) {
      const names = Object.keys(inside), name = names[below(names.length)], value = inside[name];
      if (name === undefined) break;
      if (typeof value === "object" && value !== null && below(4) > 0) {
        inside = value as typeof header;
        continue;
      }
      if (below(4) === 0) delete inside[name];
      else inside[name] = ODD[below(ODD.length)];
      break;
    }
    const json = new TextEncoder().encode(JSON.stringify(header));
    const old = Math.ceil((24 + length) / 16) * 16, at = Math.ceil((24 + json.length) / 16) * 16;
    const out = new Uint8Array(at + Math.max(0, bytes.length - old));
    out.set(bytes.subarray(0, 24));
    out.set(json, 24);
    out.set(bytes.subarray(old), at);
    new DataView(out.buffer).setUint32(20, json.length, true);
    return out;
  },
];

/** Puts the name, the version, the length and the checksum right, so that what lies behind them is reached. */
function repaired(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 24) return bytes;
  const view = new DataView(bytes.buffer);
  bytes.set([0x89, 0x4c, 0x4f, 0x4f, 0x4d, 0x0d, 0x0a, 0x1a, 1, 0, 0, 0]);
  view.setUint32(16, bytes.length, true);
  view.setUint32(12, crc32(bytes.subarray(16), crc32(bytes.subarray(0, 12))), true);
  return bytes;
}

/** Runs a job and tells the largest length that an array was asked for with `new` in it. */
function largestAsked<T>(job: () => T): { result: T; largest: number } {
  const scope = globalThis as unknown as Record<string, unknown>, names = ["Array", "ArrayBuffer"];
  names.push("Uint8Array", "Uint32Array", "Float32Array", "Float64Array");
  const own = names.map((name) => scope[name]);
  let largest = 0;
  names.forEach((name, i) => {
    scope[name] = new Proxy(own[i] as new (...values: unknown[]) => object, {
      construct(target, values, newTarget) {
        if (typeof values[0] === "number") largest = Math.max(largest, values[0]);
        return Reflect.construct(target, values, newTarget);
      },
    });
  });
  try {
    return { result: job(), largest };
  } finally {
    names.forEach((name, i) => scope[name] = own[i]);
  }
}

/** Counts of fuzzed packs: refused with each sentence (without its numbers and texts), read, and opened. */
export interface Fuzzed {
  readonly refused: ReadonlyMap<string, number>;
  readonly read: number;
  readonly opened: number;
}

/** Reads `count` fuzzed packs. Throws if one of them breaks a rule. */
export function fuzzPacks(count: number, seed: number): Fuzzed {
  const random: Stream = stream(seed), below = (n: number) => Math.floor(random.next() * n);
  const packs: Pack[] = [smallPack(), smallPack({ labelled: false })],
    wholes = packs.map(writePack),
    kernels = newKernels();
  const refused = new Map<string, number>();
  let read = 0, opened = 0;
  /** The result of a job; counts the error that it throws, which must be one sentence. */
  const sentenceOr = <T>(job: () => T): T | undefined => {
    try {
      return job();
    } catch (error) {
      assert(error instanceof Error && [Error.prototype].includes(Object.getPrototypeOf(error)), `${error}`);
      assert(
        /^[^\n\r]{10,400}$/.test(error.message) && !/undefined is|\[object|NaN bytes/.test(error.message),
        error.message,
      );
      const kind = error.message.replace(/"[^"]*"|\b[0-9a-f]{8}\b|[\d.e+-]*\d[\d.]*|Infinity/g, "#").replace(
        /(found|got) .*/,
        "$1 ...",
      );
      refused.set(kind, (refused.get(kind) ?? 0) + 1);
    }
  };
  for (let n = 0; n < count; n++) {
    let bytes: Uint8Array = wholes[below(2)].slice();
    for (let times = 1 + below(2); times > 0 && bytes.length >= 24; times--) {
      bytes = MUTATIONS[below(MUTATIONS.length)](bytes, below);
    }
    if (below(4) > 0) bytes = repaired(bytes);
    try {
      const { result: pack, largest } = largestAsked(() => sentenceOr(() => readPack(bytes, "P")));
      // The header's text and what it says may be split into words; images are not allocated for.
      assert(largest <= bytes.length, `asked for ${largest} with ${bytes.length} bytes`);
      if (!pack) continue;
      read++;
      const { train: { images }, seeds } = pack;
      assertEquals(images.pixels.length, images.count * lengthOf(images));
      assertEquals(seeds.images.length, seeds.count * lengthOf(seeds));
      assert(images.pixels.buffer === bytes.buffer && images.pixels.length + 4 * seeds.images.length < bytes.length);
      if (sentenceOr(() => openSynthesizer(kernels, pack, builtins))) opened++;
    } catch (error) {
      throw new Error(`Fuzzed pack ${n} of seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
  return { refused, read, opened };
}

if (import.meta.main) {
  const count = Number(Deno.args[0] ?? 100_000), seed = Number(Deno.args[1] ?? 1), begin = performance.now();
  const { refused, read, opened } = fuzzPacks(count, seed);
  for (const [kind, times] of [...refused].sort(([, a], [, b]) => b - a)) console.log(String(times).padStart(7), kind);
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  console.log(`${count} fuzzed packs of seed ${seed} in ${seconds} s: ${read} read, ${opened} of them opened`);
}
