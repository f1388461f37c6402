import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { commandOf } from "../in_process.ts";
import { elements } from "../../../well_formed.ts";
import { assertSentence, cli, files, smallData, withFolder } from "../cli.ts";

Deno.test("worth: tables, CSV and a report; with --resume draws are added and none is measured again", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), out = join(folder, "my results");
    const words = [
      ...["worth", "--profile", "digits", "--set", "prior.neighbours=auto", "--data", data, "--out", out, "--quiet"],
      ...["--each", "4,2", "--only", "4", "--added", "2", "--method", "real", "--method", "warps+patchloom"],
    ];
    const first = await cli([...words, "--draws", "1"]);
    assertEquals([first.code, first.stderr], [0, ""]);
    assertStringIncludes(first.stdout, "warps+patchloom");
    const parts = ["parts/0000.json", "parts/0001.json", "parts/0002.json"];
    assertEquals(await files(out), [...parts, "report.html", "run.json", "worth.csv", "worth.json"]);
    elements(await Deno.readTextFile(join(out, "report.html")));
    const before = await Deno.stat(join(out, parts[0]));
    const { code, stdout, stderr } = await cli([...words, "--draws", "2", "--resume", "--json", "--threads", "1"]);
    assertEquals([code, stderr], [0, ""]);
    assertEquals((await Deno.stat(join(out, parts[0]))).mtime, before.mtime);
    const { command, rows, each, methods } = JSON.parse(stdout);
    assertStringIncludes(command, ` --out '${out}' --quiet `);
    assertEquals([each, methods], [[2, 4], ["real", "warps+patchloom"]]);
    assertEquals(rows.length, 4 * (2 * 2 + 3));
    assert((await Deno.readTextFile(join(out, "worth.csv"))).split("\n").length === 2 + 2 * rows.length);
    assertSentence(await cli([...words, "--added", "3", "--resume"]), 2, "--added can be given only once");
    assertSentence(await cli([...words, "--seed", "2", "--resume"]), 1, "Cannot resume in");
  });
});

Deno.test("worth: --images learns from images that are there, and says what they lack", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), real = join(data, "train-images-idx3-ubyte");
    const words = ["worth", "--profile", "digits", "--data", data, "--quiet", "--each", "none", "--draws", "2"];
    const asked = [...words, "--images", real, "--classifier", "nearest", "--out", join(folder, "out")];
    const { code, stdout, stderr } = await cli([...asked, "--only", "4", "--json"]);
    assertEquals([code, stderr], [0, ""]);
    // The training images themselves teach as much as the same real ones, and each is its own nearest.
    const { rows, leastQuotient, alone } = JSON.parse(stdout);
    const [ofReal, ofImages] = rows.map(({ accuracy }: { accuracy: { mean: number } }) => accuracy.mean);
    assertEquals([ofReal === ofImages, leastQuotient, alone[0].path], [true, 0, real]);
    assertSentence(await cli([...asked, "--only", "4000"]), 1, "expected at least");
    assertSentence(await cli([...asked, "--each", "2"]), 2, "--each can be given only once");
    const without = [...words.map((word) => word === "none" ? "2" : word), "--images", real];
    assertSentence(await cli(without), 2, "Cannot use --images without --only: expected how many of them");
    assertSentence(await cli([...words, "--only", "4", "--labels", "x"]), 2, "--labels with --images");
  });
});

Deno.test("worth: every error is one sentence", async () => {
  const digits = ["--profile", "digits"];
  for (
    const [words, text] of [
      [[], "worth needs --profile: digits, objects, digits-paper, a file.json or a pack.loom"],
      [["--profile", "texture"], "expected a profile of aligned images"],
      [[...digits, "--each", "5,none"], "Cannot use --each none"],
      [[...digits, "--each", "none"], "needs --only"],
      [[...digits, "--method", "warps+patchlom"], 'no method "patchlom"; nearest: "patchloom"'],
      [[...digits, "--classifier", "svn"], 'no classifier "svn"; nearest: "svm"'],
      [[...digits, "--draws", "0"], "Cannot use --draws 0"],
    ] as const
  ) {
    const { message } = await assertRejects(() => commandOf("worth")([...words]), RequestError);
    assertStringIncludes(message, text);
  }
  assertSentence(await cli(["worth", "--profile", "faces", "--data", "built-in"]), 1, "training images with classes");
});
