/** `deno task pack`: packs all that synthesis needs into one file. */
import { backgroundFlag, forceFlag, quietFlag, readSize, sizeFlag } from "./flags/common_flags.ts";
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "pack",
  about:
    "Packs a profile, its training images and seed images into one file, which synth, the edge handler and the page take.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about:
        "what to pack: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, texture, sprites, digits-paper, faces-paper, a profile.json of your own, or another pack",
    },
    ...sizeFlag,
    class: { value: "LIST", about: "these classes only: 3 or 0-9 or 1,3,7-9 or cats,dogs (all)" },
    data: {
      value: "PATH",
      about:
        "training images: IDX, NPY, NPZ, Parquet or WebDataset files, a folder of pictures, a pack, or the picture of a texture",
    },
    set: {
      value: "NAME=VALUE",
      many: true,
      about: "change a value of the profile: prior.neighbours=50, layers.0.window=1",
    },
    "max-size": {
      value: "SIZE",
      about: "largest size of the file: 4MB, 500kB or 65536; images that others represent well are left out (no limit)",
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
  },
  examples: [
    "deno task pack --profile digits --class 0-9 --max-size 4MB --out digits.loom",
    "deno task synth --profile digits.loom --count 32",
    "deno task pack --profile texture --data brick.png --out brick.loom",
  ],
  async run({ given }) {
    const { size, "max-size": maxSize, "images-per-class": images, "seed-images-per-class": seedImages = "200" } =
      given;
    const request = {
      ...given,
      size: size === undefined ? undefined : readSize(size),
      maxSize: maxSize === undefined ? undefined : bytesOf(maxSize),
      imagesPerClass: images === undefined ? undefined : wholeNumber("images-per-class", images, 1, 2 ** 32 - 1),
      seedImagesPerClass: wholeNumber("seed-images-per-class", seedImages, 1, MAX_SEED_IMAGES),
    };
    const { packProfile } = await needed<typeof import("../packs/pack.ts")>("packs/pack.ts");
    await packProfile(request);
  },
});

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
