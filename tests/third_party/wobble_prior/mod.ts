/**
 * A whole third-party prior: patches come from places that tremble around their location, so that lines become wavy.
 * It imports Patchloom by its name, lies in a folder of its own, and is used by its specifier.
 */
import { definePlugin, type FittedPrior, type LayerData, lrDistance, readPatch } from "@patchloom/patchloom";

/** The prior. */
export default definePlugin({
  api: 1,
  kind: "prior",
  name: "wobble",
  about: "the best fitting of some training patches from places that tremble around the location",
  options: {
    reach: {
      default: 2,
      min: 0,
      max: 16,
      integer: true,
      about: "pixels that places tremble by in the finest layer; larger: wavier lines",
    },
    tries: {
      default: 40,
      min: 1,
      max: 10000,
      integer: true,
      about: "patches to choose from; more: closer to the seed image",
    },
  },
  create: ({ reach, tries }) => ({ fit: (layer) => fit(layer, reach, tries) }),
});

function fit(layer: LayerData, reach: number, tries: number): FittedPrior {
  const { height, width, channels, patch, hr } = layer;
  if (hr.height !== height || hr.width !== width) {
    throw new Error("expected training images of the size of the results");
  }
  // Coarser layers have larger pixels.
  const most = Math.floor(reach / 2 ** layer.layer), length = channels * patch * patch;
  const tremble = (place: number, uniform: number, last: number) => {
    return Math.min(Math.max(place + Math.floor(uniform * (2 * most + 1)) - most, 0), last);
  };
  const example = new Float64Array(length);

  return {
    draw(location, measurements, { rho, h, zStep }, random, out) {
      const chance = [0, 1, 2].map(() => new Float64Array(measurements.batch));
      const drawn = new Int32Array(3 * measurements.batch), least = new Float64Array(measurements.batch).fill(Infinity);
      // Where no sample is wanted but the likeliest patch, all images are compared, and nothing trembles.
      for (let one = 0; one < (zStep === "sample" ? tries : hr.count); one++) {
        chance.forEach((uniforms, which) => random.uniforms(uniforms, 3 * one + which));
        for (let b = 0; b < measurements.batch; b++) {
          const [image, y, x] = zStep !== "sample" ? [one, location.y, location.x] : [
            Math.floor(chance[0][b] * hr.count),
            tremble(location.y, chance[1][b], height - patch),
            tremble(location.x, chance[2][b], width - patch),
          ];
          readPatch(layer, image, { y, x }, example);
          const far = lrDistance(layer, measurements, b, location, image, { y, x });
          const near = distance(example, measurements.patches.subarray(b * length));
          const sum = far / h + rho / 2 * near;
          if (sum < least[b]) {
            least[b] = sum;
            drawn.set([image, y, x], 3 * b);
          }
        }
      }
      out.sources.set(drawn);
      for (let b = 0; b < measurements.batch; b++) {
        const [image, y, x] = drawn.subarray(3 * b);
        readPatch(layer, image, { y, x }, out.patches.subarray(b * length));
      }
    },
  };
}

/** Squared distance of a patch to the patch that an array begins with. */
function distance(patch: Float64Array, other: ArrayLike<number>): number {
  let sum = 0;
  for (let p = 0; p < patch.length; p++) sum += (patch[p] - other[p]) ** 2;
  return sum;
}
