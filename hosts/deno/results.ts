/** The folder that `synth` writes. Every file is written beside its name and renamed, so none is ever half there. */
import { join } from "@std/path";
import { encode } from "fast-png";
import type { Plan } from "../../core/plan.ts";
import { pad } from "../../core/pyramid.ts";
import { type Framed, sheet } from "../../core/sheet.ts";
import type { Images } from "../../core/types.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { writeIdx } from "../../datasets/idx.ts";
import { chosenBy, type Group } from "./groups.ts";
import type { Finished } from "./job.ts";

import configuration from "../../deno.json" with { type: "json" };

/** What a run was, for `run.json`. */
export interface Run {
  readonly plan: Plan;
  readonly seed: number;
  readonly from: string;
  readonly data: DataSet;
  readonly groups: readonly Group[];
  /** The pictures that seed images came from, and which one each image of each group took. */
  readonly originals?: { readonly images: Images; readonly of: readonly (readonly number[])[] };
  /** In the order of their numbers. */
  readonly done: readonly Finished[];
  /** How many images were asked for. */
  readonly wanted: number;
  /** Milliseconds. */
  readonly times: { readonly load: number; readonly synthesis: number };
  readonly kernels: Uint8Array<ArrayBuffer>;
  readonly threads: number;
}

/** A folder of results. */
export interface Results {
  /** Writes `images/NNNN.png`. */
  image(number: number, size: number, pixels: Uint8Array): Promise<void>;
  /** Writes the sheet, the IDX files and `run.json`; returns what `run.json` holds. */
  finish(run: Run): Promise<object>;
}

/** The sheet shows this many images at the most. */
const MOST_ON_SHEET = 100;
/** About how wide the sheet is, in pixels. */
const SHEET_WIDTH = 1400;

/** Opens a folder for results: makes it, removes what an earlier run left. Throws where it cannot be written. */
export async function openResults(folder: string): Promise<Results> {
  const images = join(folder, "images");
  try {
    await Deno.mkdir(images, { recursive: true });
    await removeEarlier(folder);
    await writeWhole(join(folder, ".probe"), new Uint8Array(0));
    await Deno.remove(join(folder, ".probe"));
  } catch (error) {
    throw new Error(`Cannot write to --out ${folder}: ${(error as Error).message}`);
  }
  return {
    image: (number, size, pixels) => writeWhole(join(images, fileName(number)), png(size, size, 1, pixels)),
    async finish(run) {
      const size = run.plan.sizes[0], { done } = run;
      if (done.length > 0) {
        const pixels = new Uint8Array(done.length * size * size);
        done.forEach((image, i) => pixels.set(image.pixels, i * size * size));
        await writeWhole(join(folder, "images.idx3-ubyte"), writeIdx([done.length, size, size], pixels));
        const labels = done.map(({ group }) => run.groups[group].label);
        if (labels.every((label) => label !== undefined)) {
          await writeWhole(join(folder, "labels.idx1-ubyte"), writeIdx([done.length], Uint8Array.from(labels)));
        }
        const { width, height, data } = drawSheet(run);
        await writeWhole(join(folder, "sheet.png"), png(width, height, 3, data));
      }
      const summary = await describe(run);
      await writeWhole(join(folder, "run.json"), new TextEncoder().encode(JSON.stringify(summary, null, 2) + "\n"));
      return summary;
    },
  };
}

function fileName(number: number): string {
  return `${String(number).padStart(4, "0")}.png`;
}

/** Removes the files of an earlier run, and nothing else. */
async function removeEarlier(folder: string): Promise<void> {
  for (const name of ["images.idx3-ubyte", "labels.idx1-ubyte", "sheet.png", "run.json"]) {
    await Deno.remove(join(folder, name)).catch(ignoreMissing);
  }
  for await (const { name } of Deno.readDir(join(folder, "images"))) {
    if (/^\d{4,}\.png$/.test(name)) await Deno.remove(join(folder, "images", name));
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.writeFile(`${path}.part`, bytes);
  await Deno.rename(`${path}.part`, path);
}

function png(width: number, height: number, channels: 1 | 3, data: Uint8Array): Uint8Array {
  return encode({ width, height, channels, data });
}

function drawSheet({ plan, groups, originals, done, data }: Run) {
  const size = plan.sizes[0], scale = Math.max(1, Math.floor(96 / size));
  const training = groups.map(({ label }) => chosenBy(data.train.labels, label, data.train.images.count));
  const picture = (images: Images, index: number) => pad(images, index, size, new Uint8Array(size * size));
  const shown = done.slice(0, MOST_ON_SHEET).map(({ number, group, pixels, nearest }): Framed[] => {
    const { image, distance, trainingDistance } = nearest;
    const original = originals && picture(originals.images, originals.of[group][groups[group].images.indexOf(number)]);
    const twice = Number.isFinite(trainingDistance) ? trainingDistance.toFixed(2) : undefined;
    return [
      ...(original ? [{ pixels: original, colour: "green" as const }] : []),
      { pixels, colour: "blue", text: distance.toFixed(2) },
      { pixels: picture(data.train.images, training[group][image]), colour: "red", text: twice },
    ];
  });
  const columns = Math.max(1, Math.floor(SHEET_WIDTH / (shown[0].length * (size * scale + 12))));
  return sheet(shown, size, columns, scale);
}

async function describe(run: Run): Promise<object> {
  const { plan, data, groups, originals, done, times } = run;
  const training = groups.map(({ label }) => chosenBy(data.train.labels, label, data.train.images.count));
  return {
    patchloom: configuration.version,
    profile: plan.profile,
    prior: { name: plan.prior.plugin.name, ...plan.prior.values },
    contexts: plan.contexts.map(({ plugin, values }) => ({ name: plugin.name, ...values })),
    seed: run.seed,
    from: run.from,
    data: { name: data.name, origin: data.origin, files: data.files },
    kernels: { sha256: await sha256(run.kernels) },
    runtime: { deno: Deno.version.deno, threads: run.threads },
    milliseconds: { load: Math.round(times.load), synthesis: Math.round(times.synthesis) },
    finished: done.length,
    wanted: run.wanted,
    images: done.map(({ number, group, nearest, contributors, correction }) => ({
      number,
      file: `images/${fileName(number)}`,
      class: groups[group].label,
      seedImage: originals?.of[group][groups[group].images.indexOf(number)],
      nearest: { image: training[group][nearest.image], distance: nearest.distance },
      trainingDistance: nearest.trainingDistance,
      originality: nearest.distance / nearest.trainingDistance,
      contributors: contributors.map(({ image, share }) => ({ image: training[group][image] ?? null, share })),
      correction,
    })),
  };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
