/** Describes an open pack to the page. */
import { kernelHash } from "../../../core/kernels.ts";
import { pad } from "../../../core/pyramid.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import type { Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import type { OpenedPack } from "./protocol.ts";

/** How many training images of a class the page shows. */
const EXAMPLES = 8;
/** The offset of the checksum in a pack's file, in bytes. */
const CHECKSUM_AT = 12;

/** Describes a pack. `bytes` are those of its file. The returned arrays are copies, because they are posted to the page. */
export function describePack(
  { pack, plan, classes }: Synthesizer,
  bytes: Uint8Array,
  kernels: WebAssembly.Module,
): OpenedPack {
  const { profile, origin, train, seeds } = pack, { sizes, channels } = plan, [size] = sizes;
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(CHECKSUM_AT, true);
  return {
    profile,
    origin,
    fingerprint: `${checksum.toString(16).padStart(8, "0")}-${bytes.length}`,
    kernels: kernelHash(kernels),
    classes,
    classNames: pack.classes,
    train: { count: train.images.count, labels: train.labels?.slice() },
    examples: (classes.length > 0 ? classes : [undefined]).map((label) => {
      const numbers = chosenBy(train.labels, label, train.images.count).subarray(0, EXAMPLES);
      return { label, pictures: [...numbers].map((image) => pad(train.images, image, size)) };
    }),
    shape: { ...size, channels },
    seeds: {
      count: seeds.count,
      shape: { ...sizes.at(-1)!, channels },
      images: seeds.images.slice(),
      labels: seeds.labels?.slice(),
    },
  };
}
