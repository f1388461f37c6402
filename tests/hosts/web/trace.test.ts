import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { contributors } from "../../../core/provenance.ts";
import { pyramidSizes } from "../../../core/pyramid.ts";
import { lengthOf, squareOf } from "../../../core/shape.ts";
import { openSynthesizer, type SynthesisRequest } from "../../../pipelines/synthesis/synthesizer.ts";
import { cut, mapOf, percentOf } from "../../../hosts/web/origin.ts";
import { probabilities, rank, shares, trace, type Traced } from "../../../hosts/web/trace.ts";
import type { TraceAt } from "../../../hosts/web/protocol.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

const bench = {
  synthesizer: openSynthesizer(newKernels(), smallPack(), builtins),
  plugins: builtins,
  scratch: newKernels(),
};
const synthesisRequest: SynthesisRequest = { class: 5, seed: 3, images: [2] };

function traced(at: TraceAt, wanted: SynthesisRequest = synthesisRequest): Traced {
  const steps = trace(bench, wanted, at);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}
function made() {
  const steps = bench.synthesizer.synthesize(synthesisRequest);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

Deno.test("probabilities: in proportion to the exponentials, also of numbers that have none", () => {
  assertEquals([...probabilities([Math.log(1), Math.log(3)])].map((p) => p.toFixed(12)), [
    "0.250000000000",
    "0.750000000000",
  ]);
  assertEquals([...probabilities([-1e5, -1e5 - 1e4])], [1, 0]);
});

Deno.test("rank: the likeliest first, the drawn one always shown, the entropy as a number of equals", () => {
  const sources = Int32Array.of(7, 0, 0, 8, 1, 2, 9, 3, 4),
    logs = Float64Array.of(Math.log(1), Math.log(2), Math.log(1));
  const { count, effective, shown } = rank(sources, logs, [9, 3, 4], 1);
  assertEquals(count, 3);
  assertAlmostEquals(effective, Math.exp(0.5 * Math.log(2) + 0.5 * Math.log(4)), 1e-12);
  assertEquals(shown.map(({ image, y, x, rank, drawn }) => [image, y, x, rank, drawn]), [[8, 1, 2, 0, false], [
    9,
    3,
    4,
    2,
    true,
  ]]);
  assertAlmostEquals(rank(new Int32Array(30), new Float64Array(10), [1, 0, 0]).effective, 10, 1e-9);
});

Deno.test("trace: the last iteration's sources are those of the image's provenance", () => {
  const { plan, images: [image] } = made(), last = plan.layers[0].iterations.length - 1;
  const found = traced({ layer: 0, iteration: last, y: 8, x: 8 });
  assertEquals(found.sources, image.provenance.sources);
  assertEquals(found.places, image.provenance.places.map(({ y, x }) => ({ y, x })));
  assertEquals(shares(found), contributors(image.provenance));
  assertEquals(made().images[0].pixels, image.pixels, "looking inside leaves no trace");
});

Deno.test("trace: the draws are those whose patches cover the pixel, each a copy of what it says", () => {
  const { layers, patch } = bench.synthesizer.plan, sizes = pyramidSizes(squareOf(16), 2);
  for (const { layer, iterations } of layers) {
    for (const iteration of iterations.keys()) {
      const at = { layer, iteration, y: sizes[layer].height - 1, x: 3 }, found = traced(at);
      const covering = found.places.filter(({ y, x }) =>
        at.y >= y && at.y < y + patch && at.x >= x && at.x < x + patch
      );
      assertEquals(found.draws.map(({ y, x }) => ({ y, x })), covering);
      assert(found.draws.length > 0);
      for (const { drawn, source, candidates } of found.draws) {
        const example = found.examples.get(source!.image)!;
        assertEquals(cut(found.shape, example, source!.y, source!.x, patch), drawn);
        assertEquals(
          bench.synthesizer.pack.train.labels![source!.image],
          5,
          "the image is named by its number in the pack",
        );
        assertEquals(candidates!.shown.filter((one) => one.drawn).length, 1);
        const sum = candidates!.shown.reduce((sum, { probability }) => sum + probability, 0);
        assert(candidates!.shown.length < candidates!.count || Math.abs(sum - 1) < 1e-9);
        for (const { image } of candidates!.shown) assert(found.examples.has(image));
      }
      assertEquals(found.low.length, lengthOf(sizes[layer]) / 4);
    }
  }
});

Deno.test("trace: an iteration that there is not is one sentence, and the synthesizer goes on", () => {
  assertThrows(
    () => traced({ layer: 7, iteration: 0, y: 0, x: 0 }),
    Error,
    "There is no iteration 1 of layer 7 to look inside",
  );
  assertEquals(made().images.length, 1);
});

Deno.test("the map tints a pixel by the training image that most of it came from", () => {
  const shape = { height: 2, width: 2, channels: 1 }, at = { layer: 0, iteration: 0, y: 0, x: 0 };
  const places = [{ y: 0, x: 0 }],
    found = {
      at,
      shape,
      patch: 2,
      places,
      sources: Int32Array.of(4, 0, 0),
      draws: [],
      low: new Uint8Array(),
      examples: new Map(),
    };
  const pixels = Uint8Array.of(0, 100, 200, 50);
  assertEquals(mapOf(found, pixels, new Map()), Uint8Array.of(...pixels, ...pixels, ...pixels));
  const tinted = mapOf(found, pixels, new Map([[4, "#ff0000"]]));
  assertEquals([...tinted.subarray(0, 4)], [158, 196, 234, 177]);
  assertEquals([...tinted.subarray(4, 8)], [0, 38, 76, 19]);
});

Deno.test("percentages as people read them", () => {
  assertEquals([0, 0.0004, 0.0123, 0.256, 1].map(percentOf), [
    "0.0\u00a0%",
    "<0.1\u00a0%",
    "1.2\u00a0%",
    "26\u00a0%",
    "100\u00a0%",
  ]);
});
