import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { commandOf } from "../in_process.ts";
import { assertSentence, blobs, cli, files, smallData, start, withFolder } from "../cli.ts";

/** What run.json says. */
async function recordOf(out: string) {
  return JSON.parse(await Deno.readTextFile(join(out, "run.json")));
}

/** The contents of a run's files, without run.json, and its images as run.json has them. */
async function results(out: string) {
  const names = (await files(out)).filter((name) => name !== "run.json");
  const contents = await Promise.all(names.map(async (name) => [name, await Deno.readFile(join(out, name))] as const));
  const { images, finished, wanted, state } = await recordOf(out);
  return { contents, images, finished, wanted, state };
}

Deno.test("synth --resume: a run of single pictures that Ctrl-C stopped ends as if nothing had stopped it", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), out = join(folder, "out"), whole = join(folder, "whole");
    const words = ["synth", "--profile", "digits", "--data", data, "--count", "200", "--threads", "1"];
    const few = [...words, "--set", "prior.neighbours=10", "--ll", "--dependencies"];
    await Deno.mkdir(out);
    const child = start([...few, "--out", out]), output = child.output();
    while ((await files(out)).filter((name) => name.endsWith(".png")).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGINT");
    assertEquals((await output).code, 1);
    const { finished } = await recordOf(out);
    assert(finished > 0 && finished < 200, `${finished}`);

    // A picture that was lost and one that was changed since are made again.
    const [lost, changed, other] = (await files(out)).filter((name) => name.startsWith("images/"));
    await Deno.remove(join(out, lost));
    await Deno.copyFile(join(out, other), join(out, changed));
    const reseeded = await cli([...few, "--seed", "2", "--out", out, "--resume"]);
    const differs =
      `Cannot resume in ${out}: its run differs in --seed (there 1, here 2); deno task synth --run ${out} --resume --out ${out} goes on, without --resume its images are replaced\n`;
    assertEquals([reseeded.code, reseeded.stderr.endsWith(differs)], [1, true], reseeded.stderr);

    // Any number of threads makes the same images.
    const onThreads = few.with(few.indexOf("--threads") + 1, "2");
    const resumed = await cli([...onThreads, "--out", out, "--resume", "--force"]);
    assertEquals(resumed.code, 0, resumed.stderr);
    assert(resumed.stderr.includes(`; ${finished - 2} were there: ${out}/sheet.png`), resumed.stderr);
    assertEquals((await cli([...few, "--out", whole])).code, 0);
    assertEquals(await results(out), await results(whole));

    const again = await cli([...few, "--out", out, "--resume"]);
    assert(again.stderr.includes(`\n200 images; 200 were there: ${out}/sheet.png\n`), again.stderr);
    assertEquals(await results(out), await results(whole));
  });
});

Deno.test("synth --resume: an image that is kept has all that the run records of it: nearest, structure, likelihood, dependencies", async () => {
  const synth = commandOf("synth");
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data"));
    const digits = ["--profile", "digits-paper", "--data", data, "--dependencies", "--count", "3"];
    const runs: readonly (readonly string[])[] = [
      [...digits, "--ll", "--min-originality", "0.5"],
      [...digits, "--from", "noise", "--max-structure", "0.99"],
      [...digits, "--class", "1", "--morph", "2"],
      [...digits, "--class", "1", "--morph", "3", "--set", "morphOf=fours"],
      [...digits, "--mirror", "--warp", "2"],
      ["--profile", "texture", "--size", "24", "--tile", "x", "--dependencies", "--count", "3"],
      ["--profile", "sprites", "--dependencies", "--count", "3"],
    ];
    for (const [n, words] of runs.entries()) {
      const out = join(folder, `${n}`), run = [...words, "--out", out, "--threads", "1", "--quiet"];
      assertEquals(await synth(run), 0);
      const whole = await results(out);
      await Deno.remove(join(out, "images/0001.png"));
      assertEquals(await synth([...run, "--resume"]), 0);
      assertEquals(await results(out), whole, words.join(" "));
    }
    // Without the file of dependencies nobody knows what is behind the images: all are made again.
    const out = join(folder, "0"), whole = await results(out);
    await Deno.remove(join(out, "dependencies.npy.gz"));
    assertEquals(await synth([...runs[0], "--out", out, "--resume", "--quiet"]), 0);
    assertEquals(await results(out), whole);
  });
});

Deno.test("synth --resume: seed images that changed and folders of other commands are told", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), out = join(folder, "out"), from = join(folder, "seeds");
    const seeds = (first: number) => Deno.writeFile(from, writeIdx([2, 4, 4], blobs(2, 4, first)));
    const words = ["synth", "--profile", "digits", "--data", data, "--class", "1", "--count", "2", "--threads", "1"];
    const given = [...words, "--from", from, "--resume", "--quiet"];
    await seeds(1);
    for (const _ of ["nothing is there yet", "all is there"]) {
      assertEquals(await cli([...given, "--out", out]), { code: 0, stdout: "", stderr: "" });
    }
    await seeds(7);
    const cannot =
      `Cannot resume in ${out}: its run differs in the seed images of --from; without --resume its images are replaced`;
    assertSentence(await cli([...given, "--out", out]), 1, cannot);

    const parts = join(folder, "parts");
    await cli([...words, "--shard", "1/1", "--quiet", "--out", parts]);
    const another = `Cannot resume in ${parts}: expected a run of single pictures, got another folder of results`;
    assertSentence(await cli([...words, "--resume", "--quiet", "--out", parts]), 1, another);
  });
});
