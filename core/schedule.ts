/**
 * Noise schedules: which noise levels a diffusion visits, most noise first. A noisy image is x_t = sqrt(a) x_0 + sqrt(1 - a) eps,
 * where a ("alpha bar" in the literature) is the share of the image in the variance and eps is standard normal noise. Only
 * additions, products, quotients and square roots are used, so that every engine computes the same bits.
 */

/** The name of a schedule. */
export type ScheduleName = "cosine" | "edm" | "linear" | "log";
/** The names of all schedules. */
export const SCHEDULES: readonly ScheduleName[] = ["cosine", "edm", "linear", "log"];

/** The name of a solver: how the estimates of the steps become the next x. */
export type SolverName = "ddim" | "2m";
/** The names of all solvers. */
export const SOLVERS: readonly SolverName[] = ["ddim", "2m"];

/** The noise level of one step of a diffusion. */
export interface NoiseLevel {
  /** a, in (0, 1): the share of the image in the variance of x_t. The noise has the share 1 - a. */
  readonly alphaBar: number;
  /** Side of the window by which a pixel is compared with training images: odd. One that covers the image from each pixel is exact. */
  readonly window: number;
  /** Number of the step, from 0; step 0 has the most noise. */
  readonly step: number;
}

/** The settings of a diffusion, plain data of a profile. */
export interface DiffusionSettings {
  /** Which noise levels are visited. */
  readonly schedule: ScheduleName;
  /** How many: 1 to 1000. */
  readonly steps: number;
  /** Side of the window in each step, most noise first; the whole image in every step where they are left out. */
  readonly windows?: readonly number[];
  /** How much of the noise is drawn anew in each step, in [0, 1]: 0 (by default) is DDIM, 1 is DDPM. */
  readonly eta?: number;
  /**
   * "ddim" (by default) goes towards the estimate of each step; "2m" towards what it and the estimate before extrapolate to
   * (DPM-Solver++(2M): Lu et al., 2022), which makes sharper images in as many steps.
   */
  readonly solver?: SolverName;
}

/** The most steps of a diffusion: as many as the schedules of trained models have. */
export const MAX_STEPS = 1000;
/** The largest side of a window. It covers the largest image from any of its pixels. */
export const MAX_WINDOW = 8191;

/**
 * Lists the noise levels of a diffusion, most noise first.
 *
 * @throws {Error} where the settings are out of range, or where there are not as many windows as steps
 */
export function noiseLevels({ schedule, steps, windows, eta = 0, solver = "ddim" }: DiffusionSettings): NoiseLevel[] {
  const refuse = (wanted: string, got: unknown): never => {
    throw new Error(`Cannot plan a diffusion: expected ${wanted}, got ${got}`);
  };
  if (!SCHEDULES.includes(schedule)) refuse(`the schedule ${SCHEDULES.join(" or ")}`, schedule);
  if (!Number.isInteger(steps) || steps < 1 || steps > MAX_STEPS) refuse(`1 to ${MAX_STEPS} steps`, steps);
  if (!SOLVERS.includes(solver)) refuse(`the solver ${SOLVERS.join(" or ")}`, solver);
  if (!(eta >= 0 && eta <= 1)) refuse("eta in 0 to 1", eta);
  if (windows && windows.length !== steps) {
    refuse(`${steps} windows, one for each step, or "windows": "auto"`, windows.length);
  }
  const isSide = (side: number) => Number.isInteger(side) && side % 2 === 1 && side >= 1 && side <= MAX_WINDOW;
  const wrong = windows?.find((side) => !isSide(side));
  if (wrong !== undefined) refuse(`windows of an odd side in 1 to ${MAX_WINDOW}`, wrong);
  const alphas = { cosine: cosineSchedule, edm: edmSchedule, linear: linearSchedule, log: logSchedule }[schedule](
    steps,
  );
  return Array.from(alphas, (alphaBar, step) => ({ alphaBar, window: windows?.[step] ?? MAX_WINDOW, step }));
}

/**
 * Window sides of a family with one parameter, most noise first: the radius falls with the square root of the steps that are left.
 *
 * @param reach radius of the widest window as a part of `side`, the longer side of the images
 */
export function windowsUpTo(reach: number, steps: number, side: number): number[] {
  return Array.from({ length: steps }, (_, step) => {
    return 2 * Math.max(1, Math.round(reach * side * Math.sqrt((steps - step) / steps))) + 1;
  });
}

/** cos^2(pi t / 2.016) at t = T / T, ..., 1 / T: the schedule of Kamb and Ganguli (2025), after Nichol and Dhariwal (2021). */
function cosineSchedule(steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => cosine(Math.PI * (steps - i) / steps / 2.016) ** 2);
}

/** 80^(1/7): the most noise of EDM, to the power of one over its rho. */
const MAX_ROOT = 1.8701222535385968;
/** 0.002^(1/7): the same of the least noise. */
const MIN_ROOT = 0.41155971378360795;

/**
 * The noise deviations of Karras, Aittala, Aila and Laine (2022), equation (5): sigma_i = (80^(1/7) + i / (T - 1) (0.002^(1/7) -
 * 80^(1/7)))^7, where a = 1 / (1 + sigma^2).
 */
function edmSchedule(steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => {
    const root = MAX_ROOT + i / Math.max(steps - 1, 1) * (MIN_ROOT - MAX_ROOT);
    const square = root * root;
    const sigma = square * square * square * root;
    return 1 / (1 + sigma * sigma);
  });
}

/** The betas of Ho, Jain and Abbeel (2020), 0.0001 to 0.02 in 1000 steps, at evenly spaced ones of them. */
function linearSchedule(steps: number): number[] {
  const products: number[] = [];
  for (let i = 0, product = 1; i < MAX_STEPS; i++) {
    product *= 1 - (0.0001 + i / (MAX_STEPS - 1) * (0.02 - 0.0001));
    products.push(product);
  }
  return Array.from({ length: steps }, (_, i) => products[Math.floor(MAX_STEPS * (steps - i) / steps) - 1]);
}

/** The least noise of `logSchedule`: 4 of 255 grey levels. With less, the last steps change nothing that is seen. */
const LEAST_DEVIATION = 0.03;
/** The logarithm of 80, the most noise of EDM and about that of the cosine schedule, over the least noise. */
const LOG_RANGE = 7.888584531993863;

/**
 * Deviations sigma from 80 to `LEAST_DEVIATION` in equal ratios, a = 1 / (1 + sigma^2): the steps of DPM-Solver (Lu et al., 2022,
 * section 3.4), which are even in the logarithm of the signal-to-noise ratio. Where data have a deviation s along a direction,
 * 20 steps of the solver "2m" keep 0.99 to 1.02 of their variance for s = 0.2 to 8; with the cosine schedule, whose first step falls
 * from 80 to 11 and whose last has 0.078, they keep 0.72 of s = 8, 0.80 of s = 6 and 0.89 of s = 0.2.
 */
function logSchedule(steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => {
    const sigma = LEAST_DEVIATION * exponential(LOG_RANGE * (1 - i / Math.max(steps - 1, 1)));
    return 1 / (1 + sigma * sigma);
  });
}

/** Terms of the series of the exponential: the next one is below 1e-17 of it for arguments up to 8. */
const EXPONENTIAL_TERMS = 48;

/** exp(value) for values in [0, 8], by its series. Engines differ in `Math.exp`. */
function exponential(value: number): number {
  let sum = 1;
  for (let n = EXPONENTIAL_TERMS; n >= 1; n--) sum = 1 + sum * value / n;
  return sum;
}

/** Terms of the series of the cosine: the next one is below 1e-20 for angles up to pi / 2. */
const TERMS = 13;

/** The cosine of an angle in [0, pi / 2], by its series. Engines differ in `Math.cos`. */
export function cosine(angle: number): number {
  const square = angle * angle;
  let sum = 1;
  for (let n = TERMS; n >= 1; n--) sum = 1 - sum * square / ((2 * n - 1) * (2 * n));
  return sum;
}
