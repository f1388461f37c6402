/** `deno task data`: lists, fetches and imports data. */
import { basename, join, resolve } from "@std/path";
import { shapeText } from "../../../core/shape.ts";
import type { Alignment } from "../../../datasets/congealing.ts";
import { colourText } from "../../../datasets/border.ts";
import { colourFaces, faces, profiles } from "../../../datasets/profiles/mod.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { commandLine } from "../system/command_line.ts";
import { forceFlag, readBackground, readFlagsOnly, readSize } from "./flags/common_flags.ts";
import { type Given, oneOf, readFlags, readSubcommand, UsageError, wholeNumber } from "./flags/flags.ts";
import { print, tell } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { dataFolder, type Env, environment } from "../system/data_folder.ts";
import { FITS, importPictures } from "../data/import_pictures.ts";
import { PICTURES } from "../data/read_picture.ts";
import { importFaces } from "../data/import_faces.ts";
import { importFound } from "../data/import_found.ts";
import { listPlaces, type Place } from "../data/list_places.ts";
import { type Download, DOWNLOADS, pull } from "../data/pull.ts";

/** The surroundings of the command; tests bring their own. */
export interface DataSetting {
  readonly env: Env;
  readonly downloads: Readonly<Record<string, Download>>;
  /** Prints results, one or more lines at a time. */
  readonly print: (text: string) => void;
  /** Prints news of the work. */
  readonly say: (text: string) => void;
}

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "data",
  about: "Lists, fetches and imports data: data list, data pull NAME, data import DIR (each with --help).",
  flags: {},
  examples: ["deno task data list", "deno task data pull mnist", "deno task data import photos --eyes eyes.csv"],
  run: (args: string[]): Promise<number> => dataCommand(args),
} as const;

/**
 * Runs `data`; returns the exit code.
 *
 * @throws {UsageError} if the command line is wrong
 * @throws {Error} if the work fails
 */
export async function dataCommand(args: string[], setting: Partial<DataSetting> = {}): Promise<number> {
  const read = readSubcommand(args, COMMAND, SUBCOMMANDS);
  if (read === "helped") return 0;
  await read.subcommand.run(read.rest, {
    env: environment(),
    downloads: DOWNLOADS,
    print,
    say: tell,
    ...setting,
  });
  return 0;
}

const LIST = {
  name: "data list",
  about: "Lists the data sets that were found, and says which one is used without --data.",
  flags: { json: { about: "print the list as JSON" } },
  examples: ["deno task data list", "PATCHLOOM_DATA=../data deno task data list --json"],
  run: listCommand,
} as const;

async function listCommand(args: string[], { env, print }: DataSetting): Promise<void> {
  const given = readFlagsOnly(args, LIST);
  if (!given) return;
  const listed = await listPlaces(env);
  print(given.json ? JSON.stringify(listed, undefined, 2) : table(listed));
}

function table(listed: readonly Place[]): string {
  const rows = [["name", "in effect", "images", "pixels", "place", ""]];
  for (const { name, inEffect, train, test, height, width, place, where, error } of listed) {
    const counts = error === undefined ? [`${train} + ${test}`, `${width}x${height}`] : ["unreadable", ""];
    rows.push([name, inEffect ? "yes" : "no", ...counts, place, error ?? where]);
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd()).join("\n");
}

const PULL = {
  name: "data pull",
  about: "Fetches a data set into your data folder: data pull mnist. Run it again to continue an interrupted download.",
  flags: { from: { value: "URL", about: "the address of the folder to fetch from (the known mirrors, in turn)" } },
  examples: ["deno task data pull mnist", "deno task data pull mnist --from https://example.org/mnist/"],
  words: [Object.keys(DOWNLOADS)],
  run: pullCommand,
} as const;

async function pullCommand(args: string[], { env, downloads, print, say }: DataSetting): Promise<void> {
  const read = readFlags(args, PULL);
  if (read === "helped") return;
  const [name, ...more] = read.rest, { from } = read.given;
  if (name === undefined) throw new UsageError(`data pull needs a name: ${Object.keys(downloads).join(", ")}`);
  if (more.length > 0) throw new UsageError(`data pull takes one name, got also "${more[0]}"`);
  oneOf("downloadable data set", name, Object.keys(downloads));
  if (from !== undefined && !/^https?:$/.test(URL.parse(from)?.protocol ?? "")) {
    throw new UsageError(`Cannot use --from ${from}: expected the http or https address of a folder`);
  }
  const folder = inDataFolder(env, name, "set HOME or XDG_CACHE_HOME");
  const fetched = await pull(from ? { ...downloads[name], mirrors: [from] } : downloads[name], folder, say);
  print(`${name} is in ${folder} (${fetched} of ${downloads[name].files.length} files fetched)`);
}

const IMPORT = {
  name: "data import",
  about:
    "Makes a data set of a folder of pictures of any sizes (PNG, JPEG, WebP, GIF, BMP, TIFF), with class folders or without: " +
    "--size scales all of them to one size; --faces finds the eyes in photographs, or --eyes gives them, and makes a data set of " +
    "faces: grey, 128x128, eyes at (44, 52) and (84, 52); with --colour it keeps their colours.",
  flags: {
    size: {
      value: "WIDTHxHEIGHT",
      about: "size of the images, such as 32 or 48x32; with --faces or --eyes one side (128)",
    },
    fit: {
      value: FITS.join("|"),
      about:
        "a picture of another shape is cropped to its middle, padded with the colour of its border, or stretched (crop)",
    },
    align: {
      about:
        "move, scale and turn the pictures of each class so that they are most alike: objects come to lie at the same place",
    },
    background: {
      value: "COLOUR|none",
      about: "what transparent pixels of pictures lie on: white, black or #rrggbb; none: they stay transparent (white)",
    },
    faces: {
      about:
        "find the eyes, and list all photographs in pictures.csv: whether each is used, why not, and where the eyes are",
    },
    like: {
      value: "DIR",
      about: "with --faces: aligned faces, to learn from them what eyes look like (as Patchloom has learned it before)",
    },
    eyes: {
      value: "FILE.csv",
      about:
        "positions of the eyes: a CSV file with the header file,left_x,left_y,right_x,right_y; in pixels of the upright " +
        "photograph, whose top left one is (0, 0); the left eye is the one at the smaller x",
    },
    colour: { about: "with --faces or --eyes: keep the colours, for the profile colour-faces" },
    out: {
      value: "DIR",
      about: "where the images go (a folder of that name in your data folder)",
    },
    test: {
      value: "PERCENT",
      about:
        "with --faces or --eyes: part of the images that is held out as test images, evenly in the order of the table (10)",
    },
    ...forceFlag,
  },
  examples: [
    "deno task data import shells --size 64 --align --out mine",
    "deno task data import cats-and-dogs --size 32 --out mine",
    "deno task data import photos --faces --size 64 --out mine",
    "deno task data import photos --eyes eyes.csv",
  ],
  run: importCommand,
} as const;

async function importCommand(args: string[], { env, print }: DataSetting): Promise<void> {
  const read = readFlags(args, IMPORT);
  if (read === "helped") return;
  const [folder, ...more] = read.rest, { eyes, faces, like, out, size, test = "10", force, colour } = read.given;
  if (folder === undefined) throw new UsageError("data import needs the folder of the photographs: data import DIR");
  if (more.length > 0) throw new UsageError(`data import takes one folder, got also "${more[0]}"`);
  checkTogether(read.given);
  if (size && !eyes && !faces) return await importOfSize(folder, size, read.given, { env, print });
  if (!eyes && !faces) {
    throw new UsageError(
      "data import needs --size, such as 32, or for faces --faces, or --eyes FILE.csv, the positions of the eyes (see --help)",
    );
  }
  const percent = wholeNumber("test", test, 1, 90),
    side = size === undefined ? 128 : wholeNumber("size", size, 16, 1024);
  const target = out ?? folderFor(folder, env);
  using signals = stopSignals();
  await stoppable(signals, () => `${target} is unchanged`, async () => {
    const options = { force, side, signal: signals.signal, channels: colour ? 3 : 1 } as const;
    const counts = eyes
      ? await importFaces(folder, eyes, target, percent, options)
      : await importFound(folder, like, target, percent, options, print);
    const inColour = colour ? " in colour" : "";
    print(
      `${counts.train} training and ${counts.test} test images of ${side}x${side} pixels${inColour} are in ${target}`,
    );
    print(`Make others like them: ${synthLine(target, side, colour)}`);
  });
}

/** The command that makes faces like those in a folder. */
function synthLine(target: string, side: number, colour: boolean): string {
  const { name, size } = colour ? colourFaces : faces, other = size === side ? [] : ["--size", `${side}`];
  return commandLine("deno task synth", ["--profile", name, "--data", target, ...other]);
}

/**
 * Checks that flags go together: photographs of faces are aligned by their eyes, other pictures are only fitted to a size.
 *
 * @throws {UsageError} if one is given that the import would ignore
 */
function checkTogether({ align, background, colour, eyes, faces, fit, like, size, test }: Given<typeof IMPORT.flags>) {
  if (eyes && faces) throw new UsageError("data import takes --faces or --eyes, not both");
  if (like !== undefined && !faces) throw new UsageError("Cannot use --like without --faces");
  if (eyes || faces) {
    const [flag] = Object.entries({ align, fit, background }).find(([_, given]) => given) ?? [];
    if (!flag) return;
    throw new UsageError(`Cannot use --${flag} with --faces or --eyes, which align photographs by the eyes`);
  }
  if (colour) throw new UsageError("Cannot use --colour without --faces or --eyes: other imports keep colours");
  if (test !== undefined) {
    throw new UsageError(
      "Cannot use --test without --faces or --eyes: other imports keep the folders train and test, or hold no images out",
    );
  }
  if (align && !size) throw new UsageError("Cannot use --align without --size");
}

/** Imports pictures of any sizes. */
async function importOfSize(
  folder: string,
  sizeText: string,
  { fit = "crop", background, align, out, force }: {
    fit?: string;
    background?: string;
    align: boolean;
    out?: string;
    force: boolean;
  },
  { env, print }: Pick<DataSetting, "env" | "print">,
): Promise<void> {
  const size = readSize(sizeText),
    known = FITS.find((name) => name === fit),
    colour = background === "none" ? undefined : readBackground(background);
  if (!known) throw new UsageError(`Cannot use --fit ${fit}: expected ${FITS.join(" or ")}`);
  if (align && size.width !== size.height) {
    throw new UsageError(`Cannot use --align with --size ${sizeText}: expected a square, such as ${size.height}`);
  }
  const target = out ?? folderFor(folder, env);
  using signals = stopSignals();
  const imported = await stoppable(signals, () => `${target} is not finished; import again`, () => {
    return importPictures(folder, target, { size, fit: known, background: colour, align }, force, signals.signal);
  });
  const { pictures, classes, transparent, alignments, others } = imported;
  const ofClasses = classes.length > 0 ? ` of ${counted(classes.length, "class", "classes")}` : "";
  print(`${counted(pictures, "picture")}${ofClasses} of ${shapeText(size)} pixels: use --data ${target}`);
  const isSmall = Math.min(size.width, size.height) >= 16 && Math.max(size.width, size.height) <= 64;
  if (isSmall) {
    print(`Make others like them: ${commandLine("deno task synth", ["--profile", "sprites", "--data", target])}`);
  }
  if (align) print(`Aligned them with each other: ${movesText(alignments, size.width)}`);
  if (known === "pad") print("Pictures of another shape were padded with the colour of their border");
  if (transparent > 0) {
    const ofPictures = `of ${counted(transparent, "picture")}`;
    if (colour) print(`Transparent pixels ${ofPictures} lie on ${colourText(colour)} (--background; none keeps them)`);
    else print(`Transparent pixels ${ofPictures} stay transparent: synth --profile sprites makes others with them`);
  }
  if (others.length > 0) {
    print(`Skipped ${counted(others.length, "picture")} such as ${others[0]}: expected ${PICTURES}`);
  }
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

/**
 * Where an import goes: to a folder of the same name in the data folder. A profile's own data set is never replaced by it, so that
 * a few pictures do not become what the profile learns from without `--data`.
 */
function folderFor(folder: string, env: Env): string {
  const name = basename(resolve(folder)), isTaken = Object.values(profiles).some(({ dataset }) => dataset === name);
  return inDataFolder(env, isTaken ? `my-${name}` : name, "give --out DIR");
}

function inDataFolder(env: Env, name: string, remedy: string): string {
  const folder = dataFolder(env);
  if (!folder) throw new Error(`Cannot choose a data folder without a home folder: ${remedy}`);
  return join(folder, name);
}

/** The subcommands, by the word that follows the command. */
export const SUBCOMMANDS = { list: LIST, pull: PULL, import: IMPORT } as const;
