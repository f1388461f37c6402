/** Gives unlabelled images a class: the paper's measures are taken class by class, whoever made the images. */
import { type Kernels, loadKernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import type { Images } from "../../core/types.ts";
import type { DataSet, LabelledImages } from "../../datasets/data_set.ts";
import { chosenBy } from "./groups.ts";
import { take } from "./measure.ts";
import type { SquareImages } from "./metric_job.ts";

/** Training images of each class that are compared with, and how many of the nearest have a vote. */
const EACH = 300, VOTES = 3;
/** Held-out images that the accuracy is measured on. */
const CHECKED = 1000;

/** Classifies images by their nearest training images. `accuracy` is the part of held-out images that it gets right. */
export async function classify(
  data: DataSet,
  images: Images,
  plan: Plan,
): Promise<{ labels: Uint8Array; accuracy: number }> {
  const bytes = await Deno.readFile(new URL("../../assembly/kernels.wasm", import.meta.url));
  const kernels = loadKernels(await WebAssembly.compile(bytes)), size = plan.sizes[0], { train, test } = data;
  const classes = [...new Set(train.labels)];
  const chosen = Uint32Array.from(
    classes.flatMap((label) => [...chosenBy(train.labels, label, train.images.count).subarray(0, EACH)]),
  );
  const examples = take(train, chosen, size), of = Uint8Array.from(chosen, (i) => train.labels![i]);
  const every = (set: LabelledImages, most: number) => {
    const count = Math.min(most, set.images.count);
    return Uint32Array.from({ length: count }, (_, i) => Math.floor(i * set.images.count / count));
  };
  const checked = every(test, CHECKED), found = vote(kernels, take(test, checked, size), examples, of);
  const right = found.filter((label, i) => label === test.labels![checked[i]]).length;
  const labels = vote(kernels, take({ images }, every({ images }, images.count), size), examples, of);
  return { labels, accuracy: right / checked.length };
}

function vote(kernels: Kernels, queries: SquareImages, examples: SquareImages, labels: Uint8Array): Uint8Array {
  const mark = kernels.mark(), length = queries.size ** 2, block = 16;
  const at = kernels.allocate(examples.pixels.length), asked = kernels.allocate(block * length);
  const out = kernels.allocate(block * examples.count * 8), found = new Uint8Array(queries.count);
  kernels.u8(at, examples.pixels.length).set(examples.pixels);
  for (let first = 0; first < queries.count; first += block) {
    const batch = Math.min(block, queries.count - first);
    kernels.u8(asked, batch * length).set(queries.pixels.subarray(first * length, (first + batch) * length));
    kernels.distances(asked, batch, at, examples.count, length, out);
    for (let b = 0; b < batch; b++) {
      const distances = kernels.f64(out + b * examples.count * 8, examples.count);
      const nearest: number[] = [];
      for (let i = 0; i < examples.count; i++) {
        if (nearest.length === VOTES && distances[i] >= distances[nearest[VOTES - 1]]) continue;
        nearest.splice(nearest.findLastIndex((n) => distances[n] <= distances[i]) + 1, 0, i);
        nearest.length = Math.min(nearest.length, VOTES);
      }
      const votes = nearest.map((i) => labels[i]);
      // The class with most votes; of equals the nearest one's.
      found[first + b] = votes.reduce((best, label) =>
        votes.filter((v) => v === label).length > votes.filter((v) => v === best).length ? label : best
      );
    }
  }
  kernels.release(mark);
  return found;
}
