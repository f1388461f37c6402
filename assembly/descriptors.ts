// Arguments that travel together. A kernel takes their address; core/kernels.ts writes them there, field by field in this
// order. core/kernel_arguments.ts says what each field is.

/** Examples that are compared with the queries of a batch. */
@unmanaged
export class Comparison {
  table: usize;
  scale: usize;
  queries: usize;
  planes: i32;
  runs: i32;
  stride: i32;
  count: i32;
  segments: i32;
  batch: i32;
  known: usize;
  axes: usize;
  features: i32;
  scratch: usize;
}

/** Log weights of what is drawn from, for each image of a batch. */
@unmanaged
export class WeightLists {
  weights: usize;
  capacity: i32;
  found: i32;
  batch: i32;
}

/** The candidates of each image of a batch, with their log weights. */
@unmanaged
export class CandidateLists extends WeightLists {
  keys: usize;
  rows: usize;
  count: i32;
  stride: i32;
  channels: i32;
  plane: i32;
  width: i32;
  corners: usize;
  patch: i32;
  penalties: usize;
}

/** Examples that are compared with the queries of a batch by correlation. */
@unmanaged
export class Correlation {
  lr: usize;
  stride: i32;
  rows: usize;
  pixels: i32;
  numbers: usize;
  pixelWeights: usize;
  planes: i32;
  count: i32;
  segments: i32;
  batch: i32;
  queries: usize;
  contrasts: usize;
  scratch: usize;
}

/** The candidates of each image of a batch whose detail is transferred. */
@unmanaged
export class DetailCandidates extends Correlation {
  indices: usize;
  capacity: i32;
  images: usize;
  measurements: usize;
  y: i32;
  x: i32;
  corners: usize;
  hr: usize;
  height: i32;
  width: i32;
  channels: i32;
  patch: i32;
  weights: usize;
  patches: usize;
}

/** The linear system of the X-step for each image of a batch. */
@unmanaged
export class MergeSystem {
  images: usize;
  sums: usize;
  diagonal: usize;
  lr: usize;
  height: i32;
  width: i32;
  batch: i32;
  scratch: usize;
}

/** Examples whose distances to the images of a batch are summed up in a Parzen window. */
@unmanaged
export class ParzenWindow {
  table: usize;
  numbers: usize;
  planes: i32;
  count: i32;
  segments: i32;
  images: usize;
  pixels: i32;
  batch: i32;
  scratch: usize;
}

/** Noisy images and the training images that their windows are compared with. */
@unmanaged
export class LocalScore {
  rows: usize;
  numbers: usize;
  count: i32;
  channels: i32;
  answered: i32;
  height: i32;
  width: i32;
  window: i32;
  shift: i32;
  images: usize;
  batch: i32;
  response: i32;
  uniform: usize;
  drawn: usize;
  used: usize;
  out: usize;
  scratch: usize;
}
