/** `deno task pack`: packs all that synthesis needs into one file. */
import { leastSide, type Plan } from "../../../core/plan.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { paddedTo } from "../../../datasets/fit_to_profile.ts";
import { MAGENTA } from "../../../datasets/formats/colour.ts";
import { readPack } from "../../../datasets/formats/pack.ts";
import { makePackFile } from "../../../pipelines/synthesis/make_pack.ts";
import { requestedPlan } from "../../../pipelines/synthesis/request.ts";
import { builtins } from "../../../plugins/mod.ts";
import {
  backgroundFlag,
  forceFlag,
  quietFlag,
  readBackground,
  readClassList,
  readFlagsOnly,
  readSize,
  sayer,
  sizeFlag,
} from "./flags/common_flags.ts";
import { asUsage, fileName, type Given, UsageError, wholeNumber } from "./flags/flags.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { readProfile, sizedProfile } from "../data/read_profile.ts";
import { openOutFile } from "../folders/out_file.ts";
import { packLine } from "../packs/pack_text.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what to pack: digits, faces, colour-faces, objects, texture, sprites, digits-paper, faces-paper, a profile.json of your own, or another pack",
  },
  ...sizeFlag,
  class: { value: "LIST", about: "these classes only: 3 or 0-9 or 1,3,7-9 or cats,dogs (all)" },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of pictures, a pack, or the picture of a texture",
  },
  set: {
    value: "NAME=VALUE",
    many: true,
    about: "change a value of the profile: prior.neighbours=50, layers.0.window=1",
  },
  "max-size": {
    value: "SIZE",
    about: "largest size of the file: 4MB, 500kB or 65536; the images that represent most others stay (no limit)",
  },
  "images-per-class": { value: "N", about: "the most training images of each class (no limit)" },
  "seed-images-per-class": {
    value: "N",
    about: "the most seed images of each class, those of the first test images (200)",
  },
  out: { value: "FILE", about: "the file (out/PROFILE.loom)" },
  ...forceFlag,
  ...backgroundFlag,
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "pack",
  about:
    "Packs a profile, its training images and seed images into one file, which synth, the edge handler and the page take.",
  flags: FLAGS,
  examples: [
    "deno task pack --profile digits --class 0-9 --max-size 4MB --out digits.loom",
    "deno task synth --profile digits.loom --count 32",
    "deno task pack --profile texture --data brick.png --out brick.loom",
  ],
  run: packCommand,
} as const;

/** Runs `pack`; returns the exit code. */
export async function packCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const say = sayer(given.quiet), each = given["images-per-class"];
  const maxSize = given["max-size"] === undefined ? undefined : bytesOf(given["max-size"]);
  const imagesPerClass = each === undefined ? undefined : wholeNumber("images-per-class", each, 1, 2 ** 32 - 1);
  const seedImages = given["seed-images-per-class"] ?? "200";
  const seedImagesPerClass = wholeNumber("seed-images-per-class", seedImages, 1, MAX_SEED_IMAGES);
  const { profile: own, path, data: packed } = await readProfile("pack", given.profile);
  // --set counts the layers of the profile as it is, as in synth: --size leaves out or repeats the finest.
  const changed = asUsage(() => requestedPlan(own, { set: given.set }, builtins)).profile;
  const requested = asUsage(() => requestedPlan(sizedProfile(changed, given.size, builtins), {}, builtins));
  const out = given.out ?? `out/${fileName("pack", requested.profile.name, "file")}.loom`;
  const { plan, data } = await readPacked(requested, given.data ?? packed, given);
  const classes = given.class === undefined || given.class === "all" ? undefined : readClassList(given.class, data);
  say(`Data: ${data.origin}`);

  await using file = await openOutFile(out, isWholePack, given.force, [path, data]);
  using signals = stopSignals();
  const runner = denoRunner({ threads: 1, quiet: given.quiet, signal: signals.signal });
  const { pack, bytes } = await stoppable(signals, () => `${out} is unchanged`, () => {
    return makePackFile(runner, plan, data, { classes, maxSize, imagesPerClass, seedImagesPerClass }, out);
  });
  await file.write(bytes);
  say(`${out}: ${packLine(pack, bytes.length)}`);
  return 0;
}

/** Reads the images to pack, and the plan that fits their size. */
async function readPacked(
  plan: Plan,
  where: string | undefined,
  { background: given, size: requested, quiet }: Given<typeof FLAGS>,
): Promise<{ plan: Plan; data: DataSet }> {
  if (!plan.aligned) {
    const pictures = { channels: plan.channels, background: readBackground(given) };
    const data = await findExemplars(plan.profile.dataset, pictures, leastSide(plan), where);
    // Grey exemplars make grey images, even if the profile is of colour images.
    const { channels = 1 } = data.train.images, grey = { ...plan.profile, channels: 1 } as const;
    return { plan: channels < plan.channels ? asUsage(() => requestedPlan(grey, {}, builtins)) : plan, data };
  }
  if (plan.pixelArt) {
    const background = given === undefined ? MAGENTA : readBackground(given);
    const size = requested === undefined ? undefined : readSize(requested);
    const data = await findData(plan.profile.dataset, where, undefined, { channels: 3, background, cut: true, size });
    // Without --size, pixel art has the size of the pictures.
    const fitting = size
      ? plan
      : asUsage(() => requestedPlan(resizedProfile(plan.profile, data.train.images), {}, builtins));
    return { plan: fitting, data: paddedTo(data, fitting.sizes[0]) };
  }
  const reading = {
    channels: plan.channels,
    size: plan.sizes[0],
    background: readBackground(given),
    say: sayer(quiet),
  };
  return { plan, data: await findData(plan.profile.dataset, where, undefined, reading) };
}

/** Whether bytes are a pack, with the checksum that it was written with. */
function isWholePack(bytes: Uint8Array): boolean {
  try {
    readPack(bytes, "");
    return true;
  } catch {
    return false;
  }
}

/** The most seed images of each class. */
const MAX_SEED_IMAGES = 100_000;
const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20 };

/** Reads a number of bytes with a unit: 4MB, 500kB, 65536. */
function bytesOf(text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [], factor = UNITS[unit.toLowerCase()];
  const bytes = Math.floor(Number(number) * factor);
  if (bytes >= 1 && bytes < 2 ** 32) return bytes;
  throw new UsageError(`Cannot use --max-size ${text}: expected a size below 4 GiB, such as 4MB, 500kB or 65536`);
}
