// Whether images of few real ones teach more if only a third of those that were made are kept. Tried and left out: docs/worth.md.
//   deno run -A bench/filters.ts [--each 5,10,20] [--draws 10] [--added 50] [--tested 1000] [--held-out] [--csv FILE]
import { parseArgs } from "@std/cli/parse-args";
import { type Kernels, loadKernels } from "../core/kernels.ts";
import { plan } from "../core/plan.ts";
import { withSetting } from "../core/profile_changes.ts";
import { finish } from "../core/steps.ts";
import { type LabelledImages, pick } from "../datasets/data_set.ts";
import { knownClasses, numbersOfClass } from "../datasets/groups.ts";
import { digits } from "../datasets/profiles/mod.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { classPyramid } from "../pipelines/run/training_pyramids.ts";
import { logLikelihoods } from "../pipelines/run/log_likelihoods.ts";
import { holdOut } from "../pipelines/tuning/held_out.ts";
import {
  accuracies,
  COST,
  described,
  type Examples,
  gaussianKernel,
  squaredDistances,
} from "../pipelines/worth/classifiers.ts";
import { drawOfEach, drawSome } from "../pipelines/worth/draw_examples.ts";
import { intervalOf } from "../pipelines/report/intervals.ts";
import { methodExamples, padded, sourceImages } from "../pipelines/worth/methods.ts";
import { type ClassifierName, CLASSIFIERS, readMethod, REAL } from "../pipelines/worth/names.ts";
import { decisionOf, trainSvm } from "../pipelines/worth/svm.ts";
import type { WorthCell, WorthRequest, WorthRow } from "../pipelines/worth/worth.ts";
import { worthCsv, worthTable } from "../pipelines/worth/worth_report.ts";
import { builtins } from "../plugins/mod.ts";

const words = parseArgs(Deno.args, { string: ["each", "draws", "added", "tested", "csv"], boolean: ["held-out"] });
const { each = "5,10,20", draws = "10", added: more = "50", tested = "1000", csv } = words as Partial<
  Record<string, string>
>;
const request: WorthRequest = {
  profile: ["prior.neighbours=auto", "seedModel=warped"].reduce(withSetting, digits),
  each: each.split(",").map(Number),
  only: 0,
  methods: [],
  classifiers: Object.keys(CLASSIFIERS) as ClassifierName[],
  draws: Number(draws),
  added: Number(more),
  tested: Number(tested),
  seed: 1,
};
/** So many images are made for each one that is kept. */
const CANDIDATES = 3;

/** What is known of an image that was made. */
interface Ranked {
  /** The log-likelihood by the real images of its class, in nats. */
  readonly ll: number;
  /**
   * The least decision for its class against another one, of machines that learned histograms of gradients from the real images
   * alone. Above 0: they are right.
   */
  readonly margin: number;
}

/** The filters by name: what images are ranked by. Of each class those with the highest ranks are kept. */
const FILTERS: Readonly<Record<string, (image: Ranked) => number>> = {
  all: () => 0,
  likeliest: ({ ll }) => ll,
  surest: ({ margin }) => margin,
};

const { profile, added, seed } = request, planned = plan(profile, builtins), [size] = planned.sizes;
const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm));
const found = await findData(profile.dataset), data = words["held-out"] ? holdOut(found) : found;

/** Each method is compared with the first of its joined parts under the same filter. */
const METHODS = [
  ...["warps", "affine", "patchloom", "patchloom-of-warps"],
  ...["warps+patchloom", "affine+patchloom", "warps+patchloom-of-warps", "affine+patchloom-of-warps"],
].map(readMethod);

for (const each of request.each) {
  const cells: WorthCell[] = [];
  for (let draw = 0; draw < request.draws; draw++) {
    cells.push(...measured(each, draw));
    if (csv) await Deno.writeTextFile(csv, worthCsv({ rows: [], cells }));
  }
  const methods = [...new Set(cells.map(({ method }) => method))];
  console.log(worthTable({ rows: rowsOf(cells), cells }, { ...request, each: [each], methods }).join("\n"));
}

/** Measures one draw: every method with every filter. */
function measured(each: number, draw: number): WorthCell[] {
  const real = drawOfEach(data.train, each, seed, draw), input = { kernels, plan: planned, real, seed, draw, added };
  const tests = [padded(drawSome(data.test, request.tested, seed, draw), size)], cells: WorthCell[] = [];
  const measure = (method: string, examples: Examples) => {
    const [right] = finish(accuracies(kernels, request.classifiers, examples, tests));
    for (const classifier of request.classifiers) {
      cells.push({ draw, each, method, classifier, accuracy: 100 * right[classifier]! });
    }
  };
  const sources = new Set(METHODS.flatMap(({ sources }) => sources));
  const made = finish(sourceImages({ ...input, added: added * CANDIDATES }, sources));
  measure(REAL, methodExamples(readMethod(REAL), made, input));
  const ranked = new Map([...made].map(([source, images]) => [source, rankedBy(kernels, real, images)]));
  for (const [filter, rank] of Object.entries(FILTERS)) {
    for (const method of METHODS) {
      const candidates = added / method.sources.length * CANDIDATES;
      const kept = new Map(method.sources.map((source) => {
        return [source, sorted(made.get(source)!, ranked.get(source)!.map(rank), candidates)];
      }));
      measure(`${method.name}, ${filter}`, methodExamples(method, kept, input));
    }
  }
  return cells;
}

/** Sorts the first `count` images of each class by descending rank; equal ones keep their order. A method takes the first of these. */
function sorted(images: Examples, ranks: readonly number[], count: number): Examples {
  const order = knownClasses(images.labels).flatMap((label) => {
    const own = [...numbersOfClass(images.labels, label, images.labels.length).subarray(0, count)];
    return own.sort((a, b) => ranks[b] - ranks[a]);
  });
  return pick(images, order) as Examples;
}

function rankedBy(kernels: Kernels, real: LabelledImages, images: Examples): Ranked[] {
  const margins = marginsOf(kernels, padded(real, size), images), lls = new Float64Array(images.labels.length);
  for (const label of knownClasses(images.labels)) {
    const own = numbersOfClass(images.labels, label, images.labels.length), length = size.height * size.width;
    const mark = kernels.mark(), { hr: [training] } = finish(classPyramid(kernels, planned, { train: real }, label));
    const pixels = Array.from(own, (i) => images.images.pixels.subarray(i * length, (i + 1) * length));
    logLikelihoods(kernels, planned, training, pixels).forEach((ll, i) => lls[own[i]] = ll);
    kernels.release(mark);
  }
  return Array.from(margins, (margin, i) => ({ margin, ll: lls[i] }));
}

function marginsOf(kernels: Kernels, real: Examples, images: Examples): number[] {
  const { images: vectors, labels } = described(real), others = described(images).images;
  const kernelOf = gaussianKernel(vectors), within = squaredDistances(kernels, vectors, vectors);
  const { classes, machines } = trainSvm(kernelOf(within, vectors, vectors), labels, COST.gradients);
  const { columns, values } = kernelOf(squaredDistances(kernels, others, vectors), others, vectors);
  return Array.from(images.labels, (label, i) => {
    const row = values.subarray(i * columns, (i + 1) * columns), at = classes.indexOf(label);
    const own = machines.filter((machine) => machine.classes.includes(at));
    return Math.min(...own.map((machine) => decisionOf(machine, row) * (machine.classes[0] === at ? 1 : -1)));
  });
}

/** The means over draws, with the differences from the real images alone and from the deformed images that a method has too. */
function rowsOf(cells: readonly WorthCell[]): WorthRow[] {
  const valuesOf = (one: WorthCell, method = one.method) => {
    return cells.filter((cell) => cell.method === method && cell.classifier === one.classifier)
      .map(({ accuracy }) => accuracy);
  };
  return cells.filter(({ draw }) => draw === 0).map((cell) => {
    const { each, method, classifier } = cell, own = valuesOf(cell);
    const [joined, filter] = method.split(", "), [part] = joined.split("+");
    const over = (other: string) => intervalOf(own.map((value, i) => value - valuesOf(cell, other)[i]));
    return {
      each,
      method,
      classifier,
      accuracy: intervalOf(own),
      overReal: method === REAL ? undefined : over(REAL),
      overPart: part === joined ? undefined : over(`${part}, ${filter}`),
    };
  });
}
