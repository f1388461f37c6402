import { assert, assertEquals } from "@std/assert";
import { proceduralObjects } from "../../../datasets/procedural/objects.ts";

const AREA = 32 * 32;

Deno.test("proceduralObjects: four kinds in turn, all different, on black, not all at one place", () => {
  const { images: { count, pixels }, labels } = proceduralObjects("train", 5), seen = new Set<string>();
  assertEquals([count, [...labels.subarray(0, 5)]], [20, [0, 1, 2, 3, 0]]);
  const centres: number[] = [];
  for (let i = 0; i < count; i++) {
    const own = pixels.subarray(i * AREA, (i + 1) * AREA), drawn = own.filter((value) => value > 0).length;
    assert(drawn > 0.06 * AREA && drawn < 0.75 * AREA, `${drawn} pixels of object ${i}`);
    seen.add(own.join());
    let mass = 0, x = 0;
    own.forEach((value, p) => {
      mass += value;
      x += value * (p % 32);
    });
    centres.push(x / mass);
  }
  assertEquals(seen.size, count);
  assert(Math.max(...centres) - Math.min(...centres) > 2);
});

Deno.test("proceduralObjects: the same every time, the first ones of more; test objects are others", () => {
  const { images: { pixels } } = proceduralObjects("train", 1);
  assertEquals(proceduralObjects("train", 2).images.pixels.subarray(0, pixels.length), pixels);
  assert(proceduralObjects("test", 1).images.pixels.some((value, p) => value !== pixels[p]));
});
