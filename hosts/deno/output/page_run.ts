/** Makes the images of a `run.json` again that the page saved: their pack, seed images and numbers are in it. */
import { kernelHash, loadKernels } from "../../../core/kernels.ts";
import type { Profile } from "../../../core/profile.ts";
import { VERSION } from "../../../core/version.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { pngOf } from "../../../datasets/formats/write_png.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { describeImage, describePlan } from "../../../pipelines/synthesis/run_record.ts";
import { openSynthesizer, type SynthesisResult } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import { readModule } from "../workers/kernels_file.ts";
import { openOutFolder } from "./out_folder.ts";

/** What the page's `run.json` says of its images. */
export interface PageRun {
  readonly patchloom: string;
  readonly profile: Profile;
  readonly seed: number;
  readonly link: string;
  /** The fingerprint of the pack. */
  readonly data: { readonly pack: string };
  /** The hash of the kernels' code. */
  readonly kernels: { readonly sha256: string };
  readonly images: readonly {
    readonly number: number;
    readonly class?: number;
    /** Its values in [0, 1]. */
    readonly seedImage: readonly number[];
    readonly correction: number;
    readonly nearest?: object;
  }[];
}

/** Whether a value is the `run.json` that the page saves. */
export function isPageRun(value: unknown): value is PageRun {
  const { link, profile, seed, data, kernels, images } = (value ?? {}) as Partial<PageRun>;
  return typeof link === "string" && typeof profile === "object" && typeof seed === "number" &&
    typeof data?.pack === "string" && typeof kernels?.sha256 === "string" && Array.isArray(images) &&
    images.length > 0 && images.every((image) => Array.isArray(image?.seedImage) && Number.isInteger(image.number));
}

/** A pack's file. */
export interface PackBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The offset of the checksum in a pack's file, in bytes. */
const CHECKSUM_AT = 12;

/** Names a pack by its checksum and length, as the page does. */
function fingerprintOf(bytes: Uint8Array): string {
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(CHECKSUM_AT, true);
  return `${checksum.toString(16).padStart(8, "0")}-${bytes.length}`;
}

/**
 * Makes the images of the page's run again and writes them to a folder.
 *
 * @param packs the packs among which the run's is looked for
 * @returns a sentence that says that they are the same
 * @throws {Error} if none of the packs is the run's, or if an image differs, with what else differs
 */
export async function repeatPageRun(
  run: PageRun,
  packs: readonly PackBytes[],
  folder: string,
  force: boolean,
): Promise<string> {
  for (const { bytes, path } of packs) readPack(bytes, path); // other files have no fingerprint
  const found = packs.find(({ bytes }) => fingerprintOf(bytes) === run.data.pack);
  if (!found) {
    const others = packs.map(({ path, bytes }) => `${path} ${fingerprintOf(bytes)}`).join(", ");
    throw new Error(
      `Cannot repeat the run of the page: its pack is ${run.data.pack}, got ${
        others || "none"
      } (--data names the pack)`,
    );
  }
  const { module } = await readModule(false), pack = readPack(found.bytes, found.path);
  const files = run.images.map(({ number }) => `images/${String(number).padStart(4, "0")}.png`);
  await using out = await openOutFolder(folder, { command: "synth", planned: files, force });
  const result = synthesized(run, openSynthesizer(loadKernels(module), { ...pack, profile: run.profile }, builtins));
  const { plan, images } = result, shape = { ...plan.sizes[0], channels: plan.channels };
  const pictures = images.map(({ pixels }, i) => [files[i], pngOf(shape, pixels)] as const);
  await out.finish({ ...describePlan(plan), seed: run.seed, repeats: run.link, data: run.data }, pictures);

  const other = images.filter((image, i) => {
    const { correction, nearest } = describeImage(image),
      { correction: before, nearest: beforeNearest } = run.images[i];
    return correction !== before || JSON.stringify(nearest) !== JSON.stringify(beforeNearest);
  });
  if (other.length === 0) return `${counted(images.length, "image")} of the page made again: ${folder}/images`;
  const causes = [
    ...run.patchloom === VERSION ? [] : [`the version (${run.patchloom}, this is ${VERSION})`],
    ...run.kernels.sha256 === kernelHash(module) ? [] : ["the kernels"],
  ];
  throw new Error(
    `${other.length} of ${counted(images.length, "image")} differ from those of the page, such as number ` +
      `${other[0].number}; what differs beside them: ${causes.join(" and ") || "nothing that run.json records"}`,
  );
}

function synthesized(run: PageRun, synthesizer: ReturnType<typeof openSynthesizer>): SynthesisResult {
  const [{ class: label }] = run.images;
  const steps = synthesizer.synthesize({
    seed: run.seed,
    images: run.images.map(({ number }) => number),
    class: label ?? "all",
    seedImages: Float32Array.from(run.images.flatMap(({ seedImage }) => seedImage)),
  });
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}
