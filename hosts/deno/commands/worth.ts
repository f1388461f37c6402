/** `deno task worth`: measures what synthetic images teach classifiers. */
import { join } from "@std/path";
import { toHtml } from "../../../pipelines/report/html.ts";
import { requestedPlan } from "../../../pipelines/synthesis/request.ts";
import { holdOut } from "../../../pipelines/tuning/held_out.ts";
import {
  type ClassifierName,
  CLASSIFIERS,
  readMethod,
  SOURCES,
  USUAL_METHODS,
} from "../../../pipelines/worth/names.ts";
import { checkWorth, measureWorth, type WorthRequest } from "../../../pipelines/worth/worth.ts";
import type { WorthResult } from "../../../pipelines/worth/worth_program.ts";
import { worthCsv, worthReport, worthTable } from "../../../pipelines/worth/worth_report.ts";
import { commandLine } from "../system/command_line.ts";
import { readFlagsOnly, readSeed, readThreads, sayer } from "./flags/common_flags.ts";
import { computingFlags, experimentFolder, resultFlags } from "./flags/experiment_flags.ts";
import { asUsage, type Given, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { readProfile } from "../data/read_profile.ts";
import { keeping, openParts, openResumable } from "../experiments/reproduction_store.ts";
import { BUILTIN_PLUGINS } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { kernelsSha256 } from "../system/kernels_file.ts";

const FLAGS = {
  profile: { value: "NAME|FILE", about: "what synthesizes: digits, or a profile of your own for images with classes" },
  data: { value: "PATH", about: "training and test images with classes: IDX files, or a folder of pictures" },
  each: {
    value: "N,N,...|none",
    about: "real images of each class to learn from; none: only with --only (5,10,20,50,100)",
  },
  added: { value: "N", about: "images that a method adds to each class (100)" },
  method: {
    value: "NAME",
    many: true,
    about: `what to learn from: real images alone (real), or with images of ${Object.keys(SOURCES).join(", ")}; ` +
      "joined by +, they add equal shares; several times for more (most of them, and some joined)",
  },
  classifier: { value: "NAME", many: true, about: "nearest, linear, svm or gradients; several times for more (all)" },
  only: { value: "N", about: "also learn from N synthetic images alone, made from all training images (0: do not)" },
  draws: { value: "N", about: "how often to repeat it with other real images (10)" },
  tested: { value: "N", about: "test images of a draw (2000)" },
  "held-out": { about: "test on held-out training images instead of the test images, to choose settings" },
  set: { value: "NAME=VALUE", many: true, about: "change a value of the profile: prior.neighbours=auto" },
  resume: { about: "resume an interrupted run, or add draws to a finished one" },
  ...computingFlags("numbers", "random seed of draws and images (1)"),
  ...resultFlags("out/worth-PROFILE", "worth.json"),
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "worth",
  about:
    "Measures what synthetic images teach classifiers, compared with real images and with usual data augmentation.",
  flags: FLAGS,
  examples: [
    "deno task worth --profile digits",
    "deno task worth --profile digits --each 10 --method real --method warps --method warps+patchloom --classifier svm",
    "deno task worth --profile digits --each none --only 3000",
  ],
  run: worthCommand,
} as const;

/** The most images that a flag asks for; `checkWorth` looks at what they come to. */
const MAX_IMAGES = 12_000;

/** Runs `worth`; returns the exit code. */
export async function worthCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const { profile: own, path, data: packed } = await readProfile("worth", given.profile), say = sayer(given.quiet);
  const plan = asUsage(() => requestedPlan(own, { set: given.set }, BUILTIN_PLUGINS.registry));
  const { profile, aligned, channels, sizes: [size] } = plan;
  if (!aligned) {
    throw new UsageError(`Cannot use worth with profile "${profile.name}": expected a profile of aligned images`);
  }
  const request = readRequest(profile, given), threads = readThreads(given.threads);
  const folder = experimentFolder(given, "worth", profile);

  const found = await findData(profile.dataset, given.data ?? packed, undefined, {
    channels,
    size,
    quiet: given.quiet,
  });
  const data = given["held-out"] ? holdOut(found) : found;
  checkWorth(data, request);
  using signals = stopSignals();
  const runner = denoRunner({ threads, quiet: given.quiet, signal: signals.signal }), started = runner.now();
  say(`Data: ${data.origin}`);
  // Parts are named by their draw and number of images, of which a resumed run may have more.
  const { each: _, only: __, draws: ___, ...settings } = request;
  const work = { ...settings, files: data.files, heldOut: given["held-out"], kernels: await kernelsSha256() };
  const planned = ["report.html", "worth.csv", "worth.json"];
  const options = { command: "worth", planned, work, resume: given.resume, force: given.force };
  await using out = await openResumable(folder, { ...options, inputs: [path, found] });
  const parts = await openParts<readonly [string, WorthResult]>(out, "parts", say);
  const kept = () => {
    return out.isBegun ? `what was measured is kept in ${folder}; go on with --resume` : `${folder} is unchanged`;
  };
  const worth = await stoppable(signals, kept, () => {
    const store = { kept: new Map(parts.kept), add: (name: string, result: WorthResult) => parts.add([name, result]) };
    return keeping(out, work, signals.signal, () => measureWorth(runner, data, request, store));
  });

  const command = commandLine("deno task worth", args), seconds = (runner.now() - started) / 1000;
  const { profile: { name }, ...rest } = request, { rows, leastQuotient } = worth, { origin, files } = data;
  const record = { command, ...rest, profile: name, origin, files, rows, leastQuotient };
  await out.finish({ work }, [
    ["report.html", toHtml(await worthReport(worth, request, { command, origin, seconds }))],
    ["worth.csv", worthCsv(worth)],
    ["worth.json", JSON.stringify(record, null, 2) + "\n"],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : worthTable(worth, request).join("\n").trimEnd());
  say(`Written in ${seconds.toFixed(0)} s: ${join(folder, "report.html")}, worth.csv and worth.json`);
  return 0;
}

function readRequest(profile: WorthRequest["profile"], given: Given<typeof FLAGS>): WorthRequest {
  const each = given.each === "none" ? [] : (given.each ?? "5,10,20,50,100").split(",").map((text) => {
    return wholeNumber("each", text, 1, MAX_IMAGES);
  });
  const only = wholeNumber("only", given.only ?? "0", 0, MAX_IMAGES);
  if (each.length === 0 && only === 0) {
    throw new UsageError("worth needs --only with --each none: otherwise it measures nothing");
  }
  const methods = given.method.length > 0 ? [...new Set(given.method)] : USUAL_METHODS;
  for (const name of methods) asUsage(() => readMethod(name));
  const names = Object.keys(CLASSIFIERS) as ClassifierName[];
  const classifiers = given.classifier.map((name) => oneOf("classifier", name, names));
  return {
    profile,
    each: [...new Set(each)].sort((a, b) => a - b),
    only,
    methods,
    classifiers: classifiers.length > 0 ? [...new Set(classifiers)] : names,
    draws: wholeNumber("draws", given.draws ?? "10", 1, 1000),
    added: wholeNumber("added", given.added ?? "100", 1, MAX_IMAGES),
    tested: wholeNumber("tested", given.tested ?? "2000", 1, 100_000),
    seed: readSeed(given.seed),
  };
}
