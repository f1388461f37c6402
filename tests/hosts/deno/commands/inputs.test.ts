/** No command writes to a folder that it reads, or removes a file that it reads. */
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { openOutFolder, type OutFile } from "../../../../hosts/deno/folders/out_folder.ts";
import { commandOf } from "../in_process.ts";
import { blobs, files, smallData, withFolder } from "../cli.ts";

const COMMANDS = Object.fromEntries(
  ["synth", "assess", "restore", "compare", "ablate", "tune", "worth", "reproduce", "pack", "unpack", "data"]
    .map((name) => [name, commandOf(name)]),
);

/** A folder that Patchloom wrote, with all that commands read: data, pictures, a table, a profile, a pack. */
async function ownFolder(folder: string, data: string, pack: Uint8Array): Promise<void> {
  const read: OutFile[] = [];
  for (const name of await files(data)) read.push([name, await Deno.readFile(join(data, name))]);
  const picture = pngOf({ height: 32, width: 32, channels: 1 }, blobs(1, 32));
  const eyes = "file,left_x,left_y,right_x,right_y\na/0.png,9,9,20,9\na/1.png,9,9,20,9\n";
  const pictures = ["a/0.png", "a/1.png"].map((name): OutFile => [name, picture]);
  const own: OutFile[] = [
    ["own.loom", pack],
    ["eyes.csv", eyes],
    ["profile.json", JSON.stringify(profiles["digits-paper"])],
    ...read,
    ...pictures,
  ];
  await using out = await openOutFolder(folder, { command: "test", planned: own.map(([name]) => name) });
  await out.finish({}, own);
}

Deno.test("all commands: results are never written over what they are made from", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), own = join(folder, "own"), pack = join(own, "own.loom");
    await COMMANDS.pack(["--profile", "digits", "--data", data, "--out", join(folder, "own.loom"), "--quiet"]);
    await ownFolder(own, data, await Deno.readFile(join(folder, "own.loom")));
    const mine = join(folder, "mine"); // nothing in it was written by Patchloom
    await Deno.mkdir(mine);
    await Deno.copyFile(join(own, "a/0.png"), join(mine, "0.png"));
    const before = await contents(folder);
    const from = `--profile digits --data ${data}`,
      profile = `--profile ${own}/profile.json`,
      quiet = "--quiet --threads 1";
    const lines = [
      `synth ${from} --from ${own}/a ${quiet}`,
      `synth ${from} --from ${own}/a/0.png ${quiet}`,
      `synth --profile digits --data ${own} ${quiet}`,
      `synth ${profile} --data ${data} --format idx ${quiet}`,
      `assess ${from} --images ${own}/a ${quiet}`,
      `assess ${from} --images ${own}/a/1.png ${quiet}`,
      `assess --profile digits --data ${own}/train-images-idx3-ubyte --images ${data}/t10k-images-idx3-ubyte ${quiet}`,
      `restore ${from} --task denoise --images ${own}/a/1.png --class 1 ${quiet}`,
      `restore ${from} --task inpaint --mask ${own}/a/1.png ${quiet}`,
      `restore ${from} --task denoise --images ${data}/t10k-images-idx3-ubyte --labels ${own}/t10k-labels-idx1-ubyte ${quiet}`,
      `compare --profile digits --data ${own} ${quiet}`,
      `ablate ${from} --baseline ${own}/profile.json ${quiet}`,
      `tune ${profile} --data ${data} ${quiet}`,
      `worth --profile digits --data ${own} --each 2 --tested 4 ${quiet}`,
      `reproduce digits --data ${own} ${quiet}`,
      `unpack ${pack} --quiet`,
      `synth --profile ${pack} ${quiet}`,
      `data import ${own} --size 16`,
      `data import ${own} --eyes ${data}/../own/eyes.csv`,
      `data import ${mine} --size 16 --force`,
    ];
    for (const line of lines) {
      const [name, ...words] = line.split(" "), out = line.includes(mine) ? mine : own;
      const run = () => COMMANDS[name as keyof typeof COMMANDS]([...words, "--out", out]);
      const error = await assertRejects(run, Error, undefined, line);
      const expected = `Cannot write to --out ${out}: expected another folder than that of the input `;
      assertEquals(error.message.slice(0, expected.length), expected, `${line}: ${error.message}`);
    }
    const error = await assertRejects(() => COMMANDS.pack(["--profile", pack, "--out", pack, "--quiet"]), Error);
    assertEquals(error.message, `Cannot write to --out ${pack}: expected another file than the input ${pack}`);
    assertEquals(await contents(folder), before);
  });
});

async function contents(folder: string): Promise<[name: string, bytes: string][]> {
  const read = async (name: string): Promise<[string, string]> => {
    return [name, (await Deno.readFile(join(folder, name))).toHex()];
  };
  return await Promise.all((await files(folder)).map(read));
}
