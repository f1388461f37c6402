/**
 * A third party's prior, whole: patches come from places that tremble around their location, so that lines become wavy.
 * It imports Patchloom by its name, lies in a folder of its own, and is used by its specifier.
 */
import { definePlugin, type FittedPrior, type LayerData } from "@patchloom/patchloom";

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
      about: "patches to choose from; more: closer to the seed",
    },
  },
  create: ({ reach, tries }) => ({ fit: (layer) => fit(layer, reach, tries) }),
});

function fit(
  { kernels, layer, height, width, channels, patch, hr }: LayerData,
  reach: number,
  tries: number,
): FittedPrior {
  if (hr.height !== height || hr.width !== width) {
    throw new Error("expected training images of the size of the results");
  }
  // Coarser layers have larger pixels.
  const most = Math.floor(reach / 2 ** layer), length = channels * patch * patch;
  return {
    draw(at, now, { rho, h, zStep }, random, out) {
      const bytes = kernels.u8(hr.at, hr.count * channels * height * width);
      const chance = [0, 1, 2].map(() => new Float64Array(now.batch));
      const drawn = new Int32Array(3 * now.batch), least = new Float64Array(now.batch).fill(Infinity);
      /** Value p of the patch of training image `image` at (y, x), in [0, 1]. */
      const value = (image: number, y: number, x: number, p: number) => {
        const channel = Math.floor(p / (patch * patch)), row = y + Math.floor(p / patch) % patch;
        return bytes[((image * channels + channel) * height + row) * width + x + p % patch] / 255;
      };
      const tremble = (place: number, uniform: number, last: number) => {
        return Math.min(Math.max(place + Math.floor(uniform * (2 * most + 1)) - most, 0), last);
      };
      // Where no sample is asked for but the likeliest patch, all images are looked at, and nothing trembles.
      for (let one = 0; one < (zStep === "sample" ? tries : hr.count); one++) {
        chance.forEach((uniforms, which) => random.uniforms(uniforms, 3 * one + which));
        for (let b = 0; b < now.batch; b++) {
          const [image, y, x] = zStep !== "sample" ? [one, at.y, at.x] : [
            Math.floor(chance[0][b] * hr.count),
            tremble(at.y, chance[1][b], height - patch),
            tremble(at.x, chance[2][b], width - patch),
          ];
          const distance = far(image, y, x, b) / h + rho / 2 * near(image, y, x, b);
          if (distance < least[b]) {
            least[b] = distance;
            drawn.set([image, y, x], 3 * b);
          }
        }
      }
      out.sources.set(drawn);
      for (let b = 0; b < now.batch; b++) {
        const [image, y, x] = drawn.subarray(3 * b, 3 * b + 3);
        for (let p = 0; p < length; p++) out.patches[b * length + p] = value(image, y, x, p);
      }

      /** Squared distance to the present patch. */
      function near(image: number, y: number, x: number, b: number): number {
        let sum = 0;
        for (let p = 0; p < length; p++) sum += (value(image, y, x, p) - now.patches[b * length + p]) ** 2;
        return sum;
      }
      /** Squared distance of the patch's blocks of 2x2 pixels, averaged, to the LR pixels below the location. */
      function far(image: number, y: number, x: number, b: number): number {
        let sum = 0;
        for (let p = 0; p < length; p++) {
          const row = Math.floor(p / patch) % patch, column = p % patch;
          if (row % 2 === 1 || column % 2 === 1) continue;
          const block = value(image, y, x, p) + value(image, y, x, p + 1) + value(image, y, x, p + patch) +
            value(image, y, x, p + patch + 1);
          const channel = b * channels + Math.floor(p / (patch * patch));
          const low = now.lr[(channel * height / 2 + ((at.y + row) >> 1)) * width / 2 + ((at.x + column) >> 1)];
          sum += (block / 4 - low) ** 2;
        }
        return sum;
      }
    },
  };
}
