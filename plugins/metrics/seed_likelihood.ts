/**
 * The log-likelihood of seed images of section "Assessment of MNIST Synthesis": for each seed image s the log of a Parzen
 * window over the seed images t of the training images of its class,
 *
 *     log (1 / |T|) sum over t in T of (2 pi sigma^2)^(-pixels / 2) exp(-|s - t|^2 / (2 sigma^2)),
 *
 * in nats; low: a unique seed image, from which images often fail. The paper states neither sigma nor whose seed images T
 * are. With the sigma of equation (patch ll), 1/sqrt(2 pi), and T of the seed image's own class, the seed images of MNIST's
 * test images of "8" average -0.2787; the paper has -0.279. (With T of all classes it is -0.365.)
 *
 * @param seeds one seed image after another, `pixels` values each, in [0, 1]
 * @param training those of the training images, likewise
 * @returns one value for each seed image
 * @throws one sentence if there are no seed images of either kind, or sigma is not above 0
 */
export function seedLikelihood(
  seeds: Float32Array,
  training: Float32Array,
  pixels: number,
  sigma = 1 / Math.sqrt(2 * Math.PI),
): Float64Array {
  const fail = (wanted: string, found: number): never => {
    throw new Error(`Cannot compute the likelihood of seed images: expected ${wanted}, got ${found}`);
  };
  if (!Number.isInteger(pixels) || pixels < 1) fail("a whole number of pixels from 1 on", pixels);
  if (!(sigma > 0 && sigma < Infinity)) fail("sigma above 0", sigma);
  for (const [name, { length }] of [["seed image", seeds], ["training seed image", training]] as const) {
    if (length === 0 || length % pixels !== 0) fail(`${pixels} values for each of one or more ${name}s`, length);
  }
  const count = training.length / pixels;
  const perDistance = 1 / (2 * sigma * sigma);
  const constant = Math.log(count) + pixels / 2 * Math.log(2 * Math.PI * sigma * sigma);
  const squared = new Float64Array(count);
  return Float64Array.from({ length: seeds.length / pixels }, (_, i) => {
    let least = Infinity;
    let sum = 0;
    for (let j = 0; j < count; j++) {
      let distance = 0;
      for (let p = 0; p < pixels; p++) distance += (seeds[i * pixels + p] - training[j * pixels + p]) ** 2;
      squared[j] = distance;
      least = Math.min(least, distance);
    }
    // The term of the nearest is factored out of the sum: with far seed images alone it would underflow to 0.
    for (let j = 0; j < count; j++) sum += Math.exp(-perDistance * (squared[j] - least));
    return Math.log(sum) - perDistance * least - constant;
  });
}
