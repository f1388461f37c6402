import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { meanAndDeviation, psnr, ssim } from "../../../pipelines/restoration/fidelity.ts";
import { bytes } from "../../kernels_under_test.ts";

const size = { height: 12, width: 16 }, image = bytes(1, 12 * 16), other = bytes(2, 12 * 16);

Deno.test("psnr: the formula, and 99 for equal images", () => {
  assertAlmostEquals(psnr([10, 20, 30, 40], [10, 20, 30, 50]), 10 * Math.log10(65025 / 25), 1e-9);
  assertEquals(psnr([0], [255]), 0);
  assertEquals(psnr(image, image), 99);
});

Deno.test("ssim: 1 for equal images; of constant ones, the formula of the means; of others, less", () => {
  assertAlmostEquals(ssim(image, image, size), 1, 1e-12);
  const flat = (grey: number) => new Uint8Array(12 * 16).fill(grey), c = 2.55 ** 2;
  assertAlmostEquals(ssim(flat(100), flat(150), size), (2 * 100 * 150 + c) / (100 ** 2 + 150 ** 2 + c), 1e-9);
  assert(Math.abs(ssim(image, other, size)) < 0.3);
  assertAlmostEquals(ssim(image, other, size), ssim(other, image, size), 1e-12);
  assert(ssim(image, image.map((grey) => 255 - grey), size) < -0.5, "the opposite");
});

Deno.test("ssim: one window is the formula of Wang et al.", () => {
  const a = [...bytes(3, 49)], b = [...bytes(4, 49)], mean = (of: number[]) => of.reduce((sum, v) => sum + v, 0) / 49;
  const [ma, mb] = [mean(a), mean(b)],
    both = (x: number[], mx: number, y: number[], my: number) => mean(x.map((v, i) => (v - mx) * (y[i] - my)));
  const wanted = (2 * ma * mb + 2.55 ** 2) * (2 * both(a, ma, b, mb) + 7.65 ** 2) /
    ((ma ** 2 + mb ** 2 + 2.55 ** 2) * (both(a, ma, a, ma) + both(b, mb, b, mb) + 7.65 ** 2));
  assertAlmostEquals(ssim(a, b, { height: 7, width: 7 }), wanted, 1e-9);
});

Deno.test("meanAndDeviation: of each pixel, rounded half up", () => {
  const { mean, deviation } = meanAndDeviation([Uint8Array.of(0, 7, 9), Uint8Array.of(255, 7, 10)]);
  assertEquals([[...mean], [...deviation]], [[128, 7, 10], [127.5, 0, 0.5]]);
});
