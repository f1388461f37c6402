/** Disks that are full, read-only or not this user's: one sentence, and the same command goes on when that is over. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { inspectParts } from "../../../../hosts/deno/runs/inspect_parts.ts";
import { assertSentence, cli, denoDir, files, smallData, taskWords, withFolder } from "../cli.ts";

/** Only root can mount a disk. */
const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

async function command(name: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(name, { args: [...args] }).output();
  assert(success, new TextDecoder().decode(stderr));
}

/** Runs a test with data and a disk of so many kB. */
async function withDisk(size: number, test: (data: string, disk: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), disk = join(folder, "disk");
    await Deno.mkdir(disk);
    await command("mount", "-t", "tmpfs", "-o", `size=${size}k`, "none", disk);
    try {
      await test(data, disk);
    } finally {
      await command("umount", "--lazy", disk);
    }
  });
}

const common = (data: string) => ["--profile", "digits", "--data", data, "--threads", "1", "--quiet"];

Deno.test(
  "a full disk: synth in parts and restore end with a sentence, and go on when there is space",
  { ignore },
  async () => {
    await withDisk(64, async (data, disk) => {
      const out = join(disk, "out"), words = ["--count", "80", "--part", "16", "--shard", "1/1", "--out", out];
      const synth = ["synth", ...common(data), ...words];
      assertSentence(await cli(synth), 1, "Cannot write to", "no space is left on the disk");
      assertEquals((await inspectParts([out])).isWhole, false);
      await command("mount", "-o", "remount,size=4m", disk);
      assertEquals(await cli([...synth, "--resume"]), { code: 0, stdout: "", stderr: "" });
      const { isWhole, lines } = await inspectParts([out]);
      assert(isWhole, lines.join("\n"));
    });
    await withDisk(16, async (data, disk) => {
      const out = join(disk, "out"),
        restore = ["restore", ...common(data), "--task", "superres", "--count", "4", "--out", out];
      assertSentence(await cli(restore), 1, "Cannot write to", "no space is left on the disk");
      await command("mount", "-o", "remount,size=4m", disk);
      assertEquals((await cli(restore)).code, 0);
      const { files: listed } = JSON.parse(await Deno.readTextFile(join(out, "run.json")));
      assertEquals(await files(out), [...Object.keys(listed), "run.json"].sort());
    });
  },
);

Deno.test("a read-only disk: what writes ends with a sentence, and verify reads", { ignore }, async () => {
  await withDisk(4096, async (data, disk) => {
    const out = join(disk, "out"), parts = ["--count", "8", "--shard", "1/1"];
    const synth = ["synth", ...common(data), ...parts];
    assertEquals((await cli([...synth, "--out", out])).code, 0);
    const before = await files(disk);
    await command("mount", "-o", "remount,ro", disk);
    const writes = [
      [...synth, "--out", out],
      [...synth, "--resume", "--out", out],
      [...synth, "--out", join(disk, "new")],
      ["merge", out, "--out", join(disk, "merged")],
      ["restore", ...common(data), "--task", "denoise", "--count", "2", "--out", join(disk, "restored")],
      ["pack", "--profile", "digits", "--data", data, "--quiet", "--out", join(disk, "x.loom")],
    ];
    for (const words of writes) {
      assertSentence(await cli(words), 1, "Cannot write to --out", "the file system is read-only");
    }
    assertEquals((await cli(["verify", out])).code, 0);
    await command("mount", "-o", "remount,rw", disk);
    assertEquals(await files(disk), before);
  });
});

Deno.test("folders and files of others: one sentence says that this user has no permission", { ignore }, async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), out = join(folder, "out"), locked = join(folder, "locked");
    const synth = ["synth", ...common(data), "--count", "8", "--shard", "1/1"];
    assertEquals((await cli([...synth, "--out", out])).code, 0);
    await Deno.mkdir(locked);
    await Deno.chmod(locked, 0o555);
    const denied = async (words: readonly string[], ...texts: readonly string[]) => {
      assertSentence(await asUser(words), 1, ...texts, "this user has no permission");
    };
    await denied([...synth, "--out", join(locked, "x")], "Cannot write to --out");
    await Deno.chmod(join(out, "parts"), 0o555);
    await denied([...synth, "--out", out], "Cannot write to --out");
    await Deno.chmod(join(out, "parts"), 0o755);
    assertEquals((await asUser([...synth, "--out", out])).code, 0);
    await Deno.chmod(join(data, "train-images-idx3-ubyte"), 0);
    await denied([...synth, "--out", join(folder, "other")], "Cannot read", "train-images-idx3-ubyte");
    await Deno.chmod(locked, 0o755);
    assertEquals((await inspectParts([out])).isWhole, true);
  });
});

/** Runs a command as root without the right to pass over permissions. */
async function asUser([name, ...words]: readonly string[]) {
  const root = new URL("../../../../", import.meta.url), task = taskWords(name as "synth").slice(0, -2);
  const main = fromFileUrl(new URL("hosts/deno/main.ts", root));
  const deno = [Deno.execPath(), ...task, "--config", fromFileUrl(new URL("deno.json", root)), main, name, ...words];
  const { code, stdout, stderr } = await new Deno.Command("setpriv", {
    args: ["--bounding-set=-dac_override,-dac_read_search", "--", ...deno],
    env: { NO_COLOR: "1", DENO_DIR: denoDir(), PATCHLOOM_DATA: "" },
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}
