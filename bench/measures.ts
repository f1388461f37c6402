/** How long the measures take on one thread: every metric on 200 images against a class, and the t-SNE map. */
import { kernelMemory, loadKernels } from "../core/kernels.ts";
import { plan } from "../core/plan.ts";
import { digits } from "../datasets/profiles/mod.ts";
import { embed } from "../pipelines/report/embed.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { numbersOfClass } from "../datasets/groups.ts";
import { paddedImages, unitVectors } from "../pipelines/assessment/padded_images.ts";
import { runMetricJob } from "../pipelines/assessment/metric_job.ts";
import { builtins } from "../plugins/mod.ts";

const JUDGED = 200, CLASS = 3, POINTS = 500;

const bytes = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(bytes), kernelMemory());
const planned = plan(digits, builtins),
  [size] = planned.sizes,
  { patch, overlap, window } = planned.compared;
const { train, test, origin } = await findData(digits.dataset);
const ofClass = (set: typeof train, most = Infinity) =>
  paddedImages(set, numbersOfClass(set.labels, CLASS, set.images.count).subarray(0, most), size);
const generated = ofClass(test, JUDGED), training = ofClass(train), heldOut = generated;
const labels = { generated: new Uint8Array(generated.count), training: new Uint8Array(training.count) };

console.log(
  `### Measures: seconds for ${generated.count} images against ${training.count}, one thread. Data: ${origin}\n`,
);
console.log("| measure | s |\n| --- | --- |");
for (const plugin of builtins.plugins.filter(({ kind }) => kind === "metric")) {
  const started = performance.now();
  const common = { generated, training, heldOut, labels: { ...labels, heldOut: labels.generated } };
  runMetricJob(kernels, { metric: plugin.name, options: {}, ...common, patch, overlap, window });
  console.log(`| ${plugin.name} | ${((performance.now() - started) / 1000).toFixed(2)} |`);
}
const points = [...unitVectors(ofClass(train, POINTS)), ...unitVectors(ofClass(test, POINTS))],
  started = performance.now();
await embed(points);
console.log(`| t-SNE map of ${points.length} images | ${((performance.now() - started) / 1000).toFixed(2)} |\n`);
