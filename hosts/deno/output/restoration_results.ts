/** The folder that `restore` writes: sheet.png, images/, measured/ and restore.json. */
import { join } from "@std/path";
import { psnr } from "../../../pipelines/restoration/fidelity.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Size } from "../../../core/shape.ts";
import type { Picture } from "../../../datasets/formats/write_png.ts";
import { type Framed, sheet } from "../../../pipelines/report/sheet.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { Degradation } from "../../../pipelines/restoration/restoration_profile.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { writeAtomically } from "../data/data_folder.ts";
import { png, pngOf } from "../../../datasets/formats/write_png.ts";
import { type Baseline, meanOf, type Restored } from "./restore_baseline.ts";
import { byteOf, type DegradedImage, measuredSize } from "../commands/restore.ts";

import configuration from "../../../deno.json" with { type: "json" };

/** All that a restoration was and made. */
export interface Restoration {
  readonly folder: string;
  readonly command: string;
  readonly plan: Plan;
  readonly spoiled: Degradation;
  /** 1 where a pixel was known. */
  readonly known: Float32Array;
  readonly data: DataSet;
  /** Where the images came from; undefined: the test images of the data. */
  readonly path?: string;
  readonly seed: number;
  readonly subjects: readonly DegradedImage[];
  readonly images: readonly Restored[];
  readonly baseline: Baseline;
  readonly milliseconds: number;
  readonly threads: number;
  /** The SHA-256 of the kernels. */
  readonly kernels: string;
  readonly classes: readonly (number | "all")[];
}

/** The sheet shows this many images at the most, about this wide. */
const MOST_ON_SHEET = 40, SHEET_WIDTH = 1400;
/** The standard deviation, in grey levels, that the uncertainty shows as white. */
const WHITE = 128;

/** Writes the files; returns what restore.json holds and a table of it. Throws one sentence where they cannot be written. */
export async function writeRestoration(restoration: Restoration): Promise<{ json: object; table: string }> {
  const { folder, plan, spoiled, subjects, images } = restoration, [full] = plan.sizes;
  const json = describe(restoration), files: [name: string, bytes: Uint8Array][] = [];
  const measuredShape = measuredSize(plan, spoiled);
  images.forEach(({ mean, samples }, n) => {
    files.push([`images/${fileName(n)}.png`, pngOf(full, mean)]);
    if (samples.length > 1) {
      samples.forEach((sample, s) => files.push([`images/${fileName(n)}-${s + 1}.png`, pngOf(full, sample)]));
    }
    files.push([`measured/${fileName(n)}.png`, pngOf(measuredShape, shown(restoration, n))]);
  });
  files.push(["sheet.png", png(drawSheet(restoration))]);
  files.push(["restore.json", new TextEncoder().encode(JSON.stringify(json, null, 2) + "\n")]);
  try {
    await removeEarlier(folder);
    for (const [name, bytes] of files) await writeAtomically(join(folder, name), bytes);
  } catch (cause) {
    throw new Error(`Cannot write to --out ${folder}: ${(cause as Error).message}`, { cause });
  }
  return { json, table: tableOf(restoration, subjects) };
}

/** Removes the pictures of an earlier run, of which there may be more. */
async function removeEarlier(folder: string): Promise<void> {
  for (const below of ["images", "measured"]) {
    const names = await Array.fromAsync(Deno.readDir(join(folder, below)), ({ name }) => name).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    });
    for (const name of names) if (/^\d{4,}(-\d+)?\.png$/.test(name)) await Deno.remove(join(folder, below, name));
  }
}

function fileName(n: number): string {
  return String(n).padStart(4, "0");
}

/** What was measured, as bytes: missing pixels grey. */
function shown({ subjects, spoiled, known }: Restoration, n: number): Uint8Array {
  const hole = spoiled.task === "inpaint";
  return Uint8Array.from(subjects[n].measured, (value, p) => hole && known[p] === 0 ? 128 : byteOf(value));
}

/** A row an image: truth, measured, baseline, samples, their mean, their standard deviation. */
function drawSheet(restoration: Restoration): Picture {
  const { plan: { sizes: [full] }, spoiled, subjects, images, baseline, plan } = restoration;
  const scale = Math.max(1, Math.floor(96 / full.width)), small = measuredSize(plan, spoiled);
  const rows = subjects.slice(0, MOST_ON_SHEET).map(({ truth }, n): Framed[] => {
    const { samples, mean, deviation } = images[n];
    const text = (image: Uint8Array) => truth && psnr(image, truth).toFixed(1);
    const uncertainty = Uint8Array.from(deviation, (value) => Math.min(Math.round(value * 255 / WHITE), 255));
    return [
      ...truth ? [{ pixels: truth, colour: "green" } as const] : [],
      { pixels: enlarged(shown(restoration, n), small, full), colour: "grey" },
      { pixels: baseline.images[n], colour: "grey", text: text(baseline.images[n]) },
      ...samples.map((sample) => ({ pixels: sample, colour: "blue", text: text(sample) } as const)),
      ...samples.length > 1
        ? [{ pixels: mean, colour: "red", text: text(mean) } as const, { pixels: uncertainty, colour: "grey" } as const]
        : [],
    ];
  });
  return sheet(rows, full, Math.max(1, Math.floor(SHEET_WIDTH / (rows[0].length * (full.width * scale + 12)))), scale);
}

/** Each pixel as a block. */
function enlarged(image: Uint8Array, from: Size, to: Size): Uint8Array {
  const times = to.width / from.width;
  return Uint8Array.from({ length: to.height * to.width }, (_, p) => {
    return image[Math.floor(Math.floor(p / to.width) / times) * from.width + Math.floor(p % to.width / times)];
  });
}

/** The table's rows: a name and the mean fidelity of all images. */
function rowsOf({ images, baseline, subjects }: Restoration) {
  const several = images[0].samples.length, fidelities = images.flatMap(({ fidelity }) => fidelity ?? []);
  if (fidelities.length === 0) return [];
  const measured = baseline.measured?.map((image, n) => psnr(image, subjects[n].truth!));
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  return [
    ...measured ? [{ name: "measured", psnr: mean(measured), ssim: undefined }] : [],
    { name: baseline.name, ...meanOf(fidelities.map((one) => one.baseline)) },
    { name: several > 1 ? "one sample" : "restored", ...meanOf(fidelities.map(({ samples }) => samples)) },
    ...several > 1 ? [{ name: `mean of ${several} samples`, ...meanOf(fidelities.map((one) => one.mean)) }] : [],
  ];
}

function tableOf(restoration: Restoration, subjects: readonly DegradedImage[]): string {
  const rows = rowsOf(restoration);
  if (rows.length === 0) return `${counted(subjects.length, "image")} restored; the truth is not known`;
  const lines = rows.map(({ name, psnr, ssim }) => {
    return `${name.padEnd(20)}  ${psnr.toFixed(2).padStart(6)}  ${(ssim?.toFixed(3) ?? "-").padStart(6)}`;
  });
  return ["".padEnd(20) + "    PSNR    SSIM", ...lines].join("\n");
}

function describe(restoration: Restoration): object {
  const { plan, spoiled, data, path, seed, subjects, images, baseline, command, threads } = restoration;
  return {
    patchloom: configuration.version,
    command,
    profile: plan.profile,
    prior: { name: plan.prior.plugin.name, ...plan.prior.values },
    contexts: plan.contexts.map(({ plugin, values }) => ({ name: plugin.name, ...values })),
    zStep: plan.zStep,
    ...spoiled,
    seed,
    samples: images[0].samples.length,
    classes: restoration.classes,
    data: { name: data.name, origin: data.origin, files: data.files },
    images: path ?? "test",
    baseline: baseline.name,
    kernels: { sha256: restoration.kernels },
    runtime: { deno: Deno.version.deno, threads },
    milliseconds: Math.round(restoration.milliseconds),
    scores: rowsOf(restoration),
    restored: images.map(({ fidelity, deviation }, n) => ({
      number: n,
      file: `images/${fileName(n)}.png`,
      image: subjects[n].index,
      class: subjects[n].label,
      deviation: deviation.reduce((sum, one) => sum + one, 0) / deviation.length,
      ...fidelity,
    })),
  };
}
