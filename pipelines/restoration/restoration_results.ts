/** A restoration as pictures, as JSON and as a table of text. */
import { byteOf } from "../../core/bytes.ts";
import type { Plugin } from "../../core/plugin.ts";
import { areaOf, type Size } from "../../core/shape.ts";
import { type Picture, png, pngOf } from "../../datasets/formats/write_png.ts";
import { counted } from "../report/counted.ts";
import { type Framed, sheet } from "../report/sheet.ts";
import { describePlan } from "../synthesis/run_record.ts";
import type { Baseline } from "./baselines.ts";
import { observedSize } from "./degradation.ts";
import { psnr } from "./fidelity.ts";
import type { RestorationRequest } from "./restore.ts";
import { meanFidelity, type RestoredImage } from "./restored_image.ts";

/** Restored images, with the request and the baseline. */
export interface Restoration extends RestorationRequest {
  /** Where the images came from; undefined: the test images of the data. */
  readonly path?: string;
  readonly images: readonly RestoredImage[];
  readonly baseline: Baseline;
  /** The denoiser that restored in place of the prior. */
  readonly denoiser?: Plugin<"denoiser">;
}

/** The circumstances of a restoration. */
export interface RestorationRun {
  /** The command that made it. */
  readonly command: string;
  /** Duration of the restoration. */
  readonly milliseconds: number;
  /** SHA-256 of the kernels, in hexadecimal. */
  readonly kernels: string;
  /** The runtime's version and what else the host knows of itself. */
  readonly runtime: object;
}

/** The sheet shows at most this many images and is about this many pixels wide. */
const MAX_ON_SHEET = 40, SHEET_WIDTH = 1400;

/**
 * Draws the pictures of a restoration as PNG files: `images/` holds the mean of the samples and the samples, `degraded/` the
 * degraded images; `sheet.png` is a contact sheet.
 */
export function restorationPictures(restoration: Restoration): [name: string, bytes: Uint8Array][] {
  const { plan, degradation, images } = restoration, { sizes: [finest], channels } = plan;
  const full = { ...finest, channels }, size = { ...observedSize(plan, degradation), channels };
  const files = images.flatMap(({ mean, samples }, n): [name: string, bytes: Uint8Array][] => {
    const name = fileName(n), several = samples.length > 1 ? samples : [];
    return [
      [`images/${name}.png`, pngOf(full, mean)],
      ...several.map((sample, s): [string, Uint8Array] => [`images/${name}-${s + 1}.png`, pngOf(full, sample)]),
      [`degraded/${name}.png`, pngOf(size, shown(restoration, n))],
    ];
  });
  return [...files, ["sheet.png", png(drawSheet(restoration))]];
}

/** Returns the names of the files that `restorationPictures` draws. */
export function restorationFiles(images: number, samples: number): string[] {
  const names = Array.from({ length: images }, (_, n) => fileName(n)), several = samples > 1 ? samples : 0;
  return [
    ...names.flatMap((name) => [
      `images/${name}.png`,
      ...Array.from({ length: several }, (_, s) => `images/${name}-${s + 1}.png`),
      `degraded/${name}.png`,
    ]),
    "sheet.png",
  ];
}

/** Returns the name of image `n` without its ending. */
function fileName(n: number): string {
  return String(n).padStart(4, "0");
}

/** Returns a degraded image as bytes, with missing pixels grey. */
function shown({ degraded, degradation, known }: Restoration, n: number): Uint8Array {
  const isMasked = degradation.task === "inpaint";
  return Uint8Array.from(degraded[n].observed, (value, i) => {
    return isMasked && known[i % known.length] === 0 ? 128 : byteOf(value);
  });
}

/**
 * Draws one row per image: truth, degraded image, baseline, samples, their mean and their standard deviation. The largest deviation
 * on the sheet is white; under each map stand the grey levels from black to white.
 */
function drawSheet(restoration: Restoration): Picture {
  const { plan, degradation, degraded, images, baseline } = restoration, [full] = plan.sizes;
  const scale = Math.max(1, Math.floor(96 / full.width)), small = observedSize(plan, degradation);
  const white = greatest(images.slice(0, MAX_ON_SHEET).map(({ deviation }) => greatest(deviation)));
  const rows = degraded.slice(0, MAX_ON_SHEET).map(({ truth }, n): Framed[] => {
    const { samples, mean, deviation } = images[n];
    const text = (image: Uint8Array) => truth && psnr(image, truth).toFixed(1);
    const uncertainty = Uint8Array.from(deviation, (value) => white > 0 ? Math.round(value * 255 / white) : 0);
    return [
      ...truth ? [{ pixels: truth, colour: "green" } as const] : [],
      { pixels: enlarged(shown(restoration, n), small, full), colour: "grey" },
      { pixels: baseline.images[n], colour: "grey", text: text(baseline.images[n]) },
      ...samples.map((sample) => ({ pixels: sample, colour: "blue", text: text(sample) } as const)),
      ...samples.length > 1
        ? [
          { pixels: mean, colour: "red", text: text(mean) } as const,
          { pixels: uncertainty, colour: "grey", text: `0-${Math.round(white)}` } as const,
        ]
        : [],
    ];
  });
  return sheet(rows, full, Math.max(1, Math.floor(SHEET_WIDTH / (rows[0].length * (full.width * scale + 12)))), scale);
}

/** The greatest of values that are at least 0; 0 of none. */
function greatest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** Draws each pixel as a block, in every channel. */
function enlarged(image: Uint8Array, from: Size, to: Size): Uint8Array {
  const times = to.width / from.width;
  return Uint8Array.from({ length: image.length / areaOf(from) * areaOf(to) }, (_, i) => {
    // The rows of all channels lie one after another.
    return image[Math.floor(Math.floor(i / to.width) / times) * from.width + Math.floor(i % to.width / times)];
  });
}

/** Returns the rows of the table: a name and the mean fidelity of all images; none if the truth is unknown. */
function rowsOf({ images, baseline, degraded }: Restoration) {
  const several = images[0].samples.length, fidelities = images.flatMap(({ fidelity }) => fidelity ?? []);
  if (fidelities.length === 0) return [];
  const unrestored = baseline.degraded?.map((image, n) => psnr(image, degraded[n].truth!));
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  return [
    ...unrestored ? [{ name: "degraded", psnr: mean(unrestored), ssim: undefined }] : [],
    { name: baseline.name, ...meanFidelity(fidelities.map((one) => one.baseline)) },
    { name: several > 1 ? "one sample" : "restored", ...meanFidelity(fidelities.map(({ samples }) => samples)) },
    ...several > 1 ? [{ name: `mean of ${several} samples`, ...meanFidelity(fidelities.map((one) => one.mean)) }] : [],
  ];
}

/** Writes the mean fidelities as a table of text. */
export function restorationTable(restoration: Restoration): string[] {
  const rows = rowsOf(restoration);
  if (rows.length === 0) return [`${counted(restoration.images.length, "image")} restored; the truth is not known`];
  const lines = rows.map(({ name, psnr, ssim }) => {
    return `${name.padEnd(20)}  ${psnr.toFixed(2).padStart(6)}  ${(ssim?.toFixed(3) ?? "-").padStart(6)}`;
  });
  return ["".padEnd(20) + "    PSNR    SSIM", ...lines];
}

/** Describes a restoration as plain data: the content of restore.json, but for what the host adds. */
export function restorationRecord(restoration: Restoration, run: RestorationRun): object {
  const { plan, degradation, data, path, seed, degraded, images, baseline, groups, denoiser } = restoration;
  const { patchloom, profile, prior, contexts, zStep } = describePlan(plan);
  return {
    patchloom,
    command: run.command,
    profile,
    ...denoiser ? { denoiser: denoiser.name } : { prior, contexts, zStep },
    ...degradation,
    seed,
    samples: images[0].samples.length,
    classes: groups.map(({ label }) => label ?? "all"),
    data: { name: data.name, origin: data.origin, files: data.files },
    images: path ?? "test",
    baseline: baseline.name,
    kernels: { sha256: run.kernels },
    runtime: run.runtime,
    milliseconds: Math.round(run.milliseconds),
    scores: rowsOf(restoration),
    restored: images.map(({ fidelity, deviation }, n) => ({
      number: n,
      file: `images/${fileName(n)}.png`,
      image: degraded[n].index,
      class: degraded[n].label,
      deviation: deviation.reduce((sum, one) => sum + one, 0) / deviation.length,
      ...fidelity,
    })),
  };
}
