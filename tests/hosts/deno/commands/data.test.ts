import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { decode, encode } from "fast-png";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import type { DataSetting } from "../../../../hosts/deno/commands/data.ts";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { assertComplete, download, noise, withMirror } from "../data/mirror.ts";
import { dataCommand } from "../in_process.ts";
import { withFolder } from "../with_folder.ts";

/** Runs the command; what it printed as a result. */
async function run(args: string, setting: Partial<DataSetting> = {}): Promise<string> {
  const printed: string[] = [];
  const print = (...lines: readonly string[]) => printed.push(...lines);
  assertEquals(await dataCommand(args.split(" "), { env: {}, print, say: () => {}, ...setting }), 0);
  return printed.join("\n");
}

Deno.test("data: wrong words are answered with the nearest right ones", async () => {
  const wrong: [string, string][] = [
    ["", "data needs a command"],
    ["lsit", 'There is no command "data lsit"; nearest: "list" (valid: list, pull, import)'],
    ["toString", 'There is no command "data toString"'],
    ["list --jsn", "data list has no flag --jsn; nearest: --json"],
    ["list \u2013-json", "its dash is not that of the keyboard: write --json"],
    ["list mnist", 'data list takes flags only, got "mnist"'],
    ["pull", "data pull needs a name: mnist"],
    ["pull minst", 'There is no downloadable data set "minst"; nearest: "mnist" (valid: mnist)'],
    ["pull mnist faces", 'data pull takes one name, got also "faces"'],
    ["pull mnist --form x", "nearest: --from"],
    ["pull mnist --from", "--from needs a value"],
    ["pull mnist --from mirror/mnist", "expected the http or https address of a folder"],
    ["import", "data import needs the folder of the pictures"],
    ["import photos", "data import needs --size, such as 32, or for faces --faces, or --eyes FILE.csv"],
    ["import photos --faces --eyes e.csv", "data import takes --faces or --eyes, not both"],
    ["import photos --size 0", "Cannot use --size 0"],
    ["import photos --size 32 --fit cut", "Cannot use --fit cut: expected crop or pad or stretch"],
    [
      "import photos --size 32 --background blueish",
      "Cannot use --background blueish: expected white, black or #rrggbb",
    ],
    ["import photos --size 32 --test 20", "Cannot use --test without --faces or --eyes"],
    ["import photos --size 32 --colour", "Cannot use --colour without --faces or --eyes"],
    ["import photos --size 32 --like faces", "Cannot use --like without --faces"],
    ["import photos --align --test 20", "Cannot use --test without --faces or --eyes"],
    ["import photos --align", "Cannot use --align without --size"],
    ["import photos --eyes e.csv --fit pad --background black", "Cannot use --fit with --faces or --eyes, which align"],
    ["import photos --faces --background none", "Cannot use --background with --faces or --eyes"],
    ["import photos --eyes e.csv --size 64 --align", "Cannot use --align with --faces or --eyes"],
    ["import photos more --eyes e.csv", 'data import takes one folder, got also "more"'],
    ["import photos --eyes e.csv --test 0", "Cannot use --test 0: expected an integer from 1 to 90"],
    ["import photos --eyes e.csv --test ten", "Cannot use --test ten"],
  ];
  for (const [args, sentence] of wrong) await assertRejects(() => run(args), RequestError, sentence);
  for (const args of ["pull mnist", "import photos --eyes e.csv", "import photos --size 8"]) {
    await assertRejects(() => run(args), Error, "Cannot choose a data folder without a home folder");
  }
});

Deno.test("data list: where each set lies, and which of them is in effect", async () => {
  await withFolder(async (folder) => {
    const env = { PATCHLOOM_DATA: join(folder, "data"), XDG_CACHE_HOME: folder };
    await Deno.mkdir(env.PATCHLOOM_DATA);
    const builtIn = {
      place: "built-in",
      where: "digits drawn by rule in MNIST's place",
      train: 4000,
      test: 400,
      height: 28,
      width: 28,
    };
    const before = JSON.parse(await run("list --json", { env }));
    assertEquals(before[0], { name: "mnist", ...builtIn, inEffect: true });
    assertEquals(before.map(({ name }: { name: string }) => name), ["mnist", "faces", "faces-colour", "objects"]);

    const given = join(folder, "data/mnist"), fetched = join(folder, "patchloom/mnist");
    for (const path of [given, fetched]) {
      await Deno.mkdir(path, { recursive: true });
      await Deno.writeFile(join(path, "train-images-idx3-ubyte"), writeIdx([20, 3, 2], new Uint8Array(120)));
    }
    await Deno.writeFile(join(given, "t10k-images-idx3-ubyte"), Uint8Array.of(1));
    const listed = JSON.parse(await run("list --json", { env }));
    const error = `${
      join(given, "t10k-images-idx3-ubyte")
    } is not an IDX file: expected it to begin with 00 00 08, got 01`;
    assertEquals(listed.slice(0, 3), [
      { name: "mnist", place: "PATCHLOOM_DATA", where: given, inEffect: true, error },
      { name: "mnist", place: "data folder", where: fetched, inEffect: false, train: 18, test: 2, height: 3, width: 2 },
      { name: "mnist", ...builtIn, inEffect: false },
    ]);
    const lines = (await run("list", { env })).split("\n");
    assertMatch(lines[0], /^name +in effect +images +pixels +place$/);
    assertMatch(lines[1], /^mnist +yes +unreadable +PATCHLOOM_DATA +.* is not an IDX file/);
    assertMatch(lines[2], /^mnist +no +18 \+ 2 +2x3 +data folder +.*patchloom.mnist$/);
    assertMatch(lines[4], /^faces +yes +1200 \+ 60 +128x128 +built-in +portraits drawn by rule/);
    const missing = ["faces", "faces-colour", "objects"].map((name) => `PATCHLOOM_DATA has no folder ${name}`);
    assertEquals(lines.slice(-3), missing);
  });
});

Deno.test("data pull: fetches into the data folder, and nothing twice", async () => {
  await withFolder((folder) =>
    withMirror(async ({ url, requests }) => {
      const downloads = { mnist: await download("http://127.0.0.1:9/unused") }, env = { XDG_CACHE_HOME: folder };
      const into = join(folder, "patchloom/mnist"), said: string[] = [], say = (text: string) => said.push(text);
      const first = await run(`pull mnist --from ${url}`, { downloads, env, say });
      assertEquals(first, `mnist is in ${into} (2 of 2 files fetched)`);
      assertEquals(said, ["test.gz fetched and verified", "train.gz fetched and verified"]);
      assertEquals(requests, ["test.gz 0", "train.gz 0"]);
      await assertComplete(into);

      await Deno.writeFile(join(into, "test.gz"), noise(2000, 3)); // damaged since
      const second = await run(`pull mnist --from ${url}/`, { downloads, env, say });
      assertEquals(second, `mnist is in ${into} (1 of 2 files fetched)`);
      assertEquals(requests.slice(2), ["test.gz 0"]);
      await assertComplete(into);
    })
  );
});

Deno.test("data import --size: says what was made, and what was done to the pictures", async () => {
  await withFolder(async (folder) => {
    const from = join(folder, "drawings"), out = join(folder, "out");
    await Deno.mkdir(join(from, "A"), { recursive: true });
    const clear = encode({ width: 20, height: 10, channels: 4, data: new Uint8Array(800) });
    await Deno.writeFile(join(from, "A/x.png"), clear);
    await Deno.writeTextFile(join(from, "A/y.svg"), "<svg/>");
    assertEquals((await run(`import ${from} --size 8x6 --fit pad --background #ff0000 --out ${out}`)).split("\n"), [
      `1 picture of 1 class of 8x6 pixels: use --data ${out}`,
      "Padded 1 picture of another shape with the colour of the border",
      "Scaled 1 small drawing, which blurs pixels: --fit keep without --size keeps them, --background none their transparency",
      "Transparent pixels of 1 picture lie on #ff0000 (--background; none keeps them)",
      "Skipped 1 picture such as A/y.svg: expected PNG, JPEG, WebP, GIF, BMP or TIFF",
    ]);
    const { width, height, channels, data } = decode(await Deno.readFile(join(out, "A/x.png")));
    assertEquals([width, height, channels, ...data.slice(0, 3)], [8, 6, 3, 255, 0, 0]);
    const kept = await run(`import ${from} --size 8x6 --background none --out ${out}`);
    assertStringIncludes(kept, "Transparent pixels of 1 picture stay transparent");
  });
});
