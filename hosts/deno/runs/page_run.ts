/** Makes images of the page again: those of a `run.json` that it saved, or those of its address. */
import { kernelHash, loadKernels } from "../../../core/kernels.ts";
import { finish } from "../../../core/steps.ts";
import type { Profile } from "../../../core/profile.ts";
import { VERSION } from "../../../core/version.ts";
import { type Pack, readPack } from "../../../datasets/formats/pack.ts";
import { pngOf, transparentPng } from "../../../datasets/formats/write_png.ts";
import { type Choices, readChoices } from "../../../pipelines/page/choices.ts";
import { usableChoices } from "../../../pipelines/page/usable_choices.ts";
import { fingerprintOf, pagePackOf } from "../../../pipelines/page/page_pack.ts";
import { tilesOf } from "../../../pipelines/page/tiles.ts";
import { counted } from "../../../core/counted.ts";
import { describeImage, describePlan } from "../../../pipelines/synthesis/run_record.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import { openSynthesizer, type SynthesisResult, type Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import { readFile } from "../data/read_files.ts";
import { RequestError } from "../system/request_error.ts";
import { readModule } from "../system/kernels_file.ts";
import { fileOf } from "../folders/result_names.ts";
import { openOutFolder, type OutOptions } from "../folders/out_folder.ts";

/** What the page's `run.json` says of its images. */
export interface PageRun {
  readonly patchloom: string;
  readonly profile: Profile;
  readonly seed: number;
  readonly link: string;
  /** "quilt" if the seed images were quilted of exemplars, "noise" if there were none: they are not recorded. */
  readonly from?: string;
  /** The fingerprint of the pack. */
  readonly data: { readonly pack: string };
  /** The hash of the kernels' code. */
  readonly kernels: { readonly sha256: string };
  readonly images: readonly {
    readonly number: number;
    readonly class?: number;
    /** Its values in [0, 1]; undefined if it was quilted or comes from noise. */
    readonly seedImage?: readonly number[];
    readonly correction: number;
    readonly nearest?: object;
  }[];
}

/** Whether a value is the `run.json` that the page saves. */
export function isPageRun(value: unknown): value is PageRun {
  const { link, from, profile, seed, data, kernels, images } = (value ?? {}) as Partial<PageRun>;
  return typeof link === "string" && typeof profile === "object" && typeof seed === "number" &&
    typeof data?.pack === "string" && typeof kernels?.sha256 === "string" && Array.isArray(images) &&
    images.length > 0 && images.every((image) => {
      return (isUnrecorded(from) || Array.isArray(image?.seedImage)) && Number.isInteger(image?.number);
    });
}

/** Whether there are no seed images in the record of a run from this source. */
function isUnrecorded(from: string | undefined): boolean {
  return from === "quilt" || from === "noise";
}

/** An address of the page: its choices decide the picture. */
export interface PageAddress {
  readonly link: string;
  readonly choices: Choices;
}

/** Whether a text is an address of the page, and no path: an address has its choices after `#`. */
export function isAddress(text: string): boolean {
  return /^([a-z]+:\/\/[^#]*)?#/i.test(text);
}

/**
 * Reads an address of the page.
 *
 * @throws {RequestError} if it has no choices, or one that cannot be read
 */
export function readAddress(link: string): PageAddress {
  const text = link.slice(link.indexOf("#") + 1), { choices, problems } = readChoices(text);
  if (text === "") throw new RequestError(`Cannot repeat the address: expected the page's choices after #`);
  refuse(problems);
  return { link, choices };
}

/** Throws if there are problems. The page goes on with its defaults and says so in a second sentence: other images. */
function refuse([problem]: readonly string[]): void {
  if (problem) throw new RequestError(`Cannot repeat the address: ${problem.split(/\.(?: |$)/)[0]}`);
}

/** A pack's file. */
interface PackBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Where images of the page go, and how. */
interface PageResults extends Pick<OutOptions, "force" | "inputs" | "say"> {
  readonly folder: string;
}

/**
 * Makes images of the page again and writes them to a folder.
 *
 * @param data the path of their pack; by default the pack is one of the page's own
 * @returns a sentence that says what was made
 * @throws {Error} if the pack is another one, or if an image differs from what `run.json` says, with what else differs
 */
export async function repeatPage(
  page: PageRun | PageAddress,
  data: string | undefined,
  how: PageResults,
): Promise<string> {
  const isRun = "images" in page, wanted = isRun ? page.data.pack : page.choices.pack;
  const packs = data === undefined
    ? await ownPacks(isRun ? String(page.profile.dataset) : wanted)
    : [{ path: data, bytes: await readFile(data) }];
  for (const { bytes, path } of packs) readPack(bytes, path); // other files have no fingerprint
  const isNamed = !/^[0-9a-f]{8}-\d+$/.test(wanted); // by its name, which any file may have
  const packFile = packs.find(({ bytes }) => isNamed || fingerprintOf(bytes) === wanted);
  if (!packFile) {
    const others = packs.map(({ path, bytes }) => `${path} ${fingerprintOf(bytes)}`).join(", ");
    throw new Error(
      `Cannot repeat the run of the page: its pack is ${wanted}, got ${others || "none"} (--data names the pack)`,
    );
  }
  const { module } = await readModule(false), pack = readPack(packFile.bytes, packFile.path);
  const open = (profile: Profile) => openSynthesizer(loadKernels(module), { ...pack, profile }, builtins);
  if (isRun) {
    const result = synthesized(open(page.profile), requestOf(page));
    await write(result, pack, page, page.data, how);
    return compared(page, result, module, how.folder);
  }
  const synthesizer = open(pack.profile), { request, image } = chosen(page, synthesizer);
  const result = synthesized(synthesizer, request), number = request.images[image];
  await write(
    result,
    pack,
    { seed: request.seed, link: page.link },
    { pack: fingerprintOf(packFile.bytes) },
    how,
  );
  return `The picture of the address made again: ${how.folder}/${fileOf(number)}` +
    (result.images.length > 1 ? `, one of ${result.images.length}` : "");
}

/** The page's own packs: those of a data set, or the one of a name. */
async function ownPacks(name: string): Promise<PackBytes[]> {
  return await (await import("../page/build_page.ts")).pagePacks(name);
}

/**
 * Returns the request of the picture that an address selects, and the picture's index among the request's images.
 *
 * @throws {Error} if the choices do not fit the pack
 */
function chosen({ choices }: PageAddress, synthesizer: Synthesizer): { request: SynthesisRequest; image: number } {
  const pack = pagePackOf(synthesizer), fitted = usableChoices(choices, pack, builtins);
  refuse(fitted.problems);
  const { requests, tiles } = tilesOf(fitted.choices, pack, builtins), tile = tiles[fitted.choices.tile];
  return { request: requests[tile.request], image: tile.image };
}

/** The request of the images of a `run.json`, whose profile has all changes. */
function requestOf({ seed, from, images }: PageRun): SynthesisRequest {
  return {
    seed,
    images: images.map(({ number }) => number),
    class: images[0].class ?? "all",
    ...!isUnrecorded(from) && { seedImages: Float32Array.from(images.flatMap(({ seedImage }) => seedImage!)) },
  };
}

function synthesized(synthesizer: Synthesizer, request: SynthesisRequest): SynthesisResult {
  return finish(synthesizer.synthesize(request));
}

async function write(
  { plan, images }: SynthesisResult,
  { transparent }: Pack,
  { seed, link }: Pick<PageRun, "seed" | "link">,
  data: PageRun["data"],
  { folder, ...how }: PageResults,
): Promise<void> {
  const files = images.map(({ number }) => fileOf(number)), shape = { ...plan.sizes[0], channels: plan.channels };
  await using out = await openOutFolder(folder, { command: "synth", planned: files, ...how });
  const bytesOf = (pixels: Uint8Array) => {
    return transparent ? transparentPng(shape, pixels, transparent) : pngOf(shape, pixels);
  };
  const pictures = images.map(({ pixels }, i) => [files[i], bytesOf(pixels)] as const);
  await out.finish({ ...describePlan(plan), seed, repeats: link, data }, pictures);
}

/** Compares images with what `run.json` says of them. */
function compared(run: PageRun, { images }: SynthesisResult, module: WebAssembly.Module, folder: string): string {
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
      `${other[0].number}; what else differs: ${causes.join(" and ") || "nothing that run.json records"}`,
  );
}
