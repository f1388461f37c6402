// R_i and its transpose at one location, for a batch: images are `batch` x height x width f32, patches `batch` x patch^2 f32.
// Each channel counts as an image. `corner` is the number of the patch's first pixel in an image.

/** out = R X + u, the measurements of equation (patch posterior). */
export function measurements(
  images: usize,
  height: i32,
  width: i32,
  batch: i32,
  corner: i32,
  patch: i32,
  dual: usize,
  out: usize,
): void {
  for (let b = 0; b < batch; b++) {
    const image = images + (<usize> (b * height * width + corner) << 2);
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        const at = <usize> ((b * patch + y) * patch + x) << 2;
        store<f32>(out + at, load<f32>(image + (<usize> (y * width + x) << 2)) + load<f32>(dual + at));
      }
    }
  }
}

/** sums += R^T M (z - u), one term of the right side of equation (epll x step). `weights`: the diagonal of M, patch^2 f32. */
export function merge(
  sums: usize,
  height: i32,
  width: i32,
  batch: i32,
  corner: i32,
  patch: i32,
  patches: usize,
  dual: usize,
  weights: usize,
): void {
  for (let b = 0; b < batch; b++) {
    const image = sums + (<usize> (b * height * width + corner) << 2);
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        const at = <usize> ((b * patch + y) * patch + x) << 2, pixel = image + (<usize> (y * width + x) << 2);
        const weight = load<f32>(weights + (<usize> (y * patch + x) << 2));
        store<f32>(pixel, load<f32>(pixel) + weight * (load<f32>(patches + at) - load<f32>(dual + at)));
      }
    }
  }
}

/** u += R X - z, equation (epll u step). */
export function updateDual(
  images: usize,
  height: i32,
  width: i32,
  batch: i32,
  corner: i32,
  patch: i32,
  patches: usize,
  dual: usize,
): void {
  for (let b = 0; b < batch; b++) {
    const image = images + (<usize> (b * height * width + corner) << 2);
    for (let y = 0; y < patch; y++) {
      for (let x = 0; x < patch; x++) {
        const at = <usize> ((b * patch + y) * patch + x) << 2;
        const change = load<f32>(image + (<usize> (y * width + x) << 2)) - load<f32>(patches + at);
        store<f32>(dual + at, load<f32>(dual + at) + change);
      }
    }
  }
}
