/** What the page and its worker say to each other: plain data. Pictures are bytes, channel by channel, row by row. */
import type { Profile } from "../../core/profile.ts";
import type { SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import type { Shape } from "../../core/shape.ts";
import type { Traced } from "./trace.ts";

/** A question. It is answered once, with its `id`, unless a newer one ends it: see `ENDS`. */
export type ToWorker =
  /** Opens a pack: one to fetch, or a file's bytes. */
  | { readonly kind: "open"; readonly id: number; readonly from: string | Uint8Array }
  /** Makes images; the requests one after another. */
  | { readonly kind: "make"; readonly id: number; readonly synthesisRequests: readonly SynthesisRequest[] }
  /** Looks inside the making of a request's only image. */
  | { readonly kind: "trace"; readonly id: number; readonly synthesisRequest: SynthesisRequest; readonly at: TraceAt };

/** Which questions a newer one ends: who opens another pack, say, wants nothing more of the one before. */
export const ENDS: Readonly<Record<ToWorker["kind"], readonly ToWorker["kind"][]>> = {
  open: ["open", "make", "trace"],
  make: ["make", "trace"],
  trace: ["trace"],
};

/** Which pixel, after which iteration of which layer. */
export interface TraceAt {
  readonly layer: number;
  readonly iteration: number;
  readonly y: number;
  readonly x: number;
}

export type FromWorker =
  | { readonly kind: "opened"; readonly id: number; readonly pack: Opened }
  | {
    readonly kind: "frame";
    readonly id: number;
    readonly synthesisRequest: number;
    readonly frame: Frame;
    readonly done: number;
  }
  | {
    readonly kind: "made";
    readonly id: number;
    readonly synthesisRequest: number;
    readonly images: readonly MadePicture[];
  }
  /** One of the requests cannot be granted. */
  | { readonly kind: "refused"; readonly id: number; readonly synthesisRequest: number; readonly sentence: string }
  | { readonly kind: "finished"; readonly id: number }
  | { readonly kind: "traced"; readonly id: number; readonly traced: Traced }
  /** The question failed as a whole. */
  | { readonly kind: "failed"; readonly id: number; readonly sentence: string };

/** A pack, as the page needs to know it. */
export interface Opened {
  readonly profile: Profile;
  readonly origin: string;
  /** Eight hexadecimal digits of the file's checksum, a hyphen and its length. */
  readonly fingerprint: string;
  /** SHA-256 of the kernels that work on it, in hexadecimal. */
  readonly kernels: string;
  /** None where its images have no labels. */
  readonly classes: readonly number[];
  readonly train: { readonly count: number; readonly labels?: Uint8Array };
  /** The first training images of each class (of all, where there are no classes), padded to the profile's size. */
  readonly examples: readonly { readonly label?: number; readonly pictures: readonly Uint8Array[] }[];
  readonly shape: Shape;
  readonly seeds: {
    readonly count: number;
    readonly shape: Required<Shape>;
    /** count x shape values in [0, 1]. */
    readonly images: Float32Array;
    readonly labels?: Uint8Array;
  };
}

/** A request's images after an iteration; iteration -1 is the LR image interpolated, with which a layer begins. */
export interface Frame {
  readonly layer: number;
  readonly iteration: number;
  readonly shape: Shape;
  readonly pictures: readonly Uint8Array[];
}

/** A finished image. */
export interface MadePicture {
  readonly number: number;
  readonly label?: number;
  readonly pixels: Uint8Array;
  /** Numbers of training images are the pack's. */
  readonly nearest: { readonly image: number; readonly distance: number; readonly trainingDistance: number };
  /** The nearest training image, padded to the profile's size. */
  readonly nearestPixels: Uint8Array;
  readonly contributors: readonly { readonly image: number; readonly share: number }[];
  readonly correction: number;
  readonly seedNumber?: number;
}
