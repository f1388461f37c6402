/**
 * Support vector machines on kernel values that are computed beforehand, as LIBSVM trains them (Chang and Lin, "LIBSVM: A Library for
 * Support Vector Machines", 2011): C-SVC, one machine for each pair of classes, which vote. LIBSVM as an npm package (libsvm-js 0.2.1)
 * does not load in Deno, and takes 25 s where this takes 1 s: for 2000 images of MNIST it computes the kernel value by value.
 */

/** Values of a kernel function: of each row's image with each column's. */
export interface KernelValues {
  readonly columns: number;
  readonly values: Float32Array;
}

/** A machine for two classes. */
interface Machine {
  /** Positions of the classes in the list of classes; a decision above 0 is for the first. */
  readonly classes: readonly [number, number];
  /** Numbers of the support vectors in the training set. */
  readonly vectors: Uint32Array;
  /** Their coefficients: y times alpha. */
  readonly coefficients: Float64Array;
  readonly bias: number;
}

/** A trained classifier. */
interface SupportVectors {
  /** The distinct labels, ascending. */
  readonly classes: readonly number[];
  readonly machines: readonly Machine[];
}

/** The optimum is exact up to this violation of its conditions: LIBSVM's default. */
const TOLERANCE = 1e-3;
/** A curvature that is not positive is replaced by this, as in LIBSVM. */
const MIN_CURVATURE = 1e-12;
/** Iterations of a machine for each of its images, at most: LIBSVM's limit is looser; MNIST takes 1 to 10. */
const MAX_ITERATIONS = 1000;

/**
 * Trains the machines of all pairs of classes.
 *
 * @param kernel the values of the training images with each other
 * @param labels one label per image
 * @param cost C, > 0: what an image on the wrong side costs
 */
export function trainSvm(kernel: KernelValues, labels: Uint8Array, cost: number): SupportVectors {
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  const members = classes.map((label) => [...labels.keys()].filter((i) => labels[i] === label));
  const machines = classes.flatMap((_, a) =>
    classes.slice(a + 1).map((_, n) => trainPair(kernel, [a, a + 1 + n], [members[a], members[a + 1 + n]], cost))
  );
  return { classes, machines };
}

/**
 * Minimizes the dual problem of two classes by SMO with the second-order choice of the working set (Fan, Chen and Lin, "Working Set
 * Selection Using Second Order Information for Training Support Vector Machines", 2005).
 */
function trainPair(
  { columns, values }: KernelValues,
  classes: readonly [number, number],
  [first, second]: readonly [readonly number[], readonly number[]],
  cost: number,
): Machine {
  const at = Uint32Array.from([...first, ...second]), count = at.length;
  const y = Int8Array.from(at, (_, i) => i < first.length ? 1 : -1), kernel = new Float32Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) kernel[i * count + j] = values[at[i] * columns + at[j]];
  }
  const alpha = new Float64Array(count), gradient = new Float64Array(count).fill(-1);
  const mayRise = (t: number) => y[t] > 0 ? alpha[t] < cost : alpha[t] > 0;
  const mayFall = (t: number) => y[t] > 0 ? alpha[t] > 0 : alpha[t] < cost;
  for (let left = MAX_ITERATIONS * count; left > 0; left--) {
    let i = -1, most = -Infinity;
    for (let t = 0; t < count; t++) {
      if (!mayRise(t) || -y[t] * gradient[t] <= most) continue;
      most = -y[t] * gradient[t];
      i = t;
    }
    let j = -1, least = Infinity, best = 0;
    for (let t = 0; t < count && i >= 0; t++) {
      if (!mayFall(t)) continue;
      const value = -y[t] * gradient[t], gap = most - value;
      least = Math.min(least, value);
      if (gap <= 0) continue;
      const curvature = kernel[i * count + i] + kernel[t * count + t] - 2 * kernel[i * count + t];
      const gain = gap * gap / (curvature > 0 ? curvature : MIN_CURVATURE);
      if (gain <= best) continue;
      best = gain;
      j = t;
    }
    if (j < 0 || most - least < TOLERANCE) break;
    const curvature = kernel[i * count + i] + kernel[j * count + j] - 2 * kernel[i * count + j];
    const gap = most + y[j] * gradient[j];
    // Both y-weighted alphas move by the same step, until one of them meets 0 or C.
    const room = Math.min(y[i] > 0 ? cost - alpha[i] : alpha[i], y[j] > 0 ? alpha[j] : cost - alpha[j]);
    const step = Math.min(gap / (curvature > 0 ? curvature : MIN_CURVATURE), room);
    alpha[i] = inside(alpha[i] + y[i] * step, cost);
    alpha[j] = inside(alpha[j] - y[j] * step, cost);
    for (let t = 0; t < count; t++) gradient[t] += y[t] * step * (kernel[t * count + i] - kernel[t * count + j]);
  }
  const vectors = [...alpha.keys()].filter((t) => alpha[t] > 0);
  return {
    classes,
    vectors: Uint32Array.from(vectors, (t) => at[t]),
    coefficients: Float64Array.from(vectors, (t) => y[t] * alpha[t]),
    bias: biasOf(alpha, gradient, y, cost),
  };
}

/** Rounding must not leave an alpha just beside a bound. */
function inside(alpha: number, cost: number): number {
  if (alpha < 1e-12 * cost) return 0;
  return alpha > (1 - 1e-12) * cost ? cost : alpha;
}

/** Minus rho: the mean over the free vectors; without one, the middle of what the bounds allow. */
function biasOf(alpha: Float64Array, gradient: Float64Array, y: Int8Array, cost: number): number {
  let sum = 0, free = 0, low = -Infinity, high = Infinity;
  for (let t = 0; t < alpha.length; t++) {
    const value = y[t] * gradient[t];
    if (alpha[t] > 0 && alpha[t] < cost) {
      sum += value;
      free++;
    } else if (alpha[t] === 0 === y[t] > 0) high = Math.min(high, value);
    else low = Math.max(low, value);
  }
  return free > 0 ? -sum / free : -(low + high) / 2;
}

/** Decides between a machine's two classes: above 0 for the first. `row` has the kernel values of an image with all training images. */
export function decisionOf({ vectors, coefficients, bias }: Machine, row: Float32Array): number {
  let decision = bias;
  for (let v = 0; v < vectors.length; v++) decision += coefficients[v] * row[vectors[v]];
  return decision;
}

/** Labels images by the machines' votes; with equally many votes the lower label wins. */
export function predictSvm({ classes, machines }: SupportVectors, { columns, values }: KernelValues): Uint8Array {
  const votes = new Uint32Array(classes.length);
  return Uint8Array.from({ length: values.length / columns }, (_, image) => {
    const row = values.subarray(image * columns, (image + 1) * columns);
    votes.fill(0);
    for (const machine of machines) votes[machine.classes[decisionOf(machine, row) > 0 ? 0 : 1]]++;
    return classes[votes.indexOf(votes.reduce((most, one) => Math.max(most, one), 0))];
  });
}
