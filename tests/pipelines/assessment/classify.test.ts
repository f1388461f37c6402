import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { classify } from "../../../pipelines/assessment/classify.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { builtins } from "../../../plugins/mod.ts";

const train = proceduralDigits("train", 300), test = proceduralDigits("test", 20), planned = plan(digits, builtins);
const runner = denoRunner({ threads: 1 });

function data(change: Partial<DataSet> = {}): DataSet {
  return { name: "digits", origin: "", files: [], train, test, ...change };
}

function part(found: Uint8Array, wanted: Uint8Array): number {
  return found.filter((label, i) => label === wanted[i]).length / wanted.length;
}

Deno.test("classify: more than 95 % of digits right, and the accuracy is that on held-out images", async () => {
  const { labels, accuracy } = await classify(runner, data(), test.images, planned);
  assert(part(labels, test.labels) > 0.95, `${part(labels, test.labels)}`);
  assertEquals(accuracy, part(labels, test.labels), "the held-out images were the ones to classify");

  // Other images are classified: the accuracy stays that of the held-out ones.
  const own = { ...train.images, count: 30, pixels: train.images.pixels.slice(0, 30 * 784) };
  const copies = await classify(runner, data(), own, planned);
  assertEquals([...copies.labels], [...train.labels.subarray(0, 30)], "training images are their own nearest");
  assertEquals(copies.accuracy, accuracy);

  // Held-out images under false labels: the labels given stay, the accuracy falls.
  const falsely: LabelledImages = {
    ...test,
    labels: test.labels.map((label, i) => i % 4 === 0 ? (label + 1) % 10 : label),
  };
  const doubted = await classify(runner, data({ test: falsely }), test.images, planned);
  assertEquals(doubted.labels, labels);
  assertEquals(doubted.accuracy, part(labels, falsely.labels!));
  assert(doubted.accuracy < 0.8);
});

Deno.test("classify: images of the padded size, classes of any number, fewer training images than votes", async () => {
  // The last digits of a row of blocks of 16: none may be left out.
  for (const count of [1, 15, 16, 17, 33]) {
    const images = { ...test.images, count, pixels: test.images.pixels.slice(0, count * 784) };
    const { labels } = await classify(runner, data(), images, planned);
    assertEquals(labels.length, count);
    assert(part(labels, test.labels.subarray(0, count)) > 0.9);
  }
  // One zero and one one, under other names.
  const two = { images: { ...train.images, count: 2, pixels: train.images.pixels.slice(0, 2 * 784) } };
  const few = data({ train: { ...two, labels: Uint8Array.of(255, 7) } });
  const { labels } = await classify(runner, few, two.images, planned);
  assertEquals([...labels], [255, 7], "of two votes for two classes the nearer one's counts");
});
