/** Runs a metric on sets of small images in kernel memory, and reports what it changed there. */
import { borrowing, type Kernels } from "../kernels.ts";
import { numbersFrom } from "../numbers.ts";
import type { Values } from "../plugin.ts";
import { stream } from "../random.ts";
import { optionValues } from "../options.ts";
import type { Images, Rows } from "../types.ts";
import type { MetricInput, MetricResult } from "../metric.ts";
import type { PluginOf } from "./check.ts";
import { blobs, changed, noise, pick, remember, SIDE, type Untouched } from "./small_images.ts";

/** Images and their classes. */
export interface Labelled {
  readonly images: Images;
  readonly labels: Uint8Array;
}

/** The image sets that a metric compares. */
export interface Sets {
  readonly generated: Labelled;
  readonly training: Labelled;
  readonly heldOut?: Labelled;
}

/** The outcome of a metric's run. */
export interface MetricRun {
  readonly result?: MetricResult;
  readonly error?: unknown;
  /** Bytes of kernel memory that it did not release. */
  readonly kept: number;
  /** The input that it changed, if any. */
  readonly wrote?: string;
}

/** Gives images one of two classes at random, so that a vote of k neighbours depends on k. */
export function labelled(images: Images): Labelled {
  const random = stream(images.count);
  return { images, labels: Uint8Array.from({ length: images.count }, () => 2 * random.next()) };
}

/** The images of these numbers, in this order, with their labels. */
export function part({ images, labels }: Labelled, numbers: readonly number[]): Labelled {
  return { images: pick(images, numbers), labels: Uint8Array.from(numbers, (n) => labels[n]) };
}

/** Different images of the same kind in all sets, as a good generator would make them. */
export const GOOD: Sets = {
  generated: labelled(blobs(12, 2)),
  training: labelled(blobs(12, 1)),
  heldOut: labelled(blobs(10, 3)),
};

const none = part(GOOD.generated, []);
const one = part(GOOD.generated, [1]);
const oneOther = part(GOOD.training, [0]);
const [equal, black] = [
  part(GOOD.training, numbersFrom(0, 6).map(() => 0)),
  labelled({ ...blobs(6), pixels: new Uint8Array(6 * SIDE * SIDE) }),
];

/** Edge cases that every metric must score. */
export const HARD: readonly [title: string, sets: Sets][] = [
  ["one generated image", { ...GOOD, generated: one }],
  ["one training image", { ...GOOD, training: oneOther }],
  ["one image of each set", { generated: one, training: oneOther, heldOut: part(GOOD.heldOut!, [2]) }],
  ["one image, which is the training image", { generated: one, training: one }],
  ["fewer generated than training images", { ...GOOD, generated: part(GOOD.generated, [0, 1, 2, 3, 4]) }],
  ["more generated than training images", { ...GOOD, training: part(GOOD.training, [0, 1, 2, 3, 4]) }],
  ["no held-out images", { generated: GOOD.generated, training: GOOD.training }],
  ["a held-out set without images", { ...GOOD, heldOut: none }],
  ["copies of the training images", { ...GOOD, generated: GOOD.training }],
  ["one image again and again", { ...GOOD, generated: equal }],
  ["equal images in all sets", { generated: equal, training: equal, heldOut: equal }],
  ["black images in all sets", { generated: black, training: black, heldOut: black }],
  ["noise", { ...GOOD, generated: labelled(noise(12)) }],
];

/** Sets that no metric can score. */
export const EMPTY: readonly [title: string, sets: Sets][] = [
  ["no generated images", { ...GOOD, generated: none }],
  ["no training images", { ...GOOD, training: none }],
  ["no images at all", { generated: none, training: none }],
];

/** Runs a metric on sets of images. All kernel memory is released afterwards. */
export function metricFixture(
  plugin: PluginOf<"metric">,
  kernels: Kernels,
  sets: Sets,
  { metric = plugin.create(optionValues(plugin, {})), given = kernels }: Partial<MetricFixtureOptions> = {},
): MetricRun {
  const { generated, training, heldOut } = sets;
  const untouched: Untouched[] = [];
  return borrowing(kernels, () => {
    const put = ({ images: { count, pixels } }: Labelled, what: string): Rows => {
      const at = kernels.allocate(pixels.length);
      kernels.u8(at, pixels.length).set(pixels);
      untouched.push(remember(kernels, what, at, pixels.length));
      return { count, height: SIDE, width: SIDE, channels: 1, at };
    };
    const input: MetricInput = {
      generated: put(generated, "the generated images"),
      training: put(training, "the training images"),
      heldOut: heldOut && put(heldOut, "the held-out images"),
      labels: metric.together ? labelsOf(sets) : undefined,
      patch: 4,
      overlap: 1,
      window: 2,
      kernels: given,
    };
    const before = kernels.mark();
    const labels = labelsOf(sets);
    const done: { result?: MetricResult; error?: unknown } = {};
    try {
      done.result = metric.measure(input);
    } catch (error) {
      done.error = error;
    }
    const relabelled = input.labels && String(Object.values(input.labels)) !== String(Object.values(labels));
    const wrote = changed(kernels, untouched) ?? (relabelled ? "the labels" : undefined);
    return { ...done, kept: kernels.mark() - before, wrote };
  });
}

/** Options of `metricFixture`. */
export interface MetricFixtureOptions {
  /** The metric to run; by default the plugin's, with its default options. */
  readonly metric: ReturnType<PluginOf<"metric">["create"]>;
  /** The kernels that the metric sees, if not those that hold the images. */
  readonly given: Kernels;
}

/** The result of a metric with these option values. Throws what the metric throws. */
export function resultOf(plugin: PluginOf<"metric">, kernels: Kernels, sets: Sets, values?: Values): MetricResult {
  const { result, error } = metricFixture(plugin, kernels, sets, values && { metric: plugin.create(values) });
  if (!result) throw error;
  return result;
}

function labelsOf({ generated, training, heldOut }: Sets): NonNullable<MetricInput["labels"]> {
  const copy = (set: Labelled) => set.labels.slice();
  return { generated: copy(generated), training: copy(training), heldOut: heldOut && copy(heldOut) };
}
