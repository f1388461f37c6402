import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { recordText, withDigest } from "../../../../hosts/deno/folders/folder_record.ts";
import { openOutFolder } from "../../../../hosts/deno/folders/out_folder.ts";
import { inspectFiles } from "../../../../hosts/deno/runs/inspect_files.ts";
import { readRun } from "../../../../hosts/deno/runs/repeat_run.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("inspectFiles: a damaged run.json is told from a missing one", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "run.json"), got = "expected a folder that Patchloom wrote, got one";
    const refused = async (why: string) => {
      await assertRejects(() => inspectFiles(folder), Error, `Cannot verify ${folder}: ${got} ${why}`);
    };
    await refused("without its run.json");
    await Deno.writeTextFile(path, "{");
    await refused("whose run.json is damaged: it is not JSON");
    await Deno.writeTextFile(path, '{ "format": "other" }');
    await refused("whose run.json is no record of Patchloom");
    // A sparse file: it takes no disk.
    await Deno.truncate(path, 2 ** 36);
    await refused("whose run.json has more than 268435456 bytes");
    await assertRejects(() => readRun(path), Error, "expected at most 268435456 bytes, got 68719476736");
    await Deno.remove(path);
    await Deno.mkdir(path);
    await refused("whose run.json is no file");
  });
});

Deno.test("inspectFiles: a record without its digest, or with a file but no sum, is never right", async () => {
  await withFolder(async (folder) => {
    const out = join(folder, "out"), path = join(out, "run.json");
    {
      await using run = await openOutFolder(out, { command: "synth", planned: ["a", "b"] });
      await run.finish({}, [["a", "1"], ["b", "2"]]);
    }
    assertEquals((await inspectFiles(out))!.problems, []);
    const { digest, ...record } = JSON.parse(await Deno.readTextFile(path));
    assertEquals((await inspectFiles(out))!.digest, digest);
    await Deno.writeTextFile(path, recordText(record));
    assertEquals((await inspectFiles(out))!.problems, [`broken: ${path} was changed since it was written`]);
    // Such a digest would stay right whatever becomes of the file.
    for (const state of ["complete", "stopped"]) {
      const without = { ...record, state, files: { ...record.files, b: null } };
      await Deno.writeTextFile(path, recordText(await withDigest(without)));
      await assertRejects(() => inspectFiles(out), Error, "one whose run.json is no record of Patchloom");
    }
  });
});

Deno.test("inspectFiles: a run that did not end says how it goes on; its working folder is not foreign", async () => {
  await withFolder(async (folder) => {
    const unfinished = async (command: string, isStopped: boolean) => {
      const out = join(folder, `${command} ${isStopped}`), work = join(out, ".patchloom");
      {
        await using run = await openOutFolder(out, { command, planned: ["a", "b"] });
        await run.write([["a", "1"]]);
        if (isStopped) await run.finish({}, [], "stopped");
      }
      const before = (await inspectFiles(out))!.problems;
      await Deno.mkdir(work, { recursive: true });
      await Deno.writeTextFile(join(work, "lock"), "1\n");
      assertEquals((await inspectFiles(out))!.problems, before);
      await Deno.writeTextFile(join(work, "other"), "");
      const foreign = `foreign: ${work}/other is not of the run`;
      assertEquals((await inspectFiles(out))!.problems, [...before, foreign]);
      return before.map((line) => line.replace(out, "OUT"));
    };
    const killed = "was killed, or has not ended yet";
    assertEquals(await unfinished("synth", false), [`unfinished: OUT (its run of synth ${killed}; run synth again)`]);
    assertEquals(await unfinished("tune", false), [`unfinished: OUT (its run of tune ${killed}; --resume goes on)`]);
    const stopped = ["unfinished: OUT (its run of synth was stopped; --resume goes on)"];
    assertEquals(await unfinished("synth", true), stopped);
  });
});

Deno.test("readRun: of a run that was killed, whose record has only begun, says so", async () => {
  await withFolder(async (folder) => {
    const record = {
      format: "patchloom-run-1",
      program: "patchloom 0.1.0",
      command: "synth",
      state: "running",
      files: {},
    };
    await Deno.writeTextFile(join(folder, "run.json"), JSON.stringify(record));
    await assertRejects(() => readRun(folder), Error, "got one that was killed or is still running");
  });
});
