/** No command writes over what it reads, below pictures that it reads, or among or around the results of a run. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { openOutFolder, type OutFile } from "../../../../hosts/deno/folders/out_folder.ts";
import type { Described } from "../../../../hosts/deno/commands/flags/flags.ts";
import { commandOf } from "../in_process.ts";
import { allCommands, pathFlags } from "../path_flags.ts";
import { blobs, blobsIdx, files, smallData, withFolder } from "../cli.ts";

/** Runs a command line without the words that end it. */
async function run(line: string, ...more: string[]): Promise<void> {
  const [name, ...words] = line.split(" ");
  await commandOf(name)([...words, ...more]);
}

/** Words of the commands that print no less without them. */
const quiet = (line: string) => /^(data|merge|plugin|demo)/.test(line) ? [] : ["--quiet"];

/** Names of 24 pictures of two classes. */
const PICTURES = Array.from({ length: 24 }, (_, i) => `${1 + i % 2}/${i}.png`);
const PICTURE = pngOf({ height: 32, width: 32, channels: 1 }, blobs(1, 32));

/** What a page saves that made a picture with the pack. */
const PAGE_RUN = {
  link: "#",
  profile: profiles["digits-paper"],
  seed: 1,
  data: { pack: "own" },
  kernels: { sha256: "" },
  images: [{ number: 0, class: 1, seedImage: Array(16).fill(0.5) }],
};

/** A folder that Patchloom wrote, with all that commands read: data, pictures, a table, a profile, a pack. */
async function ownFolder(folder: string, data: string, pack: Uint8Array): Promise<void> {
  const read: OutFile[] = [];
  for (const name of await files(data)) read.push([name, await Deno.readFile(join(data, name))]);
  const eyes = "file,left_x,left_y,right_x,right_y\na/0.png,9,9,20,9\na/1.png,9,9,20,9\n";
  const pictures = ["a/0.png", "a/1.png"].map((name): OutFile => [name, PICTURE]);
  const own: OutFile[] = [
    ["own.loom", pack],
    ["eyes.csv", eyes],
    ["faces-idx3-ubyte", blobsIdx(120, 32)],
    ["page.json", JSON.stringify(PAGE_RUN)],
    ["profile.json", JSON.stringify(profiles["digits-paper"])],
    ...read,
    ...pictures,
  ];
  await using out = await openOutFolder(folder, { command: "test", planned: own.map(([name]) => name) });
  await out.finish({}, own);
}

Deno.test("all commands: results are never written over what they are made from", async (t) => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), own = join(folder, "own"), pack = join(own, "own.loom");
    await run(`pack --profile digits --data ${data} --quiet --out ${folder}/own.loom`);
    await ownFolder(own, data, await Deno.readFile(join(folder, "own.loom")));
    const mine = join(folder, "mine"); // nothing in it was written by Patchloom
    await Deno.mkdir(join(mine, "a"), { recursive: true });
    for (const name of ["a/0.png", "a/1.png"]) await Deno.copyFile(join(own, name), join(mine, name));
    const picture = join(folder, "picture.png");
    await Deno.copyFile(join(own, "a/0.png"), picture);
    const before = await contents(folder);
    const from = `--profile digits --data ${data}`, profile = `--profile ${own}/profile.json --data ${data}`;
    const lines = [
      `synth ${from} --from ${own}/a`,
      `synth ${from} --from ${own}/a/0.png`,
      `synth --profile digits --data ${own}`,
      `synth ${profile} --format idx`,
      `synth --profile ${pack}`,
      `synth --profile texture --data ${picture} --map height=${own}/a/0.png`,
      `synth --run ${own}/page.json --data ${folder}/own.loom`,
      `assess ${from} --images ${own}/a`,
      `assess ${from} --images ${own}/a/1.png`,
      `assess ${profile} --images ${data}/t10k-images-idx3-ubyte`,
      `assess ${from} --images ${data}/t10k-images-idx3-ubyte --labels ${own}/t10k-labels-idx1-ubyte`,
      `assess --profile digits --data ${own}/train-images-idx3-ubyte --images ${data}/t10k-images-idx3-ubyte`,
      `restore ${profile} --task denoise`,
      `restore --profile digits --data ${own} --task denoise`,
      `restore ${from} --task denoise --images ${own}/a/1.png --class 1`,
      `restore ${from} --task denoise --degraded ${own}/a/1.png --class 1`,
      `restore ${from} --task inpaint --mask ${own}/a/1.png`,
      `restore ${from} --task denoise --images ${data}/t10k-images-idx3-ubyte --labels ${own}/t10k-labels-idx1-ubyte`,
      `fill ${own}/a/0.png --mask center`,
      `fill ${picture} --mask ${own}/a/1.png`,
      `fill ${picture} --mask center --map height=${own}/a/0.png`,
      `compare ${profile}`,
      `compare --profile digits --data ${own}`,
      `ablate ${profile} --baseline digits`,
      `ablate --profile digits --data ${own}`,
      `ablate ${from} --baseline ${own}/profile.json`,
      `tune ${profile}`,
      `tune --profile digits --data ${own}`,
      `worth ${profile} --each 2 --tested 4`,
      `worth --profile digits --data ${own} --each 2 --tested 4`,
      `worth ${from} --each 2 --tested 4 --only 2 --images ${own}/train-images-idx3-ubyte`,
      `worth ${from} --each 2 --tested 4 --only 2 --images ${data}/t10k-images-idx3-ubyte --labels ${own}/t10k-labels-idx1-ubyte`,
      `reproduce digits --data ${own}`,
      `unpack ${pack}`,
      `data import ${own} --size 16`,
      `data import ${own} --eyes ${data}/../own/eyes.csv`,
      `data import ${mine} --eyes ${own}/eyes.csv`,
      `data import ${mine} --faces --like ${own}/faces-idx3-ubyte`,
      `data import ${mine} --size 16 --force`,
    ];
    const packed = [
      `pack --profile ${pack}`,
      `pack ${profile}`,
      `pack --profile digits --data ${own}/train-images-idx3-ubyte`,
      `pack --profile texture --data ${own}/a/0.png`,
    ];
    const untried = (await writers()).flatMap(pathFlags).filter((flag) => {
      const [name, word] = flag.split(" --"), isTried = new RegExp(`^${name} .*--${word} (\\w+=)?\\S*/own\\b`);
      return ![...lines, ...packed].some((line) => isTried.test(line));
    });
    // Results have other names than code and keys.
    assertEquals(untried.filter((flag) => !/ --(plugin|engine-ca|engine-key)$/.test(flag)), []);
    for (const line of lines) {
      await t.step(line.replaceAll(folder, ""), async () => {
        const out = line.includes(own) ? own : mine;
        const error = await assertRejects(() => run(line, ...quiet(line), "--out", out), Error);
        const expected = `Cannot write to --out ${out}: expected another folder than that of the input `;
        assertEquals(error.message.slice(0, expected.length), expected);
      });
    }
    for (const line of packed) {
      const out = line.split(" ").find((word) => word.startsWith(own))!;
      const error = await assertRejects(() => run(line, "--quiet", "--force", "--out", out), Error);
      assertEquals(error.message, `Cannot write to --out ${out}: expected another file than the input ${out}`);
    }
    assertEquals(await contents(folder), before);
  });
});

/** Words of every command that writes to `--out`. PICTURES is a folder of pictures; SHARDS are two folders of one run. */
const LINES: Readonly<Record<string, string>> = {
  synth: "--profile digits --data PICTURES",
  assess: "--profile digits --data PICTURES --images PICTURES",
  compare: "--profile digits --data PICTURES",
  tune: "--profile digits --data PICTURES",
  ablate: "--profile digits --data PICTURES",
  worth: "--profile digits --data PICTURES --each 2 --tested 2",
  restore: "--profile digits --data PICTURES --task denoise --images PICTURES --class 1",
  fill: "PICTURES/1/0.png --mask center",
  reproduce: "digits --data PICTURES",
  merge: "SHARDS",
  pack: "--profile digits --data PICTURES --force",
  unpack: "PACK",
  "plugin new": "prior other",
  "data import": "PICTURES --size 16",
};
/** How workers of an engine are asked to write. */
const ENGINE = ["synth", "--profile PACK --engine redis://127.0.0.1:1"] as const;
/** Commands that write the page, which takes seconds to build. */
const UNTRIED = ["demo"];

Deno.test("all commands: nothing is written below pictures that are read, nor in or around folders of a run", async (t) => {
  await withFolder(async (folder) => {
    const [pictures, one, two, pack] = ["pictures", "one", "two", "a.loom"].map((name) => join(folder, name));
    for (const name of PICTURES) {
      await Deno.mkdir(dirname(join(pictures, name)), { recursive: true });
      await Deno.writeFile(join(pictures, name), PICTURE);
    }
    await run(`pack --profile digits --data ${pictures} --quiet --out ${pack}`);
    for (const [i, out] of [one, two].entries()) {
      await run(`synth --profile ${pack} --count 2 --shard ${i + 1}/2 --threads 1 --quiet --out ${out}`);
    }
    assertEquals((await writers()).map(({ name }) => name).sort(), [...Object.keys(LINES), ...UNTRIED].sort());
    await run(`synth --profile ${pack} --count 1 --threads 1 --quiet --out ${folder}/around/tries/inner`);
    const around = join(folder, "around"), inner = join(around, "tries/inner");
    const before = await contents(folder);
    await Deno.symlink(one, join(folder, "link"));
    for (const [name, words] of [...Object.entries(LINES), ENGINE]) {
      const line = `${name} ${words}`.replaceAll("PICTURES", pictures).replace("PACK", pack)
        .replace("SHARDS", `${one} ${two}`);
      const kind = name === "pack" ? "file" : "folder", isReading = /\/pictures( |$)/.test(line);
      const places: [out: string, why: string][] = [
        [join(folder, "new/.patchloom"), `the working folder `],
        [join(one, "data/new"), name === "merge" ? `the input ${one}` : `the results of synth in `],
        [join(folder, "link/new"), name === "merge" ? `the input ${one}` : `the results of synth in `],
        ...isReading && name !== "data import"
          ? [[join(pictures, "1/new"), `the input ${pictures}`] satisfies [string, string]]
          : [],
      ];
      for (const [out, why] of places) {
        await t.step(`${name} ${out.replace(folder, "")}`, async () => {
          const { message } = await assertRejects(() => run(line, ...quiet(line), "--out", out), Error);
          assertStringIncludes(message, `: expected a ${kind} outside of ${why}`);
        });
      }
      if (kind === "file") continue;
      await t.step(`${name} /around`, async () => {
        const { message } = await assertRejects(() => run(line, ...quiet(line), "--out", around), Error);
        assertStringIncludes(message, `: expected a folder without results below it, got those of synth in ${inner}`);
      });
    }
    await Deno.remove(join(folder, "link"));
    assertEquals(await contents(folder), before);
  });
});

/** The commands that write to a path of the user. */
async function writers(): Promise<Described[]> {
  return (await allCommands()).filter(({ flags }) => Object.hasOwn(flags, "out"));
}

async function contents(folder: string): Promise<[name: string, bytes: string][]> {
  const read = async (name: string): Promise<[string, string]> => {
    return [name, (await Deno.readFile(join(folder, name))).toHex()];
  };
  return await Promise.all((await files(folder)).map(read));
}
