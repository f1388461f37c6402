/** `deno task compare`: every prior, context and z-step on the same seed images, under the same measures. */
import { join } from "@std/path";
import { plan } from "../../../core/plan.ts";
import { type Profile, withPrior } from "../../../core/profile.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import type { Report } from "../../../pipelines/report/report.ts";
import type { Registry } from "../../../core/registry.ts";
import { suggestion } from "../../../core/options.ts";
import { areaOf } from "../../../core/shape.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { ZStep } from "../../../core/types.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { writeAtomically } from "../data/data_folder.ts";
import { findData } from "../data/find_data.ts";
import { asUsage, outFolder, readFlags, UsageError, wholeNumber } from "../cli/flags.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { PLUGIN_ABOUT } from "../cli/common_flags.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { runMetrics } from "../../../pipelines/assessment/run_metrics.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { png } from "../../../datasets/formats/write_png.ts";
import { progress } from "../cli/progress.ts";
import { readProfile } from "../data/read_profile.ts";
import { type Experiment, type Label, openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { openFolder } from "../output/out_folder.ts";

const FLAGS = {
  profile: { value: "NAME|FILE", about: "what to synthesize: digits, faces, or a profile of your own" },
  count: { value: "N", about: "how many images of each variant (100)" },
  class: { value: "N", about: "one class only" },
  prior: { value: "NAME", many: true, about: "only these priors" },
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  seed: { value: "N", about: "random seed (1)" },
  data: { value: "PATH", about: "training and test images: IDX files, or a folder of PNGs" },
  out: { value: "DIR", about: "where the results go (out/compare-PROFILE)" },
  threads: { value: "N", about: "workers; the numbers do not depend on it (all cores)" },
  json: { about: "print compare.json to the standard output in place of the table" },
  quiet: { about: "no progress" },
} as const;

const COMMAND = {
  name: "compare",
  about: "Compares every prior, context and z-step on the same seed images.",
  flags: FLAGS,
  examples: [
    "deno task compare --profile digits --class 3",
    "deno task compare --profile digits --count 500 --prior local-nn --prior spatially-invariant",
  ],
} as const;

/** One way to synthesize. */
interface Variant {
  readonly prior: string;
  readonly contexts: string;
  readonly zStep: ZStep;
  readonly profile: Profile;
}

/** How it did: a score of each metric, and wall-clock milliseconds an image. */
interface Compared extends Omit<Variant, "profile"> {
  readonly scores: Readonly<Record<string, number>>;
  readonly milliseconds?: number;
}

const METRICS = ["likelihood", "originality", "spread", "sharpness", "novelty"];
/** Images of a row of the sheet. */
const SHOWN = 12;

/** Runs `compare`; the exit code. */
export async function compareCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  if (read.rest.length > 0) throw new UsageError(`compare takes flags only, got "${read.rest[0]}" (see --help)`);
  const { given } = read, say = (text: string) => given.quiet || console.error(text);
  const { profile, data: where } = await readProfile("compare", given.profile),
    count = wholeNumber("count", given.count ?? "100", 1, 100_000);
  const seed = wholeNumber("seed", given.seed ?? "1", 0, Number.MAX_SAFE_INTEGER);
  const threads = wholeNumber("threads", given.threads ?? String(Math.min(navigator.hardwareConcurrency, 64)), 1, 64);
  const only = given.class === undefined ? undefined : wholeNumber("class", given.class, 0, 255);
  const plugins = await openPlugins(given.plugin, false, say);
  const { aligned, channels } = asUsage(() => plan(profile, plugins.registry));
  if (!aligned || channels !== 1) {
    throw new UsageError(`compare takes profiles of grey, aligned images, got "${profile.name}"`);
  }
  const variants = variantsOf(profile, given.prior, plugins.registry),
    folder = given.out ?? outFolder("compare", profile.name, "compare-");

  const data = await findData(profile.dataset, given.data ?? where);
  const world = await openExperiment(denoRunner({ threads, plugins }), profile, data, seed);
  const tests = chooseTests(world, count, only);
  await openFolder(folder);
  say(`Data: ${data.origin}`);
  const held = { images: collect(world, tests.map(({ test }) => world.testImage(test))), labels: labelsOf(tests) };
  const rows: Compared[] = [
    { prior: "test images", contexts: "", zStep: "sample", scores: await scoresOf(world, held, threads) },
  ];
  const pictures = [tests.slice(0, SHOWN).map(({ test }) => world.testImage(test))];
  const bar = progress(`Comparing ${variants.length} variants`, given.quiet);
  for (const [done, { profile, ...variant }] of variants.entries()) {
    const finished: GroupImage[] = [], own = world.under(profile), started = performance.now();
    const step = (part: number) => bar.update((done + part) / variants.length);
    const { fit } = await own.synthesizeTests(tests, (images) => Promise.resolve(void finished.push(...images)), step);
    const milliseconds = (performance.now() - started - fit) / tests.length;
    finished.sort((a, b) => a.number - b.number);
    const made = { images: collect(world, finished.map(({ pixels }) => pixels)), labels: labelsOf(tests) };
    rows.push({ ...variant, scores: await scoresOf(world, made, threads), milliseconds });
    pictures.push(finished.slice(0, SHOWN).map(({ pixels }) => pixels));
  }
  bar.end();

  const findings = findingsOf(rows), picture = png(drawSheet(world, pictures));
  const command = `deno task compare ${args.join(" ")}`, { origin, files } = data;
  const summary = {
    command,
    profile: profile.name,
    seed,
    threads,
    images: tests.length,
    origin,
    files,
    rows,
    findings,
  };
  const texts = [["compare.json", JSON.stringify(summary, null, 2) + "\n"], [
    "report.html",
    toHtml(reportOf({ rows, findings, picture, command, origin, title: profile.name, images: tests.length, threads })),
  ]];
  for (const [name, text] of texts) await writeAtomically(join(folder, name), new TextEncoder().encode(text));
  await writeAtomically(join(folder, "sheet.png"), picture);
  console.log(given.json ? JSON.stringify(summary, null, 2) : [...tableOf(rows), "", ...findings].join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
  return 0;
}

/** Every prior with the profile's contexts and without any; with the profile's own prior every context, and every z-step. */
function variantsOf(profile: Profile, wanted: readonly string[], plugins: Registry): Variant[] {
  const named = (kind: string) => plugins.plugins.filter((plugin) => plugin.kind === kind).map(({ name }) => name);
  const unknown = wanted.find((name) => !named("prior").includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no prior "${unknown}"${suggestion(unknown, named("prior"))}`);
  }
  const nameOf = (choice: unknown) => String(Array.isArray(choice) ? choice[0] : choice), own = nameOf(profile.prior);
  const variant = (prior: string, contexts: Profile["contexts"], zStep: ZStep): Variant => ({
    prior,
    contexts: contexts.map(nameOf).join(" + ") || "none",
    zStep,
    profile: { ...prior === own ? profile : withPrior(profile, prior, plugins), contexts, zStep },
  });
  const priors = named("prior").filter((name) => wanted.length === 0 || wanted.includes(name));
  const contextual = named("context").map((name) => profile.contexts.find((choice) => nameOf(choice) === name) ?? name);
  const all = [
    ...priors.flatMap((prior) => [variant(prior, profile.contexts, "sample"), variant(prior, [], "sample")]),
    ...contextual.map((context) => variant(own, [context], "sample")),
    variant(own, ["square", "horizontal"].map((name) => contextual[named("context").indexOf(name)]), "sample"),
    variant(own, profile.contexts, "map"),
    variant(own, profile.contexts, "mean"),
  ].filter(({ prior }) => priors.includes(prior));
  const key = ({ profile }: Variant) => JSON.stringify([profile.prior, profile.contexts, profile.zStep]);
  return all.filter((one, i) => all.findIndex((other) => key(other) === key(one)) === i);
}

type Test = { readonly number: number; readonly test: number; readonly label: Label };

/** The first test images (of one class, where it is given), each the seed of one image. */
function chooseTests({ labels, data: { test, name } }: Experiment, count: number, only: number | undefined): Test[] {
  if (only !== undefined && !labels.includes(only)) {
    const known = labels[0] === undefined ? "" : ` (classes: ${labels.join(", ")})`;
    throw new UsageError(`Cannot use --class ${only}: the test images of ${name} have no such class${known}`);
  }
  const labelOf = (index: number) => labels[0] === undefined ? undefined : test.labels![index];
  const all = Array.from({ length: test.images.count }, (_, index) => ({ test: index, label: labelOf(index) }));
  const chosen = all.filter(({ label }) => only === undefined || label === only).slice(0, count);
  return chosen.map((one, number) => ({ ...one, number }));
}

function labelsOf(tests: readonly Test[]): Uint8Array | undefined {
  return tests[0]?.label === undefined ? undefined : Uint8Array.from(tests, ({ label }) => label!);
}

function collect({ plan: { sizes: [size] } }: Experiment, images: readonly Uint8Array[]): LabelledImages["images"] {
  const length = areaOf(size), pixels = new Uint8Array(images.length * length);
  images.forEach((image, i) => pixels.set(image, i * length));
  return { ...size, count: images.length, pixels };
}

async function scoresOf({ plan, data, labels }: Experiment, generated: LabelledImages, threads: number) {
  const classes = labels.filter((label) => label === undefined || generated.labels!.includes(label));
  const subject = { plan, generated, training: data.train, classes };
  const metrics = METRICS.map((name) => ({ name, options: {} }));
  const found = await runMetrics(denoRunner({ threads }), subject, metrics);
  return Object.fromEntries(found.map(({ metric, score }) => [metric, score]));
}

/** What the paper expects of the priors, and whether it is seen. */
function findingsOf(rows: readonly Compared[]): string[] {
  const of = (prior: string, contexts: string) =>
    rows.find((row) => row.prior === prior && row.contexts === contexts && row.zStep === "sample")?.scores;
  const found: string[] = [], local = of("local-nn", "none"), invariant = of("spatially-invariant", "none");
  const fixed = (value: number) => value.toFixed(Math.abs(value) < 10 ? 3 : 2);
  if (local && invariant) {
    const [a, b] = [invariant.likelihood, local.likelihood];
    const seen = a < b ? "as the paper expects" : "which the paper does not expect";
    found.push(`Without context the spatially invariant prior has LL ${fixed(a)}, the local one ${fixed(b)}: ${seen}.`);
  }
  const gmm = of("gmm", "none");
  if (local && gmm) {
    const [a, b] = [gmm.sharpness, local.sharpness];
    const seen = a < b ? "smoother, as the paper expects" : "not smoother, which the paper does not expect";
    found.push(`Without context the GMM prior has sharpness ${fixed(a)}, the local one ${fixed(b)}: ${seen}.`);
  }
  return found;
}

const HEAD = ["", "prior", "context", "z-step", "LL", ...METRICS.slice(1), "ms an image"];

function cellsOf({ prior, contexts, zStep, scores, milliseconds }: Compared, row: number): string[] {
  const digits = (value: number, after: number) => Number.isFinite(value) ? value.toFixed(after) : "-";
  const numbers = METRICS.map((name) => digits(scores[name], name === "likelihood" ? 2 : name === "novelty" ? 4 : 3));
  const own = milliseconds !== undefined;
  return [String(row), prior, contexts, own ? zStep : "", ...numbers, own ? digits(milliseconds, 1) : ""];
}

function tableOf(rows: readonly Compared[]): string[] {
  const cells = [HEAD, ...rows.map(cellsOf)],
    widths = HEAD.map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  return cells.map((row) => row.map((cell, c) => c < 4 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])).join("  "));
}

/** A row of images for each row of the table, with its number below the first one. */
function drawSheet({ plan }: Experiment, rows: readonly (readonly Uint8Array[])[]) {
  const size = plan.sizes[0],
    framed = rows.map((images, row) =>
      images.map((pixels, i): Framed => ({
        pixels,
        colour: row === 0 ? "green" : "blue",
        text: i === 0 ? String(row) : undefined,
      }))
    );
  return sheet(framed, size, 1, Math.max(1, Math.floor(64 / size.width)));
}

function reportOf(given: {
  rows: readonly Compared[];
  findings: readonly string[];
  picture: Uint8Array;
  command: string;
  origin: string;
  title: string;
  images: number;
  threads: number;
}): Report {
  const { rows, findings, picture, command, origin, title, images, threads } = given;
  return {
    title: `Priors, contexts and z-steps: ${title}`,
    lead: [
      `The same ${images} seed images and random numbers under every prior and context. ${findings.join(" ")}`,
      "LL: how plausible the patches are. Originality: distance to the nearest training image over that one's own. Spread: " +
      "near 0 where images lie as densely among the training images as those themselves. Sharpness: gradient energy over that " +
      "of training images. Novelty: distance of the patches to their nearest training patch. Each is read against row 0, the " +
      "test images whose seed images were taken.",
    ].join("\n\n"),
    command,
    settings: [["data", origin], ["images", String(images)], ["threads", String(threads)]],
    sections: [{
      title: "Scores",
      figures: [{
        kind: "table",
        caption:
          "Every prior and context, and the three z-steps. Time is wall-clock time on all threads, fitting included.",
        columns: HEAD,
        rows: rows.map(cellsOf),
      }],
    }, {
      title: "Images",
      figures: [{
        kind: "picture",
        caption:
          "A row for each row of the table, from the same seed images. Green: the test images they were taken of.",
        alt: "Rows of synthesized images",
        png: picture,
      }],
    }],
  };
}
