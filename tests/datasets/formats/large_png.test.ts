import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { finish } from "../../../core/steps.ts";
import { stream } from "../../../core/random.ts";
import { largePng } from "../../../datasets/formats/large_png.ts";

Deno.test("largePng: a PNG of the picture, whatever its size, in small steps", () => {
  const random = stream(1);
  for (const [width, height] of [[1, 1], [1, 300], [300, 1], [7, 5], [400, 300]]) {
    for (const noise of [0, 256]) {
      const data = Uint8Array.from({ length: width * height * 3 }, () => noise * random.next());
      const work: number[] = [], counter = { addWork: (more: number) => void work.push(more) };
      const steps = largePng({ width, height, data }, counter);
      let step = steps.next(), pauses = 0;
      for (; !step.done; step = steps.next()) pauses++;
      assertEquals(work.length, pauses);
      const found = decode(step.value, { checkCrc: true });
      assertEquals([found.width, found.height, found.channels, found.depth], [width, height, 3, 8]);
      assertEquals(new Uint8Array(found.data), data);
      assert(Math.max(...work) < 1e7, `${Math.max(...work)}`); // a millisecond
      assertEquals(finish(largePng({ width, height, data }, counter)), step.value);
    }
  }
});
