import { denoiserChecks } from "@patchloom/patchloom/testing";
import { assertEquals } from "@std/assert";
import type { DenoiserData, FittedDenoiser } from "../../../core/denoiser.ts";
import type { PluginOf } from "../../../core/testing/check.ts";
import { compiled } from "../../kernels_under_test.ts";
import { failures, type Fault, plainDenoiser, testFaults } from "./plain_plugins.ts";

type Denoise = FittedDenoiser["denoise"];

/** The plain denoiser with something else around it; `spoil` is called once a fit. */
function broken(
  spoil: (denoise: Denoise, data: DenoiserData) => Denoise,
  more: Partial<FittedDenoiser> = {},
): PluginOf<"denoiser"> {
  return {
    ...plainDenoiser,
    create(values: { share: number }) {
      const inner = plainDenoiser.create(values);
      return {
        fit(data: DenoiserData) {
          const fitted = inner.fit(data);
          return { ...fitted, denoise: spoil((...given) => fitted.denoise(...given), data), ...more };
        },
      };
    },
  };
}

/** The plain denoiser with something done after each call. */
function after(then: (...given: [...Parameters<Denoise>, DenoiserData]) => void): PluginOf<"denoiser"> {
  return broken((denoise, data) => (noisy, noise, out) => {
    denoise(noisy, noise, out);
    then(noisy, noise, out, data);
  });
}

const ALONE = "denoises an image the same alone", BEFORE = "denoises the same whatever";
const FILLS = "fills all values", ONLY = "writes only to its output", TAKES = "takes its kernel memory in fit";
const EMPTY = "does nothing for a batch of no images";
let calls = 0;

function addTo(images: Float32Array, value: number): void {
  for (let i = 0; i < images.length; i++) images[i] += value;
}

const faults: Fault<PluginOf<"denoiser">>[] = [
  ["another kind", { ...plainDenoiser, kind: "prior" as "denoiser" }, {
    "is a denoiser of api 1": /"half": expected kind "denoiser", got "prior"/,
  }],
  ["an estimate that hangs on the batch", after(({ batch }, _, out) => addTo(out.images, batch / 1000)), {
    [ALONE]: /the same estimate in any batch, got/,
  }],
  ["another estimate every time", after((_, __, out) => addTo(out.images, ++calls / 1000)), {
    [ALONE]: /./,
    [BEFORE]: /the same estimate whatever was denoised before/,
    "fitted twice": /two fits side by side not to disturb each other/,
    "can be disposed of twice": /./,
    [EMPTY]: /./,
  }],
  ["chance that changes nothing", after(() => void Math.random()), {
    "uses no random numbers": /a call of Math.random\(\)/,
  }],
  ["a value that is left", after(({ batch }, _, out) => batch > 0 && out.images.fill(NaN, -1)), {
    [FILLS]: /finite numbers in all of out.images, got NaN at step 0/,
    [ALONE]: /./,
    "comes nearer": /./,
  }],
  ["a noisy image that it changes", after(({ images }) => images.length > 0 && (images[0] += 1)), {
    [ONLY]: /denoise to write to `out` only, got a change of the noisy images/,
  }],
  ["memory that it takes in denoise", after((_, __, ___, { kernels }) => void kernels.allocate(16)), {
    [TAKES]: /the memory that fit allocated, got 80 bytes more in use/,
    [EMPTY]: /denoising no images to do nothing, got 80 bytes/,
  }],
  ["weights that do not sum to 1", broken((denoise) => denoise, { weights: (_, __, ___, out) => void out.fill(1) }), {
    "says what a pixel consists of": /a weight of at least 0 for each training image, which sum to 1, got a sum of/,
  }],
  ["an estimate far away", after((_, __, out) => addTo(out.images, 9)), {
    "comes nearer": /a mean squared error below that of the noisy image/,
  }],
];
testFaults(faults, (plugin) => denoiserChecks(plugin));

Deno.test("denoiserChecks: a plain denoiser passes all of them", async () => {
  assertEquals([...await failures(denoiserChecks(plainDenoiser, { module: compiled("kernels.wasm") }))], []);
});
