import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { drawFaces, proceduralFaces } from "../../../datasets/procedural/faces.ts";
import { cachedBuiltin } from "../../../hosts/deno/data/builtin_cache.ts";
import { KEPT } from "../../once.ts";

const AREA = 128 * 128, FACES = 200;
/** The built-in faces that other tests draw too: 20 ms each, once for all. */
const builtin = await cachedBuiltin("faces", join(KEPT, "patchloom"));
const first = (split: "train" | "test", count: number) => {
  return { count, height: 128, width: 128, pixels: builtin[split].images.pixels.subarray(0, count * AREA) };
};
const train = first("train", FACES), test = first("test", 40);
const face = (i: number, images = train) => images.pixels.subarray(i * AREA, (i + 1) * AREA);

Deno.test("a face depends on its split and index alone", () => {
  assertEquals(proceduralFaces("train", 12).pixels, train.pixels.slice(0, 12 * AREA));
  assertEquals(proceduralFaces("test", 2).pixels, test.pixels.slice(0, 2 * AREA));
  // The built-in ones are drawn by threads, in parts that end and begin here.
  assertEquals(drawFaces({ split: "train", channels: 1, from: 89, to: 91 }), train.pixels.slice(89 * AREA, 91 * AREA));
  assertNotEquals(face(0, test), face(0));
  assertEquals(proceduralFaces("test", 0).pixels.length, 0);
});

Deno.test("from number 600 on, faces are the mirror images of the first ones, with the eyes at the same places", () => {
  const { pixels } = builtin.train.images;
  for (const i of [0, 1]) {
    const [drawn, mirror] = [i, 600 + i].map((n) => pixels.subarray(n * AREA, (n + 1) * AREA));
    assertEquals(drawn, face(i));
    for (let y = 0; y < 128; y++) {
      const row = drawn.subarray(128 * y, 128 * y + 128), expected = [...row.subarray(1)].reverse();
      assertEquals([...mirror.subarray(128 * y, 128 * y + 128)], [row[127], ...expected]);
    }
  }
});

Deno.test("faces are drawn without the functions that engines round differently", () => {
  const names = ["random", "sin", "cos", "tan", "atan2", "exp", "log", "pow", "hypot", "cbrt"] as const;
  const kept = Object.fromEntries(names.map((name) => [name, Math[name]])), now = Date.now;
  const refuse = () => {
    throw new Error("not the same on every engine");
  };
  let again: Uint8Array;
  try {
    for (const name of names) Math[name] = refuse;
    Date.now = refuse;
    again = proceduralFaces("train", 30).pixels;
  } finally {
    Object.assign(Math, kept);
    Date.now = now;
  }
  assertEquals(again, train.pixels.slice(0, 30 * AREA));
});

Deno.test("train and test share no image", () => {
  const seen = new Set<string>();
  for (let i = 0; i < train.count; i++) seen.add(face(i).join());
  for (let i = 0; i < test.count; i++) seen.add(face(i, test).join());
  assertEquals(seen.size, train.count + test.count);
});

Deno.test("faces have the stated size and use dark and light", () => {
  const { count, height, width, pixels } = proceduralFaces("train", 2);
  assertEquals([count, height, width, pixels.length], [2, 128, 128, 2 * AREA]);
  let dark = 0, light = 0;
  for (let i = 0; i < FACES; i++) {
    const sorted = face(i).toSorted();
    dark += sorted[Math.floor(AREA * 0.05)] / FACES;
    light += sorted[Math.floor(AREA * 0.95)] / FACES;
  }
  console.log(`5th percentile ${dark.toFixed(1)}, 95th ${light.toFixed(1)} on average`);
  assert(dark < 70 && light > 180);
});

Deno.test("eyes are at (44,52) and (84,52)", () => {
  const mean = new Float64Array(AREA);
  for (let i = 0; i < FACES; i++) face(i).forEach((value, at) => mean[at] += value / FACES);
  for (const eyeX of [44, 84]) {
    // The darkest disc of radius 3 (a pupil and most of an iris) between brow and cheek.
    let darkest = Infinity, at = [0, 0];
    for (let y = 46; y <= 62; y++) {
      for (let x = eyeX - 12; x <= eyeX + 12; x++) {
        let sum = 0;
        for (let v = -3; v <= 3; v++) {
          for (let u = -3; u <= 3; u++) if (u * u + v * v <= 9) sum += mean[(y + v) * 128 + x + u];
        }
        if (sum < darkest) [darkest, at] = [sum, [x, y]];
      }
    }
    console.log(`darkest near (${eyeX},52): (${at})`);
    assert(Math.abs(at[0] - eyeX) <= 3 && Math.abs(at[1] - 52) <= 3);
  }
});

Deno.test("faces differ", () => {
  let total = 0, closest = Infinity;
  for (let i = 0; i < FACES; i++) {
    let nearest = Infinity;
    for (let j = 0; j < FACES; j++) {
      if (i === j) continue;
      const a = face(i), b = face(j);
      let squared = 0;
      for (let at = 0; at < AREA && squared < nearest; at++) squared += (a[at] - b[at]) * (a[at] - b[at]);
      nearest = Math.min(nearest, squared);
    }
    total += Math.sqrt(nearest) / 255;
    closest = Math.min(closest, Math.sqrt(nearest) / 255);
  }
  console.log(
    `distance to the nearest of ${FACES}: ${(total / FACES).toFixed(1)} on average, ${closest.toFixed(1)} at least`,
  );
  assert(total / FACES >= 10);
});

Deno.test("faces in colour: the same shapes in each channel, the same bytes every time", () => {
  const { count, channels, pixels } = proceduralFaces("train", 3, 3), again = proceduralFaces("train", 2, 3);
  assertEquals([count, channels, pixels.length], [3, 3, 9 * AREA]);
  assertEquals(again.pixels, pixels.slice(0, 6 * AREA));
  for (let i = 0; i < 3; i++) {
    const [red, green, blue] = [0, 1, 2].map((c) => pixels.subarray((3 * i + c) * AREA, (3 * i + c + 1) * AREA));
    assert(red.some((value, p) => value !== blue[p]), "it is in colour");
    // The green drawing has the tones of the grey one, but for clothes, backdrop and the range that tones are spread over.
    const centre = (of: Uint8Array) => {
      return Array.from({ length: 60 }, (_, y) => of.subarray((40 + y) * 128 + 44, (40 + y) * 128 + 84)).flatMap((
        row,
      ) => [...row]);
    };
    assert(correlation(centre(green), centre(face(i))) > 0.97, "it is the same face");
  }
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / of.length,
    ma = mean(a),
    mb = mean(b);
  const dot = (x: readonly number[], mx: number, y: readonly number[], my: number) => {
    return x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0);
  };
  return dot(a, ma, b, mb) / Math.sqrt(dot(a, ma, a, ma) * dot(b, mb, b, mb));
}
