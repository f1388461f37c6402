/** The messages between the page and its worker: plain data. Pictures are bytes, channel by channel, row by row. */
import type { Profile } from "../../../core/profile.ts";
import type { Shape } from "../../../core/shape.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { EyePair } from "../../../datasets/faces/windows.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import type { Colour, GreyImage } from "../../../datasets/formats/colour.ts";
import type { PagePack } from "../../../pipelines/page/page_pack.ts";
import type { PixelTrace, TracedPixel } from "../../../pipelines/synthesis/pixel_trace.ts";
import type { TracedWindow, WindowTrace } from "../../../pipelines/synthesis/window_trace.ts";
import type { ExemplarSource } from "./exemplar_pack.ts";
import type { AlignedFace } from "./face_pack.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { Periods } from "../../../pipelines/quilting/structure_length.ts";

/** A question. It gets one final answer with its `id`, unless a newer question supersedes it: see `SUPERSEDES`. */
export type ToWorker =
  /** Opens a pack: the name of a file to fetch, or the bytes of a file. */
  | { readonly kind: "open"; readonly id: number; readonly from: string | Uint8Array }
  /** Makes a pack of images. */
  | { readonly kind: "make"; readonly id: number; readonly profile: Profile; readonly data: DataSet }
  /** Makes a pack of the exemplar of a texture. `name`: of its file. */
  | { readonly kind: "exemplar"; readonly id: number; readonly from: ExemplarSource; readonly name: string }
  /** Finds the eyes of the likeliest face in a photograph. */
  | { readonly kind: "findEyes"; readonly id: number; readonly photograph: GreyImage }
  /** Puts a face into a pack of faces: the name of a file to fetch, or the bytes of a file. */
  | { readonly kind: "face"; readonly id: number; readonly from: string | Uint8Array; readonly face: AlignedFace }
  /** Fills the hole of a picture. `missing`: height x width, 1 in the hole. */
  | {
    readonly kind: "fill";
    readonly id: number;
    readonly picture: Rgba;
    readonly missing: Uint8Array;
    readonly number: number;
  }
  /** Ends the work of older questions; it is answered at once. */
  | { readonly kind: "cancel"; readonly id: number }
  /** Synthesizes images, one request after another. */
  | { readonly kind: "synthesize"; readonly id: number; readonly requests: readonly SynthesisRequest[] }
  /** Traces a pixel of the request's only image. */
  | { readonly kind: "trace"; readonly id: number; readonly request: SynthesisRequest; readonly at: TracedPixel }
  /** Traces a pixel of an estimate of the request's only image, which comes from noise. */
  | {
    readonly kind: "traceWindow";
    readonly id: number;
    readonly request: SynthesisRequest;
    readonly at: TracedWindow;
  };

/** The kind of the final answer to each kind of question that does not fail. */
export interface AnswerKinds {
  readonly open: "opened";
  readonly make: "made";
  readonly exemplar: "made";
  readonly findEyes: "foundEyes";
  readonly face: "made";
  readonly fill: "filled";
  readonly cancel: "cancelled";
  readonly synthesize: "synthesized";
  readonly trace: "traced";
  readonly traceWindow: "tracedWindow";
}

/** The kinds of older questions that a new question of a kind supersedes. Opening a pack supersedes all work on the last one. */
export const SUPERSEDES: Readonly<Record<ToWorker["kind"], readonly ToWorker["kind"][]>> = {
  open: ["open", "synthesize", "trace", "traceWindow"],
  make: ["make", "exemplar", "face"],
  exemplar: ["make", "exemplar", "face"],
  findEyes: ["findEyes"],
  face: ["make", "exemplar", "face"],
  fill: ["fill"],
  cancel: ["fill", "make", "exemplar", "face", "synthesize", "trace", "traceWindow"],
  synthesize: ["synthesize", "trace", "traceWindow"],
  trace: ["trace", "traceWindow"],
  traceWindow: ["trace", "traceWindow"],
};

/** What happens while images are synthesized. `request` is the index of a request in the question. */
export type SynthesisMessage =
  /** One more iteration of the request's images. */
  | { readonly kind: "frame"; readonly id: number; readonly request: number; readonly frame: Frame }
  /** The request's images are finished. */
  | {
    readonly kind: "result";
    readonly id: number;
    readonly request: number;
    readonly images: readonly PictureResult[];
  }
  /** The request failed; the requests after it are still answered. */
  | { readonly kind: "refused"; readonly id: number; readonly request: number; readonly sentence: string };

/** So much of a hole is filled, 0..1. */
export interface FillingMessage {
  readonly kind: "filling";
  readonly id: number;
  readonly done: number;
}

/** What the worker says: the final answers, and what happens while images are synthesized or holes are filled. */
export type FromWorker =
  | SynthesisMessage
  | FillingMessage
  /** The worker begins to answer a question. Those before it are answered or superseded. */
  | { readonly kind: "begun"; readonly id: number }
  /** `shared`: the pack's bytes in memory that other workers read, too; undefined where the page is not isolated. */
  | { readonly kind: "opened"; readonly id: number; readonly pack: OpenedPack; readonly shared?: Uint8Array }
  | { readonly kind: "cancelled"; readonly id: number }
  /** The bytes of the pack's file. */
  | { readonly kind: "made"; readonly id: number; readonly bytes: Uint8Array }
  /** The number of the pixel that each pixel of the picture is a copy of. */
  | { readonly kind: "filled"; readonly id: number; readonly sources: Int32Array }
  /** `eyes`: undefined if there is no face. */
  | { readonly kind: "foundEyes"; readonly id: number; readonly eyes?: EyePair }
  /** All requests are answered. */
  | { readonly kind: "synthesized"; readonly id: number }
  | { readonly kind: "traced"; readonly id: number; readonly trace: PixelTrace }
  | { readonly kind: "tracedWindow"; readonly id: number; readonly trace: WindowTrace }
  /** The question failed as a whole. */
  | { readonly kind: "failed"; readonly id: number; readonly sentence: string };

/** What the page needs to know of a pack. */
export interface OpenedPack extends PagePack {
  /** Where its images come from, in words. */
  readonly origin: string;
  /** Eight hexadecimal digits of the file's checksum, a hyphen, and the file's length in bytes. */
  readonly fingerprint: string;
  /** SHA-256 of the kernels that work on it, in hexadecimal. */
  readonly kernels: string;
  /** The names of the classes, if they have names. */
  readonly classNames?: readonly string[];
  /** The colour that stands for transparent pixels, of pixel art. */
  readonly transparent?: Colour;
  readonly train: { readonly count: number; readonly labels?: Uint8Array };
  /** The first training images of each class (of all, where there are no classes), padded to `exampleShape`. */
  readonly examples: readonly { readonly label?: number; readonly pictures: readonly Uint8Array[] }[];
  /** The profile's, or of exemplars their own. */
  readonly exampleShape: Shape;
  /** The distances at which the exemplars of a texture repeat themselves. */
  readonly periods?: Periods;
}

/**
 * A request's images after an iteration. Iteration -1 is the interpolated LR image with which a layer begins; of the layer after
 * the last one, the seed images, or the steps of a diffusion in place of iterations.
 */
export interface Frame {
  readonly layer: number;
  readonly iteration: number;
  readonly shape: Shape;
  /** One for each image of the request; undefined for those that are not among the ones drawn again. */
  readonly pictures: readonly (Uint8Array | undefined)[];
  /** The part of the request's iterations that is done, 0..1. */
  readonly done: number;
  /** For a step of a diffusion, whose number is `iteration`; `pictures` are then the estimates. */
  readonly noise?: NoiseFrame;
}

/** What is known of a step of a diffusion beside its estimates. */
export interface NoiseFrame {
  readonly steps: number;
  /** The share of the image in the variance of the noisy image: the noise has the rest. */
  readonly alphaBar: number;
  /** Side of the window. */
  readonly window: number;
  /** x_t of each image of the request, as `pictures`. */
  readonly noisy: readonly (Uint8Array | undefined)[];
  /** Which attempt each image of the request is: another one begins anew. */
  readonly attempts: readonly (number | undefined)[];
}

/** A finished image: what the page shows and saves of a `ResultImage`. Training images are named by their numbers in the pack. */
export interface PictureResult {
  readonly number: number;
  readonly label?: number;
  readonly pixels: Uint8Array;
  /** Undefined if training images are exemplars. */
  readonly nearest?: {
    readonly image: number;
    readonly distance: number;
    readonly trainingDistance: number;
    /** The nearest training image, padded to the profile's size. */
    readonly pixels: Uint8Array;
  };
  readonly contributors: readonly { readonly image: number; readonly share: number }[];
  readonly correction: number;
  readonly seedNumber?: number;
}
