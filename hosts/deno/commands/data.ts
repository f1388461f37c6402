/** `deno task data`: lists, fetches and imports data. */
import type { Env } from "../system/environment.ts";
import type { Fit } from "../data/import_pictures.ts";
import { type Download, DOWNLOADS } from "../data/downloads.ts";
import { print, printMessage } from "../system/printable.ts";
import { forceFlag, readSize } from "./flags/common_flags.ts";
import { command, type CommandGroup, type Given, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The surroundings of the command; tests bring their own. */
export interface DataSetting {
  /** The environment; by default that of this process. */
  readonly env?: Env;
  readonly downloads: Readonly<Record<string, Download>>;
  /** Prints lines of a result. */
  readonly print: (...lines: readonly string[]) => void;
  /** Prints news of the work. */
  readonly say: (text: string) => void;
}

/** The ways to fit a picture to a size, the usual one first. */
const FITS: readonly Fit[] = ["crop", "pad", "stretch", "keep"];

function listCommand({ env, print }: DataSetting) {
  return command({
    name: "data list",
    about: "Lists the data sets that were found, and says which one is used without --data.",
    flags: { json: { about: "print the list as JSON" } },
    examples: ["deno task data list", "PATCHLOOM_DATA=../data deno task data list --json"],
    async run({ given }) {
      const { listPlaces, missingLines, placesTable } = await needed<typeof import("../data/list_places.ts")>(
          "data/list_places.ts",
        ),
        listed = await listPlaces(env);
      if (given.json) print(...JSON.stringify(listed, undefined, 2).split("\n"));
      else print(...placesTable(listed), ...await missingLines(env));
    },
  });
}

function pullCommand({ env, downloads, print, say }: DataSetting) {
  return command({
    name: "data pull",
    about:
      "Fetches a data set into your data folder: data pull mnist. Run it again to continue an interrupted download.",
    flags: { from: { value: "URL", about: "the address of the folder to fetch from (the known mirrors, in turn)" } },
    examples: ["deno task data pull mnist", "deno task data pull mnist --from https://example.org/mnist/"],
    words: [Object.keys(downloads)],
    async run({ given: { from }, words: [name, ...more] }) {
      const names = Object.keys(downloads);
      if (name === undefined) throw new UsageError(`data pull needs a name: ${names.join(", ")}`);
      if (more.length > 0) throw new UsageError(`data pull takes one name, got also "${more[0]}"`);
      oneOf("downloadable data set", name, names);
      if (from !== undefined && !/^https?:$/.test(URL.parse(from)?.protocol ?? "")) {
        throw new UsageError(`Cannot use --from ${from}: expected the http or https address of a folder`);
      }
      const { inDataFolder } = await needed<typeof import("../system/environment.ts")>("system/environment.ts"),
        { pull } = await needed<typeof import("../data/pull.ts")>("data/pull.ts");
      const folder = inDataFolder(name, "set HOME or XDG_CACHE_HOME", env);
      const download = from ? { ...downloads[name], mirrors: [from] } : downloads[name];
      const fetched = await pull(download, folder, say);
      print(`${name} is in ${folder} (${fetched} of ${download.files.length} files fetched)`);
    },
  });
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
      about:
        "size of the images, such as 32 or 48x32; with --faces or --eyes one side (128); with --fit keep the least that holds all pictures",
    },
    fit: {
      value: FITS.join("|"),
      about:
        "a picture is scaled, and of another shape cropped to its middle, padded with the colour of its border, or stretched; " +
        "keep: it keeps its pixels, in the middle of a larger size (crop)",
    },
    align: {
      about:
        "move, scale and turn the pictures of each class so that they are most alike: objects come to lie at the same place",
    },
    flat: { about: "take the pictures of all folders in the folder, too, without classes" },
    background: {
      value: "COLOUR|none",
      about:
        "colour behind transparent pixels of pictures: white, black or #rrggbb; none: they stay transparent (white)",
    },
    faces: {
      about:
        "find the eyes, and list all photographs in pictures.csv: whether each is used, why not, and where the eyes are",
    },
    like: {
      value: "DIR",
      about: "with --faces: aligned faces to learn from what eyes look like (what Patchloom comes with)",
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
    "deno task data import sprites --fit keep --background none --out mine",
    "deno task data import photos --faces --size 64 --out mine",
    "deno task data import photos --eyes eyes.csv",
  ],
  words: [],
} as const;

function importCommand({ env, print }: DataSetting) {
  return command({
    ...IMPORT,
    async run({ given, words: [folder, ...more] }) {
      if (folder === undefined) {
        throw new UsageError("data import needs the folder of the pictures: data import DIR");
      }
      if (more.length > 0) throw new UsageError(`data import takes one folder, got also "${more[0]}"`);
      checkTogether(given);
      const { size, eyes, faces, like, out, colour, force } = given;
      if (eyes || faces) {
        const percent = wholeNumber("test", given.test ?? "10", 1, 90);
        const side = size === undefined ? 128 : wholeNumber("size", size, 16, 1024);
        const { importPhotographs } = await needed<typeof import("../data/import.ts")>("data/import.ts");
        return await importPhotographs({ folder, eyes, like, percent, side, colour, out, force, env }, print);
      }
      const fit = readFit(given.fit), { background, align, flat } = given;
      if (!size && fit !== "keep") {
        throw new UsageError(
          "data import needs --size, such as 32, or for faces --faces, or --eyes FILE.csv, the positions of the eyes (see --help)",
        );
      }
      if (align && fit === "keep") throw new UsageError("Cannot use --align with --fit keep, which keeps every pixel");
      const sides = size === undefined ? undefined : readSize(size);
      if (align && sides && sides.width !== sides.height) {
        throw new UsageError(`Cannot use --align with --size ${size}: expected a square, such as ${sides.height}`);
      }
      const { importOfSize } = await needed<typeof import("../data/import.ts")>("data/import.ts");
      await importOfSize({ folder, size: sides, fit, background, align, flat, out, force, env }, print);
    },
  });
}

function readFit(given: string = FITS[0]): Fit {
  const fit = FITS.find((name) => name === given);
  if (!fit) throw new UsageError(`Cannot use --fit ${given}: expected ${FITS.join(" or ")}`);
  return fit;
}

/**
 * Checks that flags go together: photographs of faces are aligned by their eyes, other pictures are only fitted to a size.
 *
 * @throws {UsageError} if one is given that the import would ignore
 */
function checkTogether(
  { align, background, colour, eyes, faces, fit, flat, like, size, test }: Given<typeof IMPORT.flags>,
) {
  if (eyes && faces) throw new UsageError("data import takes --faces or --eyes, not both");
  if (like !== undefined && !faces) throw new UsageError("Cannot use --like without --faces");
  if (flat && (eyes || faces)) {
    throw new UsageError(
      "Cannot use --flat with --faces or --eyes: both take the photographs of all folders, without classes",
    );
  }
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

/** Makes the command `data`; tests give it other surroundings. */
export function dataGroup(surroundings: Partial<DataSetting> = {}): CommandGroup {
  const setting: DataSetting = { downloads: DOWNLOADS, print, say: printMessage, ...surroundings };
  return {
    name: "data",
    about: "Lists, fetches and imports data: data list, data pull NAME, data import DIR (each with --help).",
    flags: {},
    examples: ["deno task data list", "deno task data pull mnist", "deno task data import photos --eyes eyes.csv"],
    subcommands: { list: listCommand(setting), pull: pullCommand(setting), import: importCommand(setting) },
  };
}

/** The command. */
export const COMMAND = dataGroup();
