/**
 * Makes the t-SNE map of images (section "Spread"): exact t-SNE with the gradient steps of DruidJS. The first map loads the
 * library.
 */

/** Options of a map. */
interface EmbedOptions {
  /** Gradient steps (500). */
  readonly iterations?: number;
  /** Called with the part of the work that is done, 0..1. */
  readonly progress?: (done: number) => void;
}

/** Positions on the plane, one for each vector. Only their distances to each other have a meaning. */
export interface Embedding {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Sentences about the vectors: another perplexity, because there are few, and copies. */
  readonly notes: readonly string[];
}

/**
 * 2,000 MNIST digits in 784 dimensions take 15 s on one core. With a step of n / 12 (Belkina et al. 2019) and a PCA start,
 * 500 iterations reach a lower divergence (0.97) than 750 of DruidJS's own step of 10 (1.05).
 */
const ITERATIONS = 500;
/** About how many neighbours attract an image; at most a third of the images. */
const PERPLEXITY = 30;
/** The seed of the random start. */
const SEED = 1;
/**
 * Nanoseconds for a pair of vectors, in all default steps, and to compare one number of the two. Measured on 1008 vectors of 1024
 * and of 16384 numbers.
 */
const PER_PAIR = 3700, PER_NUMBER = 0.29;
/** Gradient steps between two pauses, in which timers and signals run. */
const BREATH = 10;

/** Estimates the nanoseconds of a map with default options: of comparing `count` vectors of `length` numbers, and of the steps. */
export function embeddingWork(count: number, length: number): { readonly comparing: number; readonly steps: number } {
  return { comparing: count ** 2 * length * PER_NUMBER, steps: count ** 2 * PER_PAIR };
}

/**
 * Makes a map of vectors of one length, such as the pixels of images on any scale. Time and memory grow with the square of their
 * number.
 *
 * @throws {Error} if a vector holds a number that is not finite, or if lengths differ
 */
export async function embed(
  vectors: readonly ArrayLike<number>[],
  { iterations = ITERATIONS, progress }: EmbedOptions = {},
): Promise<Embedding> {
  const n = vectors.length, notes: string[] = [], data = flatten(vectors);
  // At most a third, as in van der Maaten's implementation: with more neighbours all images form one cluster.
  const perplexity = Math.max(1, Math.min(PERPLEXITY, (n - 1) / 3));
  if (n > 1 && perplexity < PERPLEXITY) {
    notes.push(`The perplexity is ${perplexity.toFixed(1)} instead of ${PERPLEXITY}: there are only ${n} images.`);
  }
  if (n < 2) return { x: new Float64Array(n), y: new Float64Array(n), notes };

  const distances = squaredDistances(data, n), copies = countCopies(distances, n);
  if (copies > 0) notes.push(`Identical to an earlier image: ${copies} of ${n}.`);
  const { Matrix, TSNE } = await import("@saehrimnir/druidjs");
  // DruidJS's own search for the affinities ends in NaN if more than `perplexity` images are equally far away. Each of its steps
  // copies buffers as wide as X, so X gets two columns instead of the pixels.
  const tsne = new class extends TSNE<InstanceType<typeof Matrix>> {
    override init() {
      this._P = new Matrix(n, n, 0);
      this._P.values.set(affinities(distances, n, perplexity));
      this._ystep = new Matrix(n, 2, 0);
      this._gains = new Matrix(n, 2, 1);
      return this;
    }
  }(new Matrix(n, 2, 0), { seed: SEED, epsilon: Math.max(10, n / 12) });
  startFromPca(tsne.Y.values, distances, n);
  const { comparing, steps } = embeddingWork(n, vectors[0].length), compared = comparing / (comparing + steps);
  let done = 0;
  for (const _ of tsne.generator(iterations)) {
    progress?.(compared + (1 - compared) * ++done / iterations);
    if (done % BREATH === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  const places = tsne.Y.values, axis = (c: number) => Float64Array.from({ length: n }, (_, i) => places[2 * i + c]);
  return { x: axis(0), y: axis(1), notes };
}

/** Copies the vectors one after another, then three zero vectors, because `squaredDistances` reads four at a time. */
function flatten(vectors: readonly ArrayLike<number>[]): Float32Array {
  const length = vectors[0]?.length ?? 0, data = new Float32Array((vectors.length + 3) * length);
  vectors.forEach((vector, i) => {
    if (vector.length !== length) {
      throw new Error(`Cannot make a map: image ${i} has ${vector.length} numbers, the first one has ${length}`);
    }
    data.set(vector, i * length);
  });
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return data;
  throw new Error(`Cannot make a map: image ${Math.floor(bad / length)} holds ${data[bad]}`);
}

/** Computes ||a - b||^2 of all pairs, n x n; exactly 0 for identical vectors. */
function squaredDistances(data: Float32Array, n: number): Float64Array {
  const length = data.length / (n + 3), squares = new Float64Array(n + 3), out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = i * length; k < (i + 1) * length; k++) squares[i] += data[k] * data[k];
  }
  // |a|^2 + |b|^2 - 2 ab, each a with four b at a time, which halves the loads.
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j += 4) {
      let ab0 = 0, ab1 = 0, ab2 = 0, ab3 = 0;
      for (let k = 0, a = i * length, b = j * length; k < length; k++, a++, b++) {
        const value = data[a];
        ab0 += value * data[b];
        ab1 += value * data[b + length];
        ab2 += value * data[b + 2 * length];
        ab3 += value * data[b + 3 * length];
      }
      const products = [ab0, ab1, ab2, ab3];
      for (let b = j; b < Math.min(j + 4, n); b++) {
        out[i * n + b] = out[b * n + i] = Math.max(0, squares[i] + squares[b] - 2 * products[b - j]);
      }
    }
  }
  return out;
}

function countCopies(distances: Float64Array, n: number): number {
  let copies = 0;
  for (let i = 1; i < n; i++) if (distances.subarray(i * n, i * n + i).includes(0)) copies++;
  return copies;
}

/** Starts the n positions near 0 on the first two principal axes, and adds a tenth of the random start, which separates copies. */
function startFromPca(places: Float64Array, distances: Float64Array, n: number): void {
  const SPREAD = 1e-4, STEPS = 30, axes: Float64Array[] = [];
  for (let c = 0; c < 2; c++) {
    let axis = Float64Array.from({ length: n }, (_, i) => places[2 * i + c]);
    for (let step = 0; step < STEPS; step++) {
      // Power iteration on the inner products of the centred vectors, which are -1/2 J D J.
      center(axis);
      const next = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) next[i] -= distances[i * n + j] * axis[j];
      }
      center(next);
      for (const other of axes) {
        const shared = next.reduce((sum, value, i) => sum + value * other[i], 0);
        for (let i = 0; i < n; i++) next[i] -= shared * other[i];
      }
      const size = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0));
      if (size === 0) break;
      axis = next.map((value) => value / size);
    }
    axes.push(axis);
    for (let i = 0; i < n; i++) places[2 * i + c] = SPREAD * Math.sqrt(n) * axis[i] + 0.1 * places[2 * i + c];
  }
}

function center(values: Float64Array): void {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  for (let i = 0; i < values.length; i++) values[i] -= mean;
}

/**
 * Replaces the squared distances by p_ij = (p_j|i + p_i|j) / 2n of equation (tsne weight). The smallest distance of a row is
 * subtracted from the whole row, which changes no p_j|i and keeps their sum above 0.
 */
function affinities(distances: Float64Array, n: number, perplexity: number): Float64Array {
  const entropy = Math.log(perplexity), TRIES = 50, CLOSE = 1e-4;
  for (let i = 0; i < n; i++) {
    const row = distances.subarray(i * n, i * n + n), weights = new Float64Array(n);
    row[i] = Infinity;
    const nearest = row.reduce((a, b) => Math.min(a, b)), far = row.map((d) => d - nearest);
    row[i] = far[i] = 0;
    let beta = n / (far.reduce((a, b) => a + b) || n), low = 0, high = Infinity, sum = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      sum = 0;
      let moment = 0;
      for (let j = 0; j < n; j++) {
        const weight = weights[j] = i === j ? 0 : Math.exp(-far[j] * beta);
        sum += weight;
        moment += weight * far[j];
      }
      const missing = Math.log(sum) + beta * moment / sum - entropy;
      if (Math.abs(missing) < CLOSE) break;
      if (missing > 0) low = beta;
      else high = beta;
      beta = high === Infinity ? 2 * beta : (low + high) / 2;
    }
    for (let j = 0; j < n; j++) row[j] = weights[j] / sum;
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const p = (distances[i * n + j] + distances[j * n + i]) / (2 * n);
      distances[i * n + j] = distances[j * n + i] = Math.max(p, 1e-12);
    }
  }
  return distances;
}
