/** Describes an open pack to the page. */
import { kernelHash } from "../../../core/kernels.ts";
import { pad } from "../../../core/pyramid.ts";
import { numbersOfClass } from "../../../datasets/groups.ts";
import { fingerprintOf, pagePackOf } from "../../../pipelines/page/page_pack.ts";
import type { Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { periodsOf } from "../../../pipelines/quilting/structure_length.ts";
import type { OpenedPack } from "./protocol.ts";

/** How many training images of a class the page shows. */
const EXAMPLES = 8;

/** Describes a pack. `bytes` are those of its file. The returned arrays are copies, because they are posted to the page. */
export function describePack(synthesizer: Synthesizer, bytes: Uint8Array, kernels: WebAssembly.Module): OpenedPack {
  const { pack: { origin, train, classes: classNames, transparent }, plan: { aligned, sizes: [size] } } = synthesizer;
  const chosen = pagePackOf(synthesizer), { classes, seeds, shape: { channels } } = chosen;
  const exampleSize = aligned ? size : { height: train.images.height, width: train.images.width };
  return {
    ...chosen,
    origin,
    fingerprint: fingerprintOf(bytes),
    kernels: kernelHash(kernels),
    classNames,
    transparent,
    train: { count: train.images.count, labels: train.labels?.slice() },
    examples: (classes.length > 0 ? classes : [undefined]).map((label) => {
      const numbers = numbersOfClass(train.labels, label, train.images.count).subarray(0, EXAMPLES);
      return { label, pictures: [...numbers].map((image) => pad(train.images, image, exampleSize)) };
    }),
    exampleShape: { ...exampleSize, channels },
    ...!aligned && { periods: periodsOf(train.images) },
    seeds: { ...seeds, images: seeds.images.slice(), labels: seeds.labels?.slice() },
  };
}
