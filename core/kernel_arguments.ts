/** The arguments of kernels that travel together, as plain objects. */

/** An address in kernel memory, in bytes. The `byteOffset` of a view is the address of its first element. */
export type Address = number;

/**
 * Examples that are compared with the queries of a batch: the squared distance of an example to a query is the sum over planes
 * of (scale * example - query)^2. An example is `planes` bytes, each in a plane of `count` examples; its index is
 * segment * `count` + example.
 */
export interface Comparison {
  /**
   * For each segment the u32 addresses of its `planes` planes, readable up to the next multiple of 16 examples, and of the
   * `runs` of its first example.
   */
  readonly table: Address;
  /**
   * `planes` + 8 x `runs` i16 in 0..64, 0 where a byte does not count. The sum of their squares over the planes times 255^2 is
   * below 2^31 - 1, and so is that over the runs.
   */
  readonly scale: Address;
  /** `batch` x (`planes` + 8 x `runs`) i16 in 0..255 * scale, as `toQueries` writes them. */
  readonly queries: Address;
  /** An even number: pad with a plane of scale 0. Planes that follow each other are searched fastest if they are alike and of one scale. */
  readonly planes: number;
  /**
   * How many runs of eight bytes, which follow each other in memory, hold an example's bytes once more. Whole examples are
   * compared faster so. `search` compares by planes alone without them. Runs with larger scales belong first.
   */
  readonly runs?: number;
  /** Bytes from a run of one example to that of the next. */
  readonly stride?: number;
  /** Examples of a segment. */
  readonly count: number;
  /** Number of segments. */
  readonly segments: number;
  /** Number of queries. */
  readonly batch: number;
  /**
   * A part of the distances that is known already and added to the sums: `batch` x `segments` x `count` i32, in 0..2^31 - 2 with
   * their sums. None where it is left out.
   */
  readonly known?: Address;
  /**
   * Axes that examples are projected on, `features` x `planes` i16, if distances of projections should rule examples out first:
   * only for `search`, without `known`. As a matrix they have no singular value above 2^12.5. None where it is left out.
   */
  readonly axes?: Address;
  /** Number of axes, even and at most `planes`. */
  readonly features?: number;
  /** Working memory of `searchScratch(planes, batch, k)` bytes. */
  readonly scratch: Address;
}

/** Log weights of what is drawn from, for each image of a batch. */
export interface WeightLists {
  /** `batch` x `capacity` f64. */
  readonly weights: Address;
  /** The room of an image's list. */
  readonly capacity: number;
  /** How many entries each list has: 1 to `capacity`. */
  readonly found: number;
  /** Number of images. */
  readonly batch: number;
}

/** The candidates of each image of a batch: examples that `search` found, with their HR patches and their weights. */
export interface CandidateLists extends WeightLists {
  /** `batch` x `capacity` u64, as `search` writes them. */
  readonly keys: Address;
  /** The HR training images, bytes; readable 8 bytes beyond their end. */
  readonly rows: Address;
  /** Examples of a segment. */
  readonly count: number;
  /** Bytes from one example of a segment to the next. */
  readonly stride: number;
  /** Channels of the training images. */
  readonly channels: number;
  /** Bytes from one channel of a training image to the next. */
  readonly plane: number;
  /** Bytes from one row of a training image to the next. */
  readonly width: number;
  /** For each segment the u32 offset, from `rows`, of the first pixel of its first example. */
  readonly corners: Address;
  /** n: a patch has n x n pixels in each channel. */
  readonly patch: number;
  /** For each example of a segment the f64 that is subtracted from its log weight; 0 or left out: nothing. */
  readonly penalties?: Address;
}

/**
 * Examples that are compared with the queries of a batch by correlation: mean and contrast are taken out of both. An example is
 * `planes` bytes y_p of one of `count` LR images, at the places that a segment names; its index is segment * `count` + example.
 * With integer weights w_p, weighted means m and m_j, and weighted standard deviations plus 5.1 grey levels s and s_j, the
 * distance of an example to a query Y is d = s^2 sum_p w_p ((Y_p - m) / s - (y_p - m_j) / s_j)^2 in squared grey levels.
 */
export interface Correlation {
  /** Planes of the LR images: pixel number n of all images is the `count` bytes at `lr` + n * `stride`; readable up to the next multiple of 8. */
  readonly lr: Address;
  /** Bytes from one plane to the next. */
  readonly stride: number;
  /** The same images one after another, `pixels` bytes each. */
  readonly rows: Address;
  /** Values of an LR image: its pixels in every channel. */
  readonly pixels: number;
  /** For each segment the u32 numbers of its `planes` pixels in an LR image. */
  readonly numbers: Address;
  /** w_p: `planes` i16 in 0..64, 0 where a pixel does not count. Their sum is in 1..33000. */
  readonly pixelWeights: Address;
  /** An even number: pad with a pixel of weight 0. */
  readonly planes: number;
  /** Examples of a segment: the number of images. */
  readonly count: number;
  /** Number of segments. */
  readonly segments: number;
  /** Number of queries. */
  readonly batch: number;
  /** `batch` x `planes` i16: w_p (Y_p - m), rounded so that they sum to 0, as `toDeviations` writes them. */
  readonly queries: Address;
  /** `batch` x (s, sum_p w_p (Y_p - m)^2) f32, as `toDeviations` writes them. */
  readonly contrasts: Address;
  /** Working memory of `correlationScratch` bytes. */
  readonly scratch: Address;
}

/** The candidates of each image of a batch whose detail is transferred, and where the results go. */
export interface DetailCandidates extends Correlation {
  /** `batch` x `capacity` i32: the index of each candidate's example, -1 for none. */
  readonly indices: Address;
  /** The room of an image's list. */
  readonly capacity: number;
  /** Y: `batch` x channels x height / 2 x width / 2 f32. */
  readonly images: Address;
  /** R_i X + u_i: `batch` x channels x n^2 f32. */
  readonly measurements: Address;
  /** The first pixel of the location's patch. */
  readonly y: number;
  /** Its column. */
  readonly x: number;
  /** For each segment (y, x) of the first pixel of its patches in the HR images, i32; both differ from `y` and `x` by even numbers. */
  readonly corners: Address;
  /** The HR training images, bytes, image by image. */
  readonly hr: Address;
  /** Height of an HR image, even. */
  readonly height: number;
  /** Width of an HR image, even. */
  readonly width: number;
  /** Channels of the images. */
  readonly channels: number;
  /** n: a patch has n x n pixels in each channel. */
  readonly patch: number;
  /** Takes log T of each candidate: `batch` x `capacity` f64. */
  readonly weights: Address;
  /** Takes the candidates: `batch` x `capacity` x channels x n^2 f32 in [0, 1]. */
  readonly patches: Address;
}

/**
 * The linear system of the X-step, equation (epll x step), for each image of a batch:
 * (ratio H^T H + D) X = ratio H^T Y + sum_i R_i^T M (z_i - u_i) + W V / rho. Each channel counts as one of the batch. A pixel that
 * is neither covered by a patch nor observed keeps its value if ratio is 0; otherwise it keeps what Y does not determine.
 */
export interface MergeSystem {
  /** X before and after: `batch` x height x width f32. */
  readonly images: Address;
  /** sum_i R_i^T M (z_i - u_i) + W V / rho, as many f32; overwritten. */
  readonly sums: Address;
  /** D = C + W / rho, as many f32. */
  readonly diagonal: Address;
  /** Y: `batch` x height / 2 x width / 2 f32. */
  readonly lr: Address;
  /** Height of an image, even. */
  readonly height: number;
  /** Width of an image, even. */
  readonly width: number;
  /** Number of images. */
  readonly batch: number;
  /** Working memory of 17 x height x width bytes. */
  readonly scratch: Address;
}

/**
 * Examples whose distances to the images of a batch are summed up in a Parzen window. A distance is the sum over planes of squared
 * differences of bytes.
 */
export interface ParzenWindow {
  /** For each segment the u32 addresses of its `planes` planes of `count` bytes, readable up to the next multiple of 8. */
  readonly table: Address;
  /** For each plane the u32 number of the image's pixel that it is compared with. */
  readonly numbers: Address;
  /** An even number. */
  readonly planes: number;
  /** Examples of a segment. */
  readonly count: number;
  /** Number of segments. */
  readonly segments: number;
  /** `batch` images of `pixels` bytes. */
  readonly images: Address;
  /** Bytes of an image. */
  readonly pixels: number;
  /** Number of images. */
  readonly batch: number;
  /** Working memory of 40960 + 8 x `planes` + 64 bytes. */
  readonly scratch: Address;
}

/**
 * Noisy images x = s x_0 + sqrt(b) e, the training images that their windows are compared with, and where the results go. The
 * weight of a candidate n in the window W_p around pixel p is w_n(p) = exp(L_n(p)) / sum_m exp(L_m(p)) with
 * L_n(p) = -1/(2 b) sum over channels and q in W_p of (x(q) - s x_n(q))^2. Pixels are in [-1, 1], x_n = byte / 127.5 - 1.
 *
 * The sums are exact: they are sums of integers, to which x and the terms are rounded at some 15 bits. Candidates are added in
 * their order. One whose weight is below 2^-24 of the largest so far has weight 0, and could be left out of the list without
 * any change. So can pixels that all candidates have in common.
 */
export interface LocalScore {
  /** The training images, bytes: channels x height x width each; readable 16 bytes beyond their end. */
  readonly rows: Address;
  /** The u32 numbers of the examples that take part, in their order; the first `count` where it is left out. */
  readonly numbers?: Address;
  /** How many examples take part, at least 1. */
  readonly count: number;
  /** Channels of an image. */
  readonly channels: number;
  /** How many of them are answered, the first ones; all if left out. The others only say which examples are near. */
  readonly answered?: number;
  /** Height of an image. */
  readonly height: number;
  /** Width of an image. */
  readonly width: number;
  /** Odd side of the windows. They are cut at the edges of the image. */
  readonly window: number;
  /**
   * Examples are also moved by up to this many pixels each way; what is moved in repeats the edge. 0 if left out. There are
   * `count` x (2 shift + 1)^2 candidates: number (example's position x (2 shift + 1) + dy + shift) x (2 shift + 1) + dx + shift has
   * pixel (y + dy, x + dx) of the example at (y, x).
   */
  readonly shift?: number;
  /** x: `batch` x channels x height x width f32. */
  readonly images: Address;
  /** Number of images. */
  readonly batch: number;
  /**
   * Which pixels a window answers: 0, which is also for none, its centre; 1 all of its pixels, and a pixel is the mean over the
   * windows that hold it.
   */
  readonly response?: 0 | 1;
  /** Draws one candidate for each window in place of the mean: `batch` x height x width f64 in [0, 1). The mean if left out. */
  readonly uniform?: Address;
  /** Takes the candidates drawn: `batch` x height x width i32. */
  readonly drawn?: Address;
  /** `batch` x `count` bytes, of which those become 1 whose example had a weight at any pixel. */
  readonly used?: Address;
  /** Takes E[x_0 | x]: `batch` x `answered` x height x width f32 in [-1, 1]. Not `images`. */
  readonly out: Address;
  /** Working memory of `localScoreScratch` bytes. */
  readonly scratch: Address;
}
