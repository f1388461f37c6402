/** Imports folders of pictures, and prints what became of them. */
import { basename, join, resolve } from "node:path";
import { shapeText, type Size } from "../../../core/shape.ts";
import { colourText } from "../../../datasets/border.ts";
import type { Alignment } from "../../../datasets/congealing.ts";
import { colourFaces, faces, profiles } from "../../../datasets/profiles/mod.ts";
import { counted } from "../../../core/counted.ts";
import { commandLine, quoted } from "../system/command_line.ts";
import { type Env, environment, inDataFolder } from "../system/environment.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { readBackground } from "./background.ts";
import { importFaces, TRAIN } from "./import_faces.ts";
import { importFound } from "./import_found.ts";
import { type Fit, importPictures } from "./import_pictures.ts";
import { PICTURES } from "./read_picture.ts";

/** What every import is asked for. */
interface ImportRequest {
  readonly folder: string;
  /** The folder of the results; by default one in the user's data folder. */
  readonly out?: string;
  /** Whether files in it are replaced that Patchloom did not write. */
  readonly force: boolean;
  /** The environment that locates the data folder; by default that of this process. */
  readonly env?: Env;
}

/** Photographs of faces. */
export interface PhotographsRequest extends ImportRequest {
  /** The path of a table of the positions of the eyes; without it they are found. */
  readonly eyes?: string;
  /** The path of aligned faces, to learn what eyes look like. */
  readonly like?: string;
  /** How many percent of the images are held out as test images. */
  readonly percent: number;
  /** The side of the images in pixels. */
  readonly side: number;
  /** Whether to keep colours. */
  readonly colour: boolean;
}

/** Imports photographs of faces, aligned by the eyes. */
export async function importPhotographs(
  { folder, eyes, like, percent, side, colour, out, force, env = environment() }: PhotographsRequest,
  print: (text: string) => void,
): Promise<void> {
  const target = out ?? folderFor(folder, env);
  using signals = stopSignals();
  await stoppable(signals, () => `${target} is unchanged`, async () => {
    const options = { force, side, signal: signals.signal, channels: colour ? 3 : 1 } as const;
    const counts = eyes
      ? await importFaces(folder, eyes, target, percent, options)
      : await importFound(folder, like, target, percent, options, print);
    for (const line of nextLines(counts, { target, side, colour })) print(line);
  });
}

/** Where the photographs are, and the command that they are ready for. */
function nextLines(
  { train, test }: { readonly train: number; readonly test: number },
  { target, side, colour }: { readonly target: string; readonly side: number; readonly colour: boolean },
): string[] {
  const { name, size } = colour ? colourFaces : faces, profile = ["--profile", name];
  const other = size === side ? [] : ["--size", `${side}`],
    pixels = `${side}x${side} pixels${colour ? " in colour" : ""}`;
  if (train + test > 1) {
    return [
      `${train} training and ${test} test images of ${pixels} are in ${target}`,
      `Make others like them: ${commandLine("deno task synth", [...profile, "--data", target, ...other])}`,
    ];
  }
  const file = join(target, colour ? "train/0000.png" : TRAIN), hole = ["--task", "inpaint", "--mask", "MASK.png"];
  return [
    `1 image of ${pixels} is ${file}: too few to make others from, but it can be restored`,
    `Fill what is white in a mask: ${
      commandLine("deno task restore", [...profile, ...other, ...hole, "--degraded", file])
    }`,
  ];
}

/** Folders that the program keeps beside the imported ones. */
const OWN_FOLDERS: readonly string[] = ["builtin", "fitted", "packs"];

/**
 * Where an import goes: to a folder of the same name in the data folder. A profile's own data set is never replaced by it, so that
 * a few pictures do not become what the profile learns from without `--data`.
 */
function folderFor(folder: string, env: Env | undefined): string {
  const name = basename(resolve(folder)),
    taken = [...OWN_FOLDERS, ...Object.values(profiles).map(({ dataset }) => dataset)];
  const isTaken = taken.includes(name.toLowerCase());
  return inDataFolder(isTaken ? `my-${name}` : name, "give --out DIR", env);
}

/** Pictures of any sizes. */
export interface PicturesRequest extends ImportRequest {
  /** By default, with the fit "keep" alone, the least that holds every picture. */
  readonly size?: Size;
  readonly fit: Fit;
  /** What transparent pixels lie on; "none": they stay transparent. */
  readonly background?: string;
  /** Whether to align the pictures of each class with each other. */
  readonly align: boolean;
  /** Whether to take the pictures of all folders in the folder, without classes. */
  readonly flat: boolean;
}

/** Imports pictures of any sizes, fitted to one size. */
export async function importOfSize(
  { folder, size: given, fit, background, align, flat, out, force, env }: PicturesRequest,
  print: (text: string) => void,
): Promise<void> {
  const colour = background === "none" ? undefined : readBackground(background);
  const target = out ?? folderFor(folder, env);
  using signals = stopSignals();
  const fitting = { size: given, fit, background: colour, align, flat };
  const imported = await importPictures(folder, target, fitting, force, signals);
  const { pictures, classes, size, transparent, bordered, drawn, blurred, alignments, others, damaged } = imported;
  const ofClasses = classes.length > 0 ? ` of ${counted(classes.length, "class", "classes")}` : "";
  print(`${counted(pictures, "picture")}${ofClasses} of ${shapeText(size)} pixels: use --data ${quoted(target)}`);
  const least = Math.min(size.width, size.height);
  const isSmall = least >= 8 && Math.max(size.width, size.height) <= 64;
  if (isSmall) {
    // Photographs have thousands of colours, which the profile of sprites would not mix.
    const profile = drawn && least >= 16
      ? ["--profile", "sprites"]
      : ["--profile", "objects", "--size", sizeText(size), "--from", "noise"];
    print(`Make others like them: ${commandLine("deno task synth", [...profile, "--data", target])}`);
  }
  if (align) print(`Aligned them with each other: ${movesText(alignments, size.width)}`);
  if (bordered > 0) {
    const another = fit === "keep" ? "size" : "shape";
    print(`Padded ${counted(bordered, "picture")} of another ${another} with the colour of the border`);
  }
  if (blurred > 0) {
    const transparency = transparent > 0 && colour ? ", --background none their transparency" : "";
    print(
      `Scaled ${
        counted(blurred, "small drawing")
      }, which blurs pixels: --fit keep without --size keeps them${transparency}`,
    );
  }
  if (transparent > 0) {
    const ofPictures = `of ${counted(transparent, "picture")}`;
    if (colour) print(`Transparent pixels ${ofPictures} lie on ${colourText(colour)} (--background; none keeps them)`);
    else print(`Transparent pixels ${ofPictures} stay transparent: synth --profile sprites makes others with them`);
  }
  if (damaged.size > 0) print(damagedText(damaged));
  if (others.length > 0) {
    print(`Skipped ${counted(others.length, "picture")} such as ${others[0]}: expected ${PICTURES}`);
  }
}

/** How many damaged pictures a line names. */
const NAMED = 5;

/** Names pictures that were left out. */
function damagedText(damaged: ReadonlyMap<string, string>): string {
  const names = [...damaged.keys()], more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const [[first, why]] = damaged, which = names.length > 1 ? `${first}: ` : "";
  return `Left out ${counted(names.length, "picture")} that cannot be read: ${
    names.slice(0, NAMED).join(", ")
  }${more} (${which}${why})`;
}

function sizeText({ width, height }: Size): string {
  return width === height ? `${width}` : `${width}x${height}`;
}

/** How far pictures were moved: medians. */
function movesText(alignments: readonly Alignment[], side: number): string {
  const middle = (amount: (one: Alignment) => number) =>
    alignments.map(amount).sort((a, b) => a - b)[alignments.length >> 1];
  const shift = middle(({ dx, dy }) => Math.hypot(dx, dy)) * side, turn = middle(({ angle }) => Math.abs(angle));
  const scale = Math.expm1(middle(({ scale }) => Math.abs(scale)));
  return `half of them moved by more than ${shift.toFixed(1)} pixels, were scaled by more than ${
    (100 * scale).toFixed(0)
  } % ` +
    `and turned by more than ${(turn * 180 / Math.PI).toFixed(0)} degrees`;
}
