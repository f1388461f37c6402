/** The card of a data set, README.md: what it is, for people and for the Hugging Face hub, which reads its front matter. */
import { counted } from "../../core/counted.ts";
import { VERSION } from "../../core/version.ts";
import { MAX_FROM_ONE, NEAR } from "../run/near_copies.ts";
import type { FormatName } from "./formats.ts";
import { MANIFEST, type Manifest } from "./manifest.ts";

/** The name of its file. */
export const CARD = "README.md";

/** The files with the images, as patterns that the hub reads; it reads no IDX and no NPY. */
const PATTERNS: Readonly<Record<FormatName, string | undefined>> = {
  png: "data/**",
  idx: undefined,
  npy: undefined,
  webdataset: "data/*.tar",
  parquet: "data/*.parquet",
};

const NPY = 'numpy.load("data/images-RANGE.npy")';

/** How the images are read in Python; those in colour, whose format has other files, by `COLOUR`. */
const READING: Readonly<Record<FormatName, string>> = {
  png: 'datasets.load_dataset("imagefolder", data_dir="data")',
  idx: 'numpy.fromfile("data/images-RANGE.idx3-ubyte", "uint8")[16:].reshape(-1, HEIGHT, WIDTH)',
  npy: NPY,
  webdataset: 'datasets.load_dataset("webdataset", data_files="data/*.tar")',
  parquet: 'datasets.load_dataset("parquet", data_files="data/*.parquet")',
};
const COLOUR: Partial<typeof READING> = { idx: NPY };

/** The bounds of the hub's size categories. */
const SIZES = [
  [1e3, "n<1K"],
  [1e4, "1K<n<10K"],
  [1e5, "10K<n<100K"],
  [1e6, "100K<n<1M"],
  [1e7, "1M<n<10M"],
  [1e8, "10M<n<100M"],
  [1e9, "100M<n<1B"],
  [1e10, "1B<n<10B"],
] as const;

/** Writes the card. Equal manifests have equal cards. */
export function dataSetCard(manifest: Manifest): string {
  const { settings, settingsSha256, count, parts, acceptance, copies } = manifest;
  const { profile, shape: [width, height, channels], classes, classNames, seed, data, format } = settings;
  const [way, how] = origin(settings);
  const names = classes.map((label) => label === null ? "" : classNames?.[label] ?? String(label));
  const reading = channels === 3 && COLOUR[format] || READING[format];
  const listed = parts.length === 1 ? "part is" : `${parts.length} parts are`;
  return [
    ...frontMatter(manifest),
    "",
    `# ${counted(count, "image")} by the profile ${plainText(profile.name)}`,
    "",
    `Synthesized from examples ${way} with Patchloom ${VERSION}: ${how}`,
    "",
    `- Images: ${count} of ${width}x${height} pixels, ${channels === 1 ? "grey" : "colour"}`,
    `- Classes in turn: ${classes[0] !== null ? names.map(plainText).join(", ") : "none"}`,
    `- Random seed: ${seed}`,
    `- SHA-256 of the training data: \`${data}\``,
    `- SHA-256 of all settings: \`${settingsSha256}\` (\`${MANIFEST}\` has them in full)`,
    ...acceptance
      ? [
        `- Accepted: ${(100 * acceptance.rate).toFixed(1)} % of ${acceptance.drawn} drawings; ` +
        `${counted(acceptance.unmet, "image")} met the limits in none`,
      ]
      : [],
    ...copies ? [`- Near copies: ${copiesText(copies)}`] : [],
    "",
    ...columnTable(manifest),
    "",
    "Training images are named by their numbers in the training data, where images that were held out are not counted:",
    "`data.heldOut` of `run.json` lists them, if there are any.",
    "",
    "```python",
    reading.replace("HEIGHT", String(height)).replace("WIDTH", String(width)),
    "```",
    "",
    `The ${listed} listed in \`${MANIFEST}\` with the SHA-256 of every file. \`patchloom verify\` checks them.`,
    "",
  ].join("\n");
}

/** Where pixels come from. */
function origin({ denoiser }: Manifest["settings"]): string[] {
  if (!denoiser) return ["by randomized patch-matching", "every pixel comes from a patch of a training image."];
  return [
    "from noise",
    `the denoiser ${
      plainText(denoiser.name)
    } estimates images from training images,\nand finer layers, if any, take patches of them.`,
  ];
}

function copiesText({ near, fromNearest }: NonNullable<Manifest["copies"]>): string {
  return `${
    counted(near, "image")
  } of an \`originality\` below ${NEAR}, ${fromNearest} with a share above ${MAX_FROM_ONE} from ` +
    "the training image that is nearest";
}

/** A text of others in Markdown: in one line, and without its marks and those of HTML. */
function plainText(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, " ").replace(/[&<>*_`[\]()#|\\]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Writes what the hub reads. */
function frontMatter({ settings: { profile, classes, format }, count }: Manifest): string[] {
  const size = SIZES.find(([most]) => count < most)![1], pattern = PATTERNS[format];
  const tasks = ["unconditional-image-generation", ...classes[0] !== null ? ["image-classification"] : []];
  return [
    "---",
    `pretty_name: ${JSON.stringify(`${profile.name} by Patchloom`)}`,
    "task_categories:",
    ...tasks.map((task) => `- ${task}`),
    "size_categories:",
    `- ${size}`,
    "tags:",
    "- synthetic",
    "- patchloom",
    ...pattern === undefined ? [] : [
      "configs:",
      "- config_name: default",
      "  data_files:",
      "  - split: train",
      `    path: ${JSON.stringify(pattern)}`,
    ],
    "---",
  ];
}

/** Describes the columns of an image. */
function columnTable({ settings: { classes, ll, limits, denoiser }, acceptance }: Manifest): string[] {
  return [
    "| column | what |",
    "| ------ | ---- |",
    "| `index` | number of the image: it depends on the settings and this number alone |",
    ...classes[0] !== null ? ["| `label` | its class |"] : [],
    "| `seed` | random seed of the run |",
    "| `originality` | distance to the nearest training image relative to that one's own distance to its nearest |",
    "| `nearest` | that training image and the distance to it (pixels in [0, 1]) |",
    ...limits.maxStructure !== undefined
      ? ["| `structure` | the training image whose structure is nearest, and the correlation of both |"]
      : [],
    ...ll ? ["| `ll` | log-likelihood in nats |"] : [],
    ...acceptance || ll || denoiser
      ? ["| `tries` | how often the image was drawn, where images that miss a limit are drawn again |"]
      : [],
    "| `sources` | the training images that most of its pixels came from, with their shares |",
  ];
}
