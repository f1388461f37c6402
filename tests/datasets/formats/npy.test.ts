import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { imagesFromNpy, isNpy, labelsFromNpy, writeNpy } from "../../../datasets/formats/npy.ts";

/** What a file says of itself, where it is not `|u1`, C order and version 1. */
interface Claims {
  readonly descr?: string;
  readonly fortran?: boolean;
  readonly version?: number;
  /** The whole header text. */
  readonly header?: string;
  /** What it says of its header's length. */
  readonly headerLength?: number;
}

/** An NPY file, byte by byte. */
function npy(shape: readonly number[], data: Uint8Array, claims: Claims = {}): Uint8Array {
  const { descr = "|u1", fortran = false, version = 1 } = claims;
  const text = claims.header ??
    `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': (${shape.join(", ")}${
      shape.length === 1 ? "," : ""
    }), }`;
  const prefix = version === 1 ? 10 : 12, padded = Math.ceil((prefix + text.length + 1) / 64) * 64 - prefix;
  const header = new TextEncoder().encode(text.padEnd(padded - 1) + "\n"), bytes = new Uint8Array(prefix + padded);
  const view = new DataView(bytes.buffer), length = claims.headerLength ?? padded;
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), version, 0]);
  if (version === 1) view.setUint16(8, length, true);
  else view.setUint32(8, length, true);
  bytes.set(header, prefix);
  return Uint8Array.from([...bytes, ...data]);
}

/** Numbers as the bytes of an element type. */
function encoded(descr: string, values: readonly number[]): Uint8Array {
  if (descr === "|u1" || descr === "|b1") return Uint8Array.from(values);
  const size = Number(descr[2]), view = new DataView(new ArrayBuffer(size * values.length)), little = descr[0] === "<";
  values.forEach((value, i) => {
    if (size === 2) view.setFloat16(2 * i, value, little);
    else if (size === 4) view.setFloat32(4 * i, value, little);
    else view.setFloat64(8 * i, value, little);
  });
  return new Uint8Array(view.buffer);
}

const FLOATS = ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8"];

Deno.test("imagesFromNpy: every type, order, header version and place of the channel gives the same images", () => {
  // Image i, row y, column x is 100 i + 10 y + x, of 2 images of 3x4.
  const c = [0, 1].flatMap((i) => [0, 1, 2].flatMap((y) => [0, 1, 2, 3].map((x) => 100 * i + 10 * y + x)));
  // The first index runs fastest.
  const f = [0, 1, 2, 3].flatMap((x) => [0, 1, 2].flatMap((y) => [0, 1].map((i) => 100 * i + 10 * y + x)));
  for (const descr of ["|u1", "<u1", ...FLOATS]) {
    for (const version of [1, 2, 3]) {
      for (const shape of [[2, 3, 4], [2, 3, 4, 1], [2, 1, 3, 4]]) {
        for (const fortran of [false, true]) {
          const data = encoded(descr.replace("<u1", "|u1"), fortran ? f : c);
          const { images, scaled } = imagesFromNpy(npy(shape, data, { descr, version, fortran }), "a.npy");
          const what = `${descr}, version ${version}, (${shape}), ${fortran ? "Fortran" : "C"}`;
          assertEquals([images.count, images.height, images.width], [2, 3, 4], what);
          assertEquals([...images.pixels], c, what);
          const name = descr.endsWith("1") ? "uint8" : `float${8 * Number(descr[2])}`;
          assertEquals(scaled, `${name} ${name === "uint8" ? "taken as they are" : "in [0, 255], rounded"}`);
        }
      }
    }
  }
});

Deno.test("imagesFromNpy: floats of [0, 1], [-1, 1] and [0, 255] become the bytes they stand for", () => {
  const read = (descr: string, values: number[]) => {
    const { images, scaled } = imagesFromNpy(npy([1, 1, values.length], encoded(descr, values), { descr }), "a.npy");
    return [scaled.replace(/^float\d\d /, ""), ...images.pixels];
  };
  for (const descr of FLOATS) {
    assertEquals(read(descr, [0, 1, 0.5, 0.25]), ["in [0, 1], scaled by 255", 0, 255, 128, 64]);
    assertEquals(read(descr, [-1, 1, 0, 0.5]), ["in [-1, 1], mapped to 0..255", 0, 255, 128, 191]);
    assertEquals(read(descr, [0, 255, 1.4, 1.5, 254.6]), ["in [0, 255], rounded", 0, 255, 1, 2, 255]);
    assertEquals(read(descr, [0, 0]), ["in [0, 1], scaled by 255", 0, 0]);
    assertEquals(read(descr, [1, 1]), ["in [0, 1], scaled by 255", 255, 255]);
    // All 256 bytes, as a generator would have divided them, come back.
    const bytes = Array.from({ length: 256 }, (_, i) => i);
    assertEquals(read(descr, bytes.map((v) => v / 255)).slice(1), bytes);
    assertEquals(read(descr, bytes.map((v) => v / 127.5 - 1)).slice(1), bytes);
    assertEquals(read(descr, bytes).slice(1), bytes);
  }
  const bool = imagesFromNpy(npy([1, 1, 3], Uint8Array.of(0, 1, 1), { descr: "|b1" }), "a.npy");
  assertEquals([...bool.images.pixels], [0, 255, 255]);
});

Deno.test("imagesFromNpy: float16 by its bits, and integers whose high byte is first", () => {
  const read = (descr: string, ...bytes: number[]) => {
    const data = Uint8Array.from(bytes);
    return [...imagesFromNpy(npy([1, 1, 2], data, { descr }), "a.npy").images.pixels];
  };
  assertEquals(read("<f2", 0x00, 0x3c, 0x00, 0x38), [255, 128], "1 and 0.5");
  assertEquals(read(">f2", 0x3c, 0x00, 0x38, 0x00), [255, 128]);
  assertEquals(read(">u2", 0, 200, 0, 7), [200, 7]);
  assertEquals(read(">i4", 0, 0, 0, 200, 0, 0, 0, 7), [200, 7]);
  assertThrows(() => read("<f2", 0x00, 0x7e, 0, 0), Error, "value 0 is NaN");
});

Deno.test("labelsFromNpy: says what makes labels of words, of objects and of one-hot rows", () => {
  const labels = (shape: number[], descr: string) => () => {
    const count = shape.reduce((product, side) => product * side);
    return labelsFromNpy(npy(shape, new Uint8Array(count * Number(descr.slice(2) || 8)), { descr }), "a.npy", 3);
  };
  const words = "; np.unique(labels, return_inverse=True)[1] makes numbers of them";
  for (const [descr, kind] of [["<U2", "text"], ["|S5", "text"], ["|O", "Python objects"]]) {
    assertThrows(labels([3], descr), Error, `a.npy: expected integers, got ${kind}${words}`);
  }
  const wanted = "a.npy holds no labels: expected shape (count) or (count, 1), got ";
  const { message } = assertThrows(labels([3, 10], "|u1"), Error);
  assertEquals(message, `${wanted}(3, 10); labels.argmax(1) makes labels of one-hot rows`);
  assertEquals(assertThrows(labels([4, 10], "|u1"), Error).message, `${wanted}(4, 10)`);
});

Deno.test("imagesFromNpy: a file within a larger buffer, at any address", () => {
  const file = npy([1, 1, 2], encoded("<f8", [0, 1]), { descr: "<f8" });
  for (let offset = 0; offset < 9; offset++) {
    const buffer = new Uint8Array(file.length + 20).fill(7);
    buffer.set(file, offset);
    assertEquals([...imagesFromNpy(buffer.subarray(offset, offset + file.length), "a.npy").images.pixels], [0, 255]);
  }
});

Deno.test("imagesFromNpy: integers of any size are grey levels, and masks of them black and white", () => {
  const view = (bytes: number) => new DataView(new ArrayBuffer(3 * bytes));
  const write: Record<string, (values: number[]) => DataView> = {};
  const add = (descr: string, bytes: number, set: (to: DataView, at: number, value: number) => void) => {
    write[descr] = (values) => {
      const to = view(bytes);
      values.forEach((value, i) => set(to, i * bytes, value));
      return to;
    };
  };
  add("|u1", 1, (to, at, value) => to.setUint8(at, value));
  add("<i2", 2, (to, at, value) => to.setInt16(at, value, true));
  add("<u4", 4, (to, at, value) => to.setUint32(at, value, true));
  add("<i8", 8, (to, at, value) => to.setBigInt64(at, BigInt(value), true));
  for (const [descr, written] of Object.entries(write)) {
    const read = (values: number[]) => {
      const data = new Uint8Array(written(values).buffer);
      const { images, scaled } = imagesFromNpy(npy([1, 1, 3], data, { descr }), "a.npy");
      return [scaled.replace(/^u?int\d+ /, ""), ...images.pixels];
    };
    assertEquals(read([0, 7, 255]), ["taken as they are", 0, 7, 255], descr);
    const isByte = descr === "|u1",
      mask = isByte ? ["taken as they are", 0, 1, 1] : ["in [0, 1], scaled by 255", 0, 255, 255];
    assertEquals(read([0, 1, 1]), mask, descr);
    assertEquals(read([0, 0, 0]), ["taken as they are", 0, 0, 0], descr);
    if (!isByte) assertThrows(() => read([0, 256, 1]), Error, "or [0, 255], got 0 to 256");
  }
});

Deno.test("imagesFromNpy: each lie has its own sentence", () => {
  const f4 = { descr: "<f4" }, four = Uint8Array.of(1, 2, 3, 4), good = npy([1, 2, 2], four);
  const magic = "a.npy is not an NPY file: it does not begin with \\x93NUMPY";
  const types = "a.npy: expected integers or floats, got ";
  const shapes = "a.npy: expected images (count, height, width) or (count, height, width, 3), got shape ";
  const damaged = "a.npy has a damaged NPY header: ";
  const header = (text: string) => npy([], four, { header: text });
  const lies: [Uint8Array, string][] = [
    [new Uint8Array(), magic],
    [Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5), magic],
    [good.subarray(0, 5), magic],
    [good.subarray(0, 6), "a.npy is cut off: expected at least 12 bytes, got 6"],
    [good.subarray(0, 11), "a.npy is cut off: expected at least 12 bytes, got 11"],
    [good.subarray(0, 60), "a.npy is cut off: expected a header of 118 bytes, got 50"],
    [good.subarray(0, good.length - 1), "a.npy: expected 4 bytes for shape (1, 2, 2), got 3"],
    // NumPy takes the last of two, others the first.
    [header("{'descr': '|u1', 'fortran_order': True, 'fortran_order': False, 'shape': (1, 2, 2), }\n"), damaged],
    [Uint8Array.from([...good, 0]), "a.npy: expected 4 bytes for shape (1, 2, 2), got 5"],
    [npy([1, 2, 2], four, f4), "a.npy: expected 16 bytes for shape (1, 2, 2), got 4"],
    [npy([1, 1, 2], encoded("<f4", [0, NaN]), f4), "a.npy: value 1 is NaN: expected finite numbers"],
    [npy([1, 1, 2], encoded("<f4", [0, Infinity]), f4), "a.npy: value 1 is Infinity: expected finite numbers"],
    [npy([1, 1, 2], encoded(">f8", [-Infinity, 0]), { descr: ">f8" }), "a.npy: value 0 is -Infinity: expected finite"],
    [
      npy([1, 1, 2], encoded("<f4", [0, 256]), f4),
      "a.npy: expected values within [0, 1], [-1, 1] or [0, 255], got 0 to 256",
    ],
    [npy([1, 1, 2], encoded("<f4", [-0.5, 2]), f4), "or [0, 255], got -0.5 to 2"],
    [npy([1, 1, 2], encoded("<f4", [-2, 0]), f4), "or [0, 255], got -2 to 0"],
    [npy([4], four), `${shapes}(4)`],
    [npy([2, 2], four), `${shapes}(2, 2)`],
    [npy([], Uint8Array.of(1)), `${shapes}()`],
    [npy([1, 2, 2, 4], new Uint8Array(16)), `${shapes}(1, 2, 2, 4)`],
    [npy([1, 1, 1, 2, 2], four), `${shapes}(1, 1, 1, 2, 2)`],
    [npy([0, 28, 28], new Uint8Array()), `${shapes}(0, 28, 28)`],
    [npy([1, 0, 28], new Uint8Array()), `${shapes}(1, 0, 28)`],
    [npy([1, 4097, 1], new Uint8Array(4097)), `${shapes}(1, 4097, 1)`],
    [npy([1, 2, 2], four, { descr: "|O" }), `${types}Python objects; np.stack(images) makes`],
    [npy([1, 2, 2], four, { descr: "<i8" }), "a.npy: expected 32 bytes for shape (1, 2, 2), got 4"],
    [npy([1, 2, 2], four, { descr: "<f2" }), "a.npy: expected 8 bytes for shape (1, 2, 2), got 4"],
    [npy([1, 2, 2], four, { descr: "<f3" }), `${types}<f3`],
    [npy([1, 2, 2], four, { descr: "xu1" }), `${types}xu1`],
    [npy([1, 2, 2], four, { descr: "<c8" }), `${types}complex numbers`],
    [npy([1, 2, 2], four, { descr: "<U4" }), `${types}text`],
    [npy([2, 784], new Uint8Array(1568)), `${shapes}(2, 784); if each row is an image: images.reshape(-1, 28, 28)`],
    [
      npy([2, 3072], new Uint8Array(6144)),
      `${shapes}(2, 3072); if each row is an image: images.reshape(-1, 3, 32, 32) or images.resh`,
    ],
    [npy([1, 2, 2, 4], new Uint8Array(16)), `${shapes}(1, 2, 2, 4); images[..., :3] leaves transparency out`],
    [
      npy([1, 1, 2], encoded("<f4", [-0.5, 2]), f4),
      "[0, 255], got -0.5 to 2; (images - images.min()) / np.ptp(images) scales",
    ],
    [npy([1, 2, 2], four, { descr: "" }), `${types}`],
    [npy([1, 2, 2], four, { descr: "constructor" }), `${types}constructor`],
    [header("{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (1, 2, 2), }"), `${types}records`],
    [header("{'descr': '|u1', 'fortran_order': False, 'shape': (1, -2, 2), }"), `${damaged}{'descr'`],
    [header("{'descr': '|u1', 'fortran_order': False, 'shape': (1 2, 2), }"), damaged],
    [header("{'descr': '|u1', 'fortran_order': False, 'shape': (1.5, 2, 2), }"), damaged],
    [header("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2"), damaged],
    [header("{'descr': '|u1', 'fortran_order': 0, 'shape': (1, 2, 2), }"), damaged],
    [header("{'fortran_order': False, 'shape': (1, 2, 2), }"), damaged],
    [header(""), damaged],
    [header("\0\0\0"), damaged],
  ];
  for (const [bytes, sentence] of lies) assertThrows(() => imagesFromNpy(bytes, "a.npy"), Error, sentence);
  assert(isNpy(good) && !isNpy(good.subarray(1)) && !isNpy(new Uint8Array()));
});

Deno.test("imagesFromNpy: a shape that promises the world costs a sentence, no memory", () => {
  for (const [count, side] of [[1e6, 4096], [1e15, 4096], [4e9, 28]]) {
    for (const descr of ["|u1", "<f8"]) {
      const file = npy([count, side, side], new Uint8Array(100), { descr });
      assertThrows(() => imagesFromNpy(file, "a.npy"), Error, "got 100");
    }
  }
  const long = npy([1, 1, 1], Uint8Array.of(1), { version: 2, headerLength: 2 ** 32 - 1 });
  assertThrows(() => imagesFromNpy(long, "a.npy"), Error, "is cut off: expected a header of 4294967295 bytes");
});

Deno.test("imagesFromNpy: arbitrary bytes, also in a good file's place, give images or a sentence that names the file", () => {
  const good = npy([2, 2, 3], encoded("<f4", Array(12).fill(0.5)), { descr: "<f4" });
  const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(damage, fc.nat(good.length), fc.boolean(), (changes, length, cut) => {
      const bytes = good.slice(0, cut ? length : good.length);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      try {
        const { images: { count, height, width, pixels } } = imagesFromNpy(bytes, "a.npy");
        assertEquals(pixels.length, count * height * width);
        assertEquals(count * height * width * 4, 48);
      } catch (error) {
        assert(
          error instanceof Error && error.name === "Error" && /^a\.npy( is|:| has) .*[^.]$/s.test(error.message),
          `${error}`,
        );
        assert(!/undefined|NaN b|-\d+$|\[object/.test(error.message), error.message);
      }
    }),
    { numRuns: 3000, seed: 2016 },
  );
});

Deno.test("writeNpy: NumPy's header, then red, green and blue of every pixel", () => {
  const images = { count: 2, height: 2, width: 3, channels: 3, pixels: Uint8Array.from({ length: 36 }, (_, i) => i) };
  const bytes = writeNpy(images),
    start = 10 + bytes[8] + 256 * bytes[9],
    header = new TextDecoder().decode(bytes.slice(10, start));
  assertEquals([...bytes.slice(0, 8)], [0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  assertEquals(start % 64, 0);
  assertEquals(header.trim(), "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 3, 3), }");
  assert(header.endsWith("\n"));
  const wanted = Array.from({ length: 36 }, (_, i) => Math.floor(i / 18) * 18 + i % 3 * 6 + Math.floor(i / 3) % 6);
  assertEquals([...bytes.slice(start)], wanted);
});

Deno.test("imagesFromNpy: colours, channels first or last, in C and Fortran order; what writeNpy wrote", () => {
  const images = {
    count: 2,
    height: 2,
    width: 4,
    channels: 3,
    pixels: Uint8Array.from({ length: 48 }, (_, i) => 5 * i),
  };
  assertEquals(imagesFromNpy(writeNpy(images), "a.npy").images, images);
  assertEquals(imagesFromNpy(npy([2, 3, 2, 4], images.pixels), "a.npy").images, images);
  // In Fortran order the first dimension varies fastest.
  const fortran = Uint8Array.from(images.pixels, (_, i) => {
    const [n, y, x, c] = [i % 2, (i >> 1) % 2, (i >> 2) % 4, i >> 4];
    return images.pixels[((n * 3 + c) * 2 + y) * 4 + x];
  });
  assertEquals(imagesFromNpy(npy([2, 2, 4, 3], fortran, { fortran: true }), "a.npy").images, images);
});
