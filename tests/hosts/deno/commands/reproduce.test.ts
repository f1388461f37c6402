import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode } from "fast-png";
import { cachedBuiltin, generatorHash } from "../../../../hosts/deno/data/builtin_cache.ts";
import { inspectFiles } from "../../../../hosts/deno/runs/inspect_files.ts";
import { commands, read } from "../../../documents.ts";
import { KEPT, once } from "../../../once.ts";
import { elements } from "../../../well_formed.ts";
import { assertSentence, assertSentences, cli, files, openSession, type Options, start, withFolder } from "../cli.ts";
import { fewDigits, withIdx } from "../with_idx.ts";

const LINE = (count: number, of: string) =>
  new RegExp(`^${count} ${of}: LL -?[\\d.]+, originality [\\d.]+, spread [\\d.]+$`);

/** A tenth of the built-in digits: the time of a map of images grows with the square of their number. */
const TENTH = await once("tenth", await generatorHash(), (folder) => fewDigits(join(folder, "mnist"), 40, 4));
const session = openSession("reproduce", { env: { PATCHLOOM_DATA: TENTH } });

/** Runs `reproduce` to its end; the lines on stdout and the report, and what it said unless it was quiet. */
async function reproduced(
  out: string,
  words: readonly string[],
  { quiet = true, ...options }: { quiet?: boolean } & Options = {},
) {
  const { code, stdout, stderr } = await cli(
    ["reproduce", ...words, "--out", out, ...quiet ? ["--quiet"] : []],
    options,
  );
  assertEquals([code, quiet ? stderr : ""], [0, ""], stderr);
  const others = (await files(out)).filter((name) => !/^(parts|set-aside)\//.test(name));
  assertEquals(others, ["report.html", "run.json"]);
  return { lines: stdout.split("\n"), html: await Deno.readTextFile(join(out, "report.html")), said: stderr };
}

/** The figures of a report: what each is called, and its part of the page. */
function figures(html: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [part] of html.matchAll(/<figure .*?<\/figure>/gs)) {
    const [, name] = /<figcaption[^>]*><a href="#[^"]*">(.*?)\.<\/a>/.exec(part)!;
    assert(!found.has(name), `${name} twice`);
    found.set(name, part);
  }
  return found;
}

/** Asserts that a report stands alone and that every figure shows something. */
function assertWhole(html: string): void {
  elements(html);
  assert(!/undefined|NaN|\[object/.test(html.replaceAll(/base64,[^"]*/g, "")));
  assert(!/https?:|<script|<link|url\((?!#)|@import/i.test(html.replaceAll("http://www.w3.org/", "")));
  for (const [name, part] of figures(html)) {
    const png = /src="data:image\/png;base64,([^"]*)"/.exec(part)?.[1];
    if (name.startsWith("Table")) assert((part.match(/<tr>/g) ?? []).length > 2, name);
    else if (png === undefined) assert((part.match(/<path|<rect|<use/g) ?? []).length > 5, name);
    else {
      const { data, channels } = decode(Uint8Array.fromBase64(png));
      assertEquals(channels, 3);
      // Light, dark and something between: images, not only their frames.
      const levels = new Set(data.filter((_, i) => data[i - i % 3] === data[i]));
      assert(levels.size > 2, `${name} is empty`);
    }
  }
}

const numbered = (word: string, ...numbers: (number | string)[]) => numbers.map((number) => `${word} ${number}`);
/** A figure of two parts goes by the number of both. */
const numbersOf = (html: string) => new Set([...figures(html).keys()].map((name) => name.replace(/(\d)[a-z]$/, "$1")));

/** The command that the guide shows, word by word. */
const GUIDE = commands(read("docs/reproducing.md")).map((command) => command.split(" ").slice(1));

Deno.test("the guide's command, reproduce digits --limit 20: every table and figure of digits, and the two lines of scores", async () => {
  await withFolder(async (folder) => {
    assertEquals(GUIDE, [["digits", "--limit", "20"]]);
    const { lines, html } = await reproduced(join(folder, "out"), GUIDE[0], { session });
    assertMatch(lines[0], LINE(20, "generated images"));
    assertMatch(lines[1], LINE(20, "images of profile digits"));
    assertMatch(lines[2], LINE(20, "test images"));
    assertEquals(lines.slice(3), [""]);
    const tables = numbered("Table", 1, 3, 4);
    const others = numbered("Figure", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 18, 19, 20, 21, 22, 28, 29, "S1");
    assertEquals([...numbersOf(html)].sort(), [...tables, ...others].sort());
    assertStringIncludes(html, "Figure 15a is left out: it shows the lowest tenth");
    assertEquals([figures(html).has("Figure 15a"), figures(html).has("Figure 15b")], [false, true]);
    assertStringIncludes(figures(html).get("Figure 11")!, "The 5 of 20 synthesized images");
    assertMatch(figures(html).get("Table 3")!, /as implemented here.*<small>\D\d[\d.]* to \D\d[\d.]*<\/small>/s);
    for (const both of ["3", "17"]) {
      for (const one of ["a", "b"]) assert(figures(html).has(`Figure ${both}${one}`));
    }
    assertWhole(html);
    const scores = figures(html).get("Table 4")!;
    for (const line of lines.slice(0, 3)) {
      const [, ...values] = /LL (\S+), originality (\S+), spread (\S+)$/.exec(line)!;
      for (const value of values) assertStringIncludes(scores, `>${value.replace("-", "−")}<`);
    }
    assertStringIncludes(scores, "DRAW");
    assertStringIncludes(html, "deno task reproduce digits --limit 20");
    assertStringIncludes(html, "400 + 40 images");
  });
});

Deno.test("reproduce faces --limit 4: every table and figure of faces, two images of each seed", async () => {
  await withFolder(async (folder) => {
    // A tenth of the built-in portraits, of which all are only more to search.
    const { train, test } = await cachedBuiltin("faces", join(KEPT, "patchloom"));
    const some = ({ images }: typeof train, count: number) => ({
      images: { ...images, count, pixels: images.pixels.subarray(0, count * 128 * 128) },
    });
    const data = await withIdx(join(folder, "portraits"), some(train, 120), some(test, 6));
    const { lines, html } = await reproduced(join(folder, "out"), ["faces", "--limit", "4", "--data", data], {
      session,
    });
    assertMatch(lines[0], LINE(8, "generated images"));
    assertMatch(lines[1], LINE(4, "images of profile faces"));
    assertMatch(lines[2], LINE(4, "test images"));
    assertEquals(lines.slice(3), [""]);
    const found = numbersOf(html);
    const faces = [12, 13, 14, 23, 24, 25, 26, 27], method = [1, 2, 3, 4, 5, 7];
    for (const name of [...numbered("Table", 2, 5), ...numbered("Figure", ...faces, ...method, "S1")]) {
      assert(found.has(name), `${name} is missing`);
    }
    for (const name of found) {
      assert(!/^(Table [134]|Figure (8|9|1[015]|2[0-2]|28|29))$/.test(name), `${name} is of digits`);
    }
    assertWhole(html);
    assertStringIncludes(html, "120 + 6 images");
  });
});

Deno.test("reproduce --resume: after an interruption the scores of an uninterrupted run; nothing is made twice", async () => {
  await withFolder(async (folder) => {
    const at = (name: string) => join(folder, name), data = await fewDigits(at("data"), 12, 2);
    const words = ["digits", "--data", data], whole = await reproduced(at("whole"), [...words, "--threads", "1"]);
    assertMatch(whole.lines[0], LINE(20, "generated images"));
    // deno-lint-ignore no-explicit-any
    const parts = (out: string): Promise<any[]> =>
      files(at(`${out}/parts`)).then((names) => {
        const own = names.filter((name) => !name.includes("/"));
        return Promise.all(own.map(async (name) => JSON.parse(await Deno.readTextFile(at(`${out}/parts/${name}`)))));
      });
    const imagesOf = async (out: string) =>
      (await parts(out)).flatMap(({ images = [] }) => images)
        // The group is the class's number among the classes of one run's jobs.
        .map(({ group: _, ...image }) => image).sort((a, b) => a.number - b.number);
    const scoresOf = async (out: string) => (await parts(out)).filter(({ scored }) => scored === "generated");
    const all = await imagesOf("whole"), scores = await scoresOf("whole");
    assertEquals([all.map(({ number }) => number), scores.length], [Array.from({ length: 20 }, (_, i) => i), 1]);

    const resume = ["reproduce", ...words, "--threads", "1"];
    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      const out = at(signal), child = start([...resume, "--out", out, "--quiet"]), output = child.output();
      while (!await Deno.stat(join(out, "parts/0000.json")).catch(() => undefined)) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      child.kill(signal);
      const ended = await output, kept = await imagesOf(signal);
      assert(kept.length > 0 && kept.length < 20 && await Deno.stat(join(out, "report.html")).catch(() => "") === "");
      if (signal === "SIGKILL") assertEquals(ended.signal, signal);
      else {
        const sentence = "Stopping after the work that is under way; a second Ctrl-C ends it at once\n" +
          `Stopped: ${kept.length} of 40 images are kept in ${out}; go on with --resume\n`;
        assertEquals([ended.code, new TextDecoder().decode(ended.stderr)], [1, sentence]);
      }
      const first = `${signal}/parts/0000.json`, before = await Deno.readTextFile(at(first));
      // A part that was damaged is named, and what it held is made again.
      if (signal === "SIGINT") await Deno.writeTextFile(at(first), "{}");
      const again = await reproduced(out, [...words, "--resume", "--threads", signal === "SIGKILL" ? "2" : "1"], {
        quiet: signal === "SIGKILL",
      });
      if (signal === "SIGKILL") assertEquals(await Deno.readTextFile(at(first)), before);
      else {
        assertStringIncludes(again.said, "parts/0000.json is missing or was changed: what it held is made again");
        assertStringIncludes(again.said, "Set aside, because they are no part of the run: parts/0000.json");
        assertEquals(await Deno.readTextFile(join(out, "set-aside/parts/0000.json")), "{}");
        assertEquals((await inspectFiles(out))!.problems, []);
      }
      assertEquals([again.lines, await imagesOf(signal), await scoresOf(signal)], [whole.lines, all, scores]);
      assertWhole(again.html);
    }

    // Other work is refused, and stays.
    const before = await parts("whole"), other = ["reproduce", "digits", "--out", at("whole"), "--resume", "--quiet"];
    for (const more of [["--data", data, "--limit", "19"], ["--data", data, "--seed", "2"], []]) {
      const sentence = `Cannot resume in ${at("whole")}: it holds work with other data`;
      assertSentence(await cli([...other, ...more]), 1, sentence);
    }
    assertEquals(await parts("whole"), before);
  });
});

Deno.test("reproduce: wrong words are exit code 2, a folder that cannot be written is exit code 1; one sentence each", async () => {
  await withFolder(async (folder) => {
    const wrong: [string, string[]][] = [
      ["reproduce takes one profile: digits or faces", []],
      ["reproduce takes one profile: digits or faces", ["digits", "faces"]],
      ['There is no experiment "digit"; nearest: "digits" (valid: digits, faces)', ["digit"]],
      ['There is no experiment "constructor"', ["constructor"]],
      ["Cannot use --limit 0: expected an integer from 1", ["digits", "--limit", "0"]],
      ["Cannot use --limit -1", ["digits", "--limit", "-1"]],
      ["Cannot use --limit 1.5", ["digits", "--limit", "1.5"]],
      ["Cannot use --limit few", ["digits", "--limit", "few"]],
      ["Cannot use --seed x", ["digits", "--seed", "x"]],
      ["Cannot use --threads 0", ["digits", "--threads", "0"]],
      ["reproduce has no flag --limits; nearest: --limit", ["digits", "--limits", "3"]],
      ["--resume takes no value", ["digits", "--resume=yes"]],
    ];
    await assertSentences(wrong.map(([text, words]) => [["reproduce", ...words], 2, text]), { cwd: folder });
    assertEquals(await files(folder), []);
    await Deno.writeTextFile(join(folder, "file"), "");
    const words = ["reproduce", "digits", "--limit", "1", "--quiet", "--out"];
    assertSentence(await cli([...words, join(folder, "file")]), 1, `Cannot write to --out ${join(folder, "file")}: `);
    assertSentence(await cli([...words, join(folder, "out")], { without: "--allow-write" }), 1, "Cannot write to ");
    assertSentence(
      await cli([...words, join(folder, "out"), "--data", "nowhere"]),
      1,
      "There is no file or folder nowhere",
    );
    assertEquals(await files(folder), ["file"]);
  });
});
