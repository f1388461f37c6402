/** A restoration as pictures, as JSON and as a table of text. */
import { byteOf } from "../../core/bytes.ts";
import type { Plugin } from "../../core/plugin.ts";
import { DEFAULT_DENOISER } from "../../core/profile.ts";
import { type Picture, png, pngOf } from "../../datasets/formats/write_png.ts";
import { counted } from "../../core/counted.ts";
import { escape } from "../report/html.ts";
import { enlarged, type Framed, type LegendEntry, sheet } from "../report/sheet.ts";
import { framedPicture, sheetDocument } from "../report/sheet_document.ts";
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
interface RestorationRun {
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
    "sheet.html",
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

/** A picture of a row, what it is, and its file, if it has one. */
interface RowPicture extends Framed {
  readonly name: string;
  readonly file?: string;
}

/**
 * The row of image `n`: truth, degraded image, baseline, samples, their mean and their standard deviation. The largest deviation
 * on the sheet is white; under each map stand the grey levels from black to white.
 */
function rowOf(restoration: Restoration, n: number): RowPicture[] {
  const { plan, degradation, degraded, images, baseline } = restoration, [full] = plan.sizes, { truth } = degraded[n];
  const small = observedSize(plan, degradation), { samples, mean, deviation } = images[n];
  const white = greatest(images.slice(0, MAX_ON_SHEET).map(({ deviation }) => greatest(deviation)));
  const text = (image: Uint8Array) => truth && psnr(image, truth).toFixed(1), several = samples.length > 1;
  const uncertainty = Uint8Array.from(deviation, (value) => white > 0 ? Math.round(value * 255 / white) : 0);
  const file = (end: string) => `images/${fileName(n)}${end}.png`;
  const given = enlarged(shown(restoration, n), small, full), levels = `0-${Math.round(white)}`;
  const sampled = samples.map((sample, s): RowPicture => {
    const name = several ? `restoration ${s + 1}` : "restored";
    return { pixels: sample, colour: "blue", text: text(sample), name, file: file(several ? `-${s + 1}` : "") };
  });
  return [
    ...truth ? [{ pixels: truth, colour: "green", name: "truth" } as const] : [],
    { pixels: given, colour: "grey", name: "degraded", file: `degraded/${fileName(n)}.png` },
    { pixels: baseline.images[n], colour: "grey", text: text(baseline.images[n]), name: baseline.name },
    ...sampled,
    ...several
      ? [
        { pixels: mean, colour: "red", text: text(mean), name: "mean", file: file("") } as const,
        {
          pixels: uncertainty,
          colour: "grey",
          text: levels,
          name: `where they differ, ${levels} grey levels`,
        } as const,
      ]
      : [],
  ];
}

/** Draws one row per image. */
function drawSheet(restoration: Restoration): Picture {
  const { plan, degraded } = restoration, [full] = plan.sizes;
  const scale = Math.max(1, Math.floor(96 / full.width));
  const rows = degraded.slice(0, MAX_ON_SHEET).map((_, n) => rowOf(restoration, n));
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (rows[0].length * (full.width * scale + 12))));
  return sheet(rows, full, columns, scale, legendOf(restoration));
}

/** What the colours mean. In a row the degraded image stands before the baseline. */
function legendOf({ images: [{ samples }], degraded, baseline }: Restoration): LegendEntry[] {
  const several = samples.length > 1, isKnown = degraded.some(({ truth }) => truth !== undefined);
  return [
    ...isKnown ? [["green", "TRUTH"] as const] : [],
    ["grey", `DEGRADED. THEN THE BASELINE: ${baseline.name.toUpperCase()}`],
    ["blue", isKnown ? "RESTORED: DB OF PSNR" : "RESTORED"],
    ...several ? [["red", "THEIR MEAN"], ["grey", "LAST: HOW FAR THEY DIFFER"]] as const : [],
  ];
}

/**
 * Writes the sheet as a page, which says what each picture is and which file holds it.
 *
 * @param photographs the names of files with the whole photograph, if the images are faces in one
 */
export function restorationPage(restoration: Restoration, photographs: readonly string[]): string {
  const { plan, images, degraded, degradation } = restoration, [full] = plan.sizes, [{ samples }] = images;
  const figures = images.slice(0, MAX_ON_SHEET).map((_, n) => {
    const row = rowOf(restoration, n);
    const pictures = row.map((picture) => framedPicture(picture, full, picture.name, picture.file));
    const lines = row.map(({ name, text, file }) => {
      const words = `${escape(name)}${text && !name.includes(text) ? `, ${text} dB` : ""}`;
      return file ? `${words}: <a href="${file}"><b>${file}</b></a>` : words;
    });
    return `<figure><div class="row">${pictures.join("")}</div>\n<figcaption>${
      lines.join("<br>")
    }</figcaption></figure>`;
  });
  const isKnown = degraded.some(({ truth }) => truth !== undefined), several = samples.length > 1;
  const few = figures.length < images.length ? ` These are the first ${figures.length}.` : "";
  const whole = photographs.length > 0 ? ` Put back into the photograph: ${photographs.join(", ")}.` : "";
  return sheetDocument({
    title: `${plan.profile.name}: ${counted(images.length, "restored image")}`,
    about: `Task: ${degradation.task}.${few}${whole}`,
    legend: [
      ...isKnown ? [["green", "the truth"] as const] : [],
      ["grey", "the degraded image; then a baseline, which anybody could compute"],
      ["blue", several ? "restorations, each as plausible as the others" : "the restored image"],
      ...several
        ? [["red", "the mean of the restorations: nearest to the truth on average, but smoother"] as const]
        : [],
    ],
    note: [
      ...several ? ["The last picture of a row is bright where the restorations differ."] : [],
      ...isKnown ? ["dB: the PSNR, which is higher the nearer a picture is to the truth."] : [],
    ].join(" ") || undefined,
    zoom: 1,
    figures,
  });
}

/** The greatest of values that are at least 0; 0 of none. */
function greatest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
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

/**
 * Names the denoiser where patches filled aligned faces, or took noise away worse than a baseline does; undefined elsewhere. Of the
 * profiles of aligned images, those of faces have regions.
 */
export function restorationHint(restoration: Restoration): string | undefined {
  const { plan, degradation: { task }, denoiser, baseline } = restoration, rows = rowsOf(restoration);
  if (task === "inpaint" && !denoiser && plan.regions) {
    return `Hint: patches can leave seams around a filled part of a face, and odd eyes; --denoiser ${DEFAULT_DENOISER} ` +
      "leaves no seams, with about the PSNR of one sample";
  }
  const blurred = rows.findIndex(({ name }) => name === baseline.name);
  if (task !== "denoise" || denoiser || blurred < 0) return undefined;
  const best = Math.max(...rows.slice(blurred + 1).map(({ psnr }) => psnr));
  if (best >= rows[blurred].psnr) return undefined;
  return `Hint: ${baseline.name} comes nearer to the truth than these; --denoiser ${DEFAULT_DENOISER} is better at noise`;
}

/** Describes a restoration as plain data: the content of restore.json, without what the host adds. */
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
