/** What the page's choices are read against: the profile, classes, shapes and seed images of an open pack. */
import type { Profile } from "../../core/profile.ts";
import type { Shape } from "../../core/shape.ts";
import type { Synthesizer } from "../synthesis/synthesizer.ts";
import { packedSizes, seedShape } from "../synthesis/take_seed_images.ts";

/** The parts of an open pack by which choices become requests. */
export interface PagePack {
  readonly profile: Profile;
  /** Ascending; empty where its images have no labels. */
  readonly classes: readonly number[];
  /** The shape of the images that are synthesized. */
  readonly shape: Shape;
  readonly seeds: {
    readonly count: number;
    readonly shape: Required<Shape>;
    /** count x channels x height x width values in [0, 1]. */
    readonly images: Float32Array;
    readonly labels?: Uint8Array;
  };
}

/** Describes an open pack. The arrays are those of the pack, not copies. */
export function pagePackOf({ pack: { profile, seeds }, plan, classes }: Synthesizer): PagePack {
  const { count, images, labels } = seeds;
  const { sizes, channels } = plan;
  return {
    profile,
    classes,
    shape: { ...sizes[0], channels },
    seeds: { count, shape: seedShape({ sizes: packedSizes(plan), channels }), images, labels },
  };
}

/** The offset of the checksum in a pack's file, in bytes. */
const CHECKSUM_AT = 12;

/** Names a pack by the bytes of its file: eight hexadecimal digits of its checksum, a hyphen, and its length in bytes. */
export function fingerprintOf(bytes: Uint8Array): string {
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(CHECKSUM_AT, true);
  return `${checksum.toString(16).padStart(8, "0")}-${bytes.length}`;
}
