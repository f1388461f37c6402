import type { Images } from "../core/types.ts";

/** Images, with the class of each where the data has classes. */
export interface LabelledImages {
  readonly images: Images;
  /** One label an image, 0..255. */
  readonly labels?: Uint8Array;
}

/** What a profile is run on: examples to draw patches from, and images held out from them to take seed images from. */
export interface DataSet {
  /** `mnist`, `faces` or the name of a folder or file. */
  readonly name: string;
  /** One line for people: what it is and where it came from. */
  readonly origin: string;
  readonly train: LabelledImages;
  readonly test: LabelledImages;
  /** What was read, with the SHA-256 of its bytes in hexadecimal. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}
