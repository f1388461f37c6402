import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { contributors } from "../../../core/provenance.ts";
import { finish } from "../../../core/steps.ts";
import { pyramidSizes } from "../../../core/pyramid.ts";
import { lengthOf, squareOf } from "../../../core/shape.ts";
import { openSynthesizer, type SynthesisRequest } from "../../../pipelines/synthesis/synthesizer.ts";
import {
  cutPatch,
  type PixelTrace,
  probabilities,
  rankCandidates,
  type TracedPixel,
  tracePixel,
  traceShares,
} from "../../../pipelines/synthesis/pixel_trace.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

const synthesizer = openSynthesizer(newKernels(), smallPack(), builtins), scratch = newKernels();
const request: SynthesisRequest = { class: 5, seed: 3, images: [2] };

function traced(at: TracedPixel, of = request): PixelTrace {
  return finish(tracePixel(synthesizer, of, at, { plugins: builtins, scratch }));
}
function made(of = request) {
  return finish(synthesizer.synthesize(of));
}

Deno.test("probabilities: in proportion to the exponentials, also of numbers that have none", () => {
  assertEquals([...probabilities([Math.log(1), Math.log(3)])].map((p) => p.toFixed(12)), [
    "0.250000000000",
    "0.750000000000",
  ]);
  assertEquals([...probabilities([-1e5, -1e5 - 1e4])], [1, 0]);
});

Deno.test("rankCandidates: the most probable first, the drawn one always shown, the entropy as a number of equals", () => {
  const sources = Int32Array.of(7, 0, 0, 8, 1, 2, 9, 3, 4),
    logs = Float64Array.of(Math.log(1), Math.log(2), Math.log(1));
  const { count, effective, shown } = rankCandidates(sources, logs, [9, 3, 4], 1);
  assertEquals(count, 3);
  assertAlmostEquals(effective, Math.exp(0.5 * Math.log(2) + 0.5 * Math.log(4)), 1e-12);
  assertEquals(shown.map(({ image, y, x, rank, drawn }) => [image, y, x, rank, drawn]), [[8, 1, 2, 0, false], [
    9,
    3,
    4,
    2,
    true,
  ]]);
  assertAlmostEquals(rankCandidates(new Int32Array(30), new Float64Array(10), [1, 0, 0]).effective, 10, 1e-9);
});

Deno.test("trace: the last iteration's sources are those of the image's provenance", () => {
  const { plan, images: [image] } = made(), last = plan.layers[0].iterations.length - 1;
  const found = traced({ layer: 0, iteration: last, y: 8, x: 8 });
  assertEquals(found.sources, image.provenance.sources);
  assertEquals(found.places, image.provenance.positions.map(({ y, x }) => ({ y, x })));
  assertEquals(traceShares(found), contributors(image.provenance));
  assertEquals(made().images[0].pixels, image.pixels, "tracing a pixel changes nothing");
});

Deno.test("trace: patches of one colour count for no example, as in the image's own shares", () => {
  const pack = smallPack(), pixels = pack.train.images.pixels.map((_, p) => p % 196 < 98 ? 0 : (31 * p) % 256);
  const flat = { ...pack, train: { ...pack.train, images: { ...pack.train.images, pixels } } };
  const made = openSynthesizer(newKernels(), flat, builtins), last = made.plan.layers[0].iterations.length - 1;
  const { images: [{ provenance }] } = finish(made.synthesize(request));
  const found = finish(
    tracePixel(made, request, { layer: 0, iteration: last, y: 8, x: 8 }, { plugins: builtins, scratch: newKernels() }),
  );
  assert(provenance.plain!.includes(1) && provenance.plain!.includes(0));
  assertEquals(found.plain, provenance.plain);
  assertEquals(traceShares(found), contributors(provenance));
});

Deno.test("trace: of an image that is drawn again, the draws of the image that is kept", () => {
  const again = { ...request, set: ["layers.0.minOriginality=10"] }, { plan, images: [image] } = made(again);
  assert(image.tries! > 1 && String(image.pixels) !== String(made().images[0].pixels));
  const found = traced({ layer: 0, iteration: plan.layers[0].iterations.length - 1, y: 8, x: 8 }, again);
  assertEquals(found.sources, image.provenance.sources);
  assertEquals(found.places.length, image.provenance.positions.length);
});

Deno.test("trace: the draws are those whose patches cover the pixel, each a copy of what it says", () => {
  const { layers, patch } = synthesizer.plan, sizes = pyramidSizes(squareOf(16), 2);
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
        assertEquals(cutPatch(found.shape, example, source!, patch), drawn);
        assertEquals(
          synthesizer.pack.train.labels![source!.image],
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

Deno.test("trace: an iteration that does not exist is an error of one sentence, and the synthesizer goes on", () => {
  assertThrows(
    () => traced({ layer: 7, iteration: 0, y: 0, x: 0 }),
    RangeError,
    "Cannot trace iteration 1 of layer 7: the plan has no such iteration",
  );
  assertEquals(made().images.length, 1);
});
