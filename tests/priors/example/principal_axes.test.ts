import { finish } from "../../../core/steps.ts";
import { assert, assertEquals } from "@std/assert";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import type { Kernels } from "../../../core/kernels.ts";
import { pyramidSizes, trainingPyramid } from "../../../core/pyramid.ts";
import { stream } from "../../../core/random.ts";
import { square } from "../../../plugins/contexts/square.ts";
import { AXES, axesPay, writePrincipalAxes } from "../../../priors/example/principal_axes.ts";
import { localNn } from "../../../priors/local_nn.ts";
import { bytes, floats, put, putPlanes, wasm } from "../../kernels_under_test.ts";
import { NO_SOURCES } from "../../small_world.ts";

Deno.test("writePrincipalAxes: no singular value above 2^12.5, and most of the variance lies along the first axes", () => {
  const planes = 26, height = wasm.mark(), random = stream(3), count = 500;
  // Two causes and a little noise.
  const causes = Array.from({ length: count }, () => [random.next(), random.next()]);
  const plane = (p: number) =>
    Uint8Array.from(causes, ([a, b]) => 100 * a * Math.sin(p) ** 2 + 100 * b * Math.cos(p) ** 2 + 5 * random.next());
  const scales = Array.from({ length: planes }, (_, p) => p % 3 === 0 ? 40 : 28);
  const planesAt = putPlanes(wasm, [Array.from({ length: planes }, (_, p) => plane(p))]);
  const out = wasm.allocate(AXES * planes * 2), scale = put(wasm, Int16Array.from(scales));
  writePrincipalAxes(wasm, { planesAt, scale, planes, count }, out);
  const axes = new Matrix(Array.from({ length: AXES }, (_, f) => [...wasm.i16(out + f * planes * 2, planes)]));
  const [largest] = new SingularValueDecomposition(axes).diagonal;
  assert(largest <= 2 ** 12.5 && largest > 2 ** 12.5 * 0.99);
  const variance = (f: number) => {
    const addresses = wasm.u32(planesAt, planes);
    const values = causes.map((_, j) =>
      scales.reduce((sum, factor, p) => sum + axes.get(f, p) * factor * wasm.u8(addresses[p] + j, 1)[0], 0)
    );
    const mean = values.reduce((sum, value) => sum + value, 0) / count;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  };
  assert(variance(0) > variance(1));
  assert(variance(1) > 20 * variance(2));
  wasm.release(height);
});

Deno.test("local-nn: many examples are projected on axes, and the candidates are those without axes", () => {
  const size = { height: 16, width: 16 }, count = 1200, patch = 6, height = wasm.mark();
  const images = { count, ...size, pixels: bytes(4, count * 256) };
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(wasm, images, pyramidSizes(size, 1)));
  const context = square.create({ extent: 1, weight: 0.5 }).mask(patch / 2, 8), at = { y: 4, x: 4, visits: 1 };
  const found = (keepsAxes: boolean) => {
    let projected = 0;
    const kernels: Kernels = {
      ...wasm,
      search: (comparison, ...rest) => {
        projected += Number(comparison.axes !== 0);
        return wasm.search(keepsAxes ? comparison : { ...comparison, axes: 0 }, ...rest);
      },
    };
    const layer = {
      layer: 0,
      ...size,
      channels: 1,
      patch,
      window: 2,
      context,
      locations: [at],
      batch: 3,
      hr,
      lr,
      kernels,
    };
    const prior = finish(localNn.create({ neighbours: 1, hubPenalty: 0, bonus: 0 }).fit(layer));
    const lrAt = put(wasm, floats(1, 3 * 64, 0, 1)), patches = put(wasm, floats(2, 3 * 36, 0, 1));
    const measurements = {
      ...{ batch: 3, lr: wasm.f32(lrAt, 3 * 64), patches: wasm.f32(patches, 3 * 36) },
      ...{ lrKey: {}, sources: NO_SOURCES },
    };
    const step = { rho: 1, h: 1, iteration: 0, zStep: "sample" as const };
    const candidates = [0, 1, 2].map((b) => prior.candidates!(at, measurements, step, b));
    return { projected, candidates };
  };
  assert(axesPay(9 * count, 25, 1) && !axesPay(9 * count, 25, 2) && !axesPay(9 * count, 9, 1));
  const { projected, candidates } = found(true);
  assertEquals(projected, 3); // a search for each of the three questions
  assertEquals(candidates, found(false).candidates);
  wasm.release(height);
});
