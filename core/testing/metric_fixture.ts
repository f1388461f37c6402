/** The table that metrics are checked on: sets of small images, put into kernel memory and watched there. */
import { borrowing, type Kernels } from "../kernels.ts";
import type { Values } from "../plugin.ts";
import { stream } from "../random.ts";
import { optionValues } from "../options.ts";
import type { Images, MetricInput, MetricResult, Rows } from "../types.ts";
import type { PluginOf } from "./check.ts";
import { blobs, changed, first, noise, pick, remember, SIDE, type Untouched } from "./small_images.ts";

/** Images and their classes. */
export interface Labelled {
  readonly images: Images;
  readonly labels: Uint8Array;
}

/** What a metric is given to judge. */
export interface Sets {
  readonly generated: Labelled;
  readonly training: Labelled;
  readonly heldOut?: Labelled;
}

/** What a metric did. */
export interface MetricRun {
  readonly result?: MetricResult;
  readonly error?: unknown;
  /** Bytes of kernel memory that it did not give back. */
  readonly kept: number;
  /** What it wrote to that is not its own. */
  readonly wrote?: string;
}

/** Images of two classes, in no order and for no reason: a vote of more of them is another vote. */
export function labelled(images: Images): Labelled {
  const random = stream(images.count);
  return { images, labels: Uint8Array.from({ length: images.count }, () => 2 * random.next()) };
}

/** These images of a set, in this order. */
export function part({ images, labels }: Labelled, numbers: readonly number[]): Labelled {
  return { images: pick(images, numbers), labels: Uint8Array.from(numbers, (n) => labels[n]) };
}

/** As many of each, none of them twice: what a good generator would make of such training images. */
export const GOOD: Sets = {
  generated: labelled(blobs(12, 2)),
  training: labelled(blobs(12, 1)),
  heldOut: labelled(blobs(10, 3)),
};

const none = part(GOOD.generated, []), one = part(GOOD.generated, [1]), oneOther = part(GOOD.training, [0]);
const [equal, black] = [
  part(GOOD.training, first(6).map(() => 0)),
  labelled({ ...blobs(6), pixels: new Uint8Array(6 * SIDE * SIDE) }),
];

/** Sets that are hard to judge, and must be judged all the same. */
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

/** Sets that cannot be judged. */
export const EMPTY: readonly [title: string, sets: Sets][] = [
  ["no generated images", { ...GOOD, generated: none }],
  ["no training images", { ...GOOD, training: none }],
  ["no images at all", { generated: none, training: none }],
];

/** Has a metric judge. `given` are the kernels that it sees, where they are not those of the memory. */
export function metricFixture(
  plugin: PluginOf<"metric">,
  kernels: Kernels,
  sets: Sets,
  { metric = plugin.create(optionValues(plugin, {})), given = kernels }: Partial<MetricFixtureOptions> = {},
): MetricRun {
  const { generated, training, heldOut } = sets, untouched: Untouched[] = [];
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
    const before = kernels.mark(), labels = labelsOf(sets), done: { result?: MetricResult; error?: unknown } = {};
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

/** How a metric is to judge. */
export interface MetricFixtureOptions {
  readonly metric: ReturnType<PluginOf<"metric">["create"]>;
  readonly given: Kernels;
}

/** Has a metric judge with these values of its options. Throws what it throws. */
export function resultOf(plugin: PluginOf<"metric">, kernels: Kernels, sets: Sets, values?: Values): MetricResult {
  const { result, error } = metricFixture(plugin, kernels, sets, values && { metric: plugin.create(values) });
  if (!result) throw error;
  return result;
}

function labelsOf({ generated, training, heldOut }: Sets): NonNullable<MetricInput["labels"]> {
  const copy = (set: Labelled) => set.labels.slice();
  return { generated: copy(generated), training: copy(training), heldOut: heldOut && copy(heldOut) };
}
