/** What hostile plugins do becomes one sentence, and never a crash or a command that hangs. `deno task fuzz plugins` tries many more. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { assertSentence, assertSentences, cli, cliEach, smallData, withFolder, type Wrong } from "../cli.ts";
import { type PriorParts, priorSource, withSources } from "./plugin_sources.ts";

/**
 * Runs a quick synthesis with a hostile prior for each row, every other one in a sandbox, and expects the sentence, in which the prior
 * is ./x.ts; the exit code 0 without one. All run in one process, which they must leave as it was.
 */
function expectSentences(rows: readonly (readonly [parts: PriorParts, sentence: string | undefined])[]): Promise<void> {
  return withFolder(async (folder) => {
    const synth = await withSources(folder, {}), lines: string[][] = [];
    for (const [n, [parts]] of rows.entries()) {
      await Deno.writeTextFile(join(folder, `x${n}.ts`), priorSource("x", parts));
      const words = [...synth, "--quiet", "--plugin", `./x${n}.ts`, "--prior", "x", "--threads", "1"];
      lines.push([...words, ...n % 2 === 0 ? ["--sandbox"] : []]);
    }
    for (const [n, ran] of (await cliEach(lines, { cwd: folder })).entries()) {
      const [parts, sentence] = rows[n];
      if (sentence === undefined) assertEquals([ran.code, ran.stderr], [0, ""], JSON.stringify(parts));
      else assertSentence(ran, 1, sentence.replace("./x.ts", `./x${n}.ts`));
    }
  });
}

Deno.test("synth: what a plugin posts by itself is not read", async () => {
  const posts = "[null, 5, 'x', { error: null }, { result: [] }].forEach((message) => self.postMessage(message));";
  await expectSentences([[{ before: posts, draw: posts }, undefined]]);
});

Deno.test("synth: a plugin that gets the port between two tasks, and posts in Patchloom's place", async () => {
  await withFolder(async (folder) => {
    const [synth, ...words] = await withSources(folder, {}), sentence = "posted a message in Patchloom's place\n";
    const twoClasses = words.filter((_, i) => ![words.indexOf("--class"), words.indexOf("--class") + 1].includes(i));
    const wrong: Wrong[] = [];
    for (const [n, posts] of ["port.postMessage(null);", "for (;;) port.postMessage({ step: 0 });"].entries()) {
      const before = `const { dispatchEvent } = EventTarget.prototype;
        EventTarget.prototype.dispatchEvent = function (event) {
          const port = this;
          if (port.postMessage) { ${posts} }
          return dispatchEvent.call(this, event);
        };`;
      await Deno.writeTextFile(join(folder, `x${n}.ts`), priorSource("x", { before }));
      const more = ["--quiet", "--threads", "1", "--sandbox", "--plugin", `./x${n}.ts`, "--prior", "x"];
      wrong.push([[synth, ...twoClasses, ...more], 1, `The plugin ./x${n}.ts ${sentence}`]);
    }
    await assertSentences(wrong, { cwd: folder });
  });
});

Deno.test("synth: a plugin that ends its worker, when it is loaded or works", async () => {
  const sentence = "The plugin ./x.ts ended its worker";
  await expectSentences([
    [{ before: "Deno.exit(0);" }, "Cannot load the plugin ./x.ts: Cannot use Deno.exit in a sandbox (line 1)\n"],
    [{ before: "Deno.exit(0);" }, sentence],
    [
      { before: "globalThis.process.exit(3);" },
      "Cannot load the plugin ./x.ts: Cannot use process.exit in a sandbox (line 1)\n",
    ],
    [{ before: "globalThis.process.exit(3);" }, sentence],
    [{ fit: "self.close();" }, sentence],
    [{ draw: "Deno.exit(0);" }, sentence],
  ]);
});

/** Keeps a worker from its timers once, when it has done a task. */
const SPINS = `if (!globalThis.spun) {
  globalThis.spun = true;
  queueMicrotask(() => { for (const end = performance.now() + 20; performance.now() < end;); });
}`;
/** A message as Deno's for a module that stands for a file of another kind, but one that cannot be read. */
const LIKE_DENO = `"Expected a X\\n Specifier: data:text/javascript,throw%20new%20Error(%22%E0%22)%3B"`;

Deno.test("synth: what a plugin throws later", async () => {
  const sentence = "The plugin ./x.ts failed outside of its calls: ", waits = "await new Promise(() => {});";
  await expectSentences([
    [{ before: `setTimeout(() => { throw new Error("late"); });${waits}` }, `${sentence}late\n`],
    [{ before: `Promise.reject(5);${waits}` }, `${sentence}it threw 5, which is no error\n`],
    [
      { before: `const path = "/etc/" + "hostname"; Deno.readFile(path);${waits}` },
      `${sentence}it asked for read access to "/etc/hostname", which it is not given`,
    ],
    // While it works: the images of its task are made by then, and the task fails nevertheless.
    [{ draw: 'Promise.reject(new Error("unseen"));' }, `${sentence}unseen\n`],
    [{ fit: '(async () => { await 0; throw new Error("awaited"); })();' }, `${sentence}awaited\n`],
    [{ draw: 'setTimeout(() => { throw new Error("timer"); }, 0);' }, `${sentence}timer\n`],
    [{ create: 'Promise.reject(new Error("created"));' }, `${sentence}created\n`],
    // A timer that is due comes before the events of promises.
    [{ draw: `Promise.reject(new Error("slow"));${SPINS}` }, `${sentence}slow\n`],
    [
      { before: `setTimeout(() => { throw new Error(${LIKE_DENO}); });${waits}` },
      `${sentence}Expected a X `,
    ],
    [{ before: `throw new Error(${LIKE_DENO});` }, "Cannot load the plugin ./x.ts: Expected a X "],
  ]);
});

Deno.test("synth: whatever a plugin throws is one sentence of some hundred characters", async () => {
  const failed = 'prior "x" of ./x.ts failed in ';
  await expectSentences([
    [{ draw: "throw 5;" }, `${failed}draw at (0, 0), layer 2: it threw 5, which is no error\n`],
    [{ fit: "throw () => 1;" }, `${failed}fit, layer 0: it threw a function, which is no error\n`],
    [{ create: 'throw new Error("x".repeat(1e7));' }, `${failed}create: ${"x".repeat(297)}...\n`],
    [{ create: 'throw new Error("\\x1b[2J\\x07\\r\\nfake");' }, `${failed}create: [2J fake (line 9)\n`],
    [{ create: "throw new Proxy({}, { getPrototypeOf() { throw 1; } });" }, `${failed}create: it threw an object`],
    [
      { draw: "(function f() { f(); })();" },
      `${failed}draw at (0, 0), layer 2: Maximum call stack size exceeded (line `,
    ],
    [{ create: "return Promise.reject(5);" }, `${failed}create: expected a result, got a promise\n`],
    [{ create: "return { fit: 5 };" }, `${failed}create: expected an object with the function fit, got {"fit":5}\n`],
    [{ fit: "Array.prototype.map = null;" }, "map is not a function (in a worker with the plugin ./x.ts)\n"],
    [{ fit: "return 5;" }, `${failed}fit, layer 0: expected an object with the function draw, got 5\n`],
  ]);
});

Deno.test("synth: a mask that is a promise, no list, or has no end", async () => {
  await withFolder(async (folder) => {
    const synth = await withSources(folder, {}), failed = 'context "x" of ./x.js failed in mask: ';
    const masks: [mask: string, sentence: string][] = [
      ["async () => []", "expected a result, got a promise\n"],
      ["() => 5", "expected a list of pixels, got 5\n"],
      ["function* () { for (;;) yield { dx: -1, dy: 0, weight: 1 }; }", "expected at most 1000000 pixels, got more\n"],
    ];
    const wrong: Wrong[] = [];
    for (const [n, [mask, sentence]] of masks.entries()) {
      const plugin =
        `{ api: 1, kind: "context", name: "x", about: "", options: {}, create: () => ({ mask: ${mask} }) }`;
      await Deno.writeTextFile(join(folder, `x${n}.js`), `export default ${plugin};`);
      const words = [...synth, "--quiet", "--plugin", `./x${n}.js`, "--context", "x"];
      wrong.push([words, 1, failed.replace("./x.js", `./x${n}.js`) + sentence]);
    }
    await assertSentences(wrong, { cwd: folder });
  });
});

/** Results of a metric, and what the sentence says of them; `...good` is one of zeros. */
const RESULTS: readonly (readonly [result: string, sentence: string])[] = [
  ["{ ...good, values: new Float64Array(count + 1) }", "expected values of at most "],
  ["{ ...good, values: new Float64Array(count - 1) }", "expected one value for each image of `of`, "],
  ["{ ...good, values: new Float64Array(count).fill(-Infinity) }", "expected values to be finite, or NaN for an image"],
  [
    "{ ...good, values: new Float64Array(count).fill(NaN) }",
    "expected a number, a warning, or a reason why there is none",
  ],
  ['{ ...good, values: "high" }', "expected values, a Float64Array, got high"],
  ["{ ...good, values: [1, 2] }", "expected values, a Float64Array, got [1,2]"],
  [
    '{ ...good, settings: { text: "x".repeat(1e8) } }',
    'expected setting "text" to be a finite number or a text, of at most 1000 characters',
  ],
  ['{ ...good, warnings: new Array(1e6).fill("x") }', "expected at most 100 warnings, got 1000000"],
  ['{ ...good, get series() { throw new Error("read"); } }', "read"],
  ["{ ...good, values: new Proxy(good.values, { getPrototypeOf() { throw 5; } }) }", "it threw 5, which is no error"],
  ["new Promise(() => {})", "expected a result, got a promise"],
  ["{ then() {} }", "expected values, a Float64Array, got nothing"],
  ["() => 1", "expected an object with values, got () => 1"],
  ["undefined", "expected an object with values, got nothing"],
];

Deno.test("assess: a result of a metric that is none is one sentence that names the plugin", async () => {
  await withFolder(async (folder) => {
    await smallData(join(folder, "data"));
    const assess = ["assess", "--profile", "digits", "--data", "data", "--images", "data/t10k-images-idx3-ubyte"];
    const wrong: Wrong[] = [];
    for (const [n, [result, sentence]] of RESULTS.entries()) {
      const source = `export default { api: 1, kind: "metric", name: "x", about: "", options: {}, create: () => ({
        separable: ${n % 3 === 0},
        measure({ generated: { count } }) {
          const good = { values: new Float64Array(count), of: "generated", series: {}, settings: {}, warnings: [] };
          return ${result};
        },
      }) };`;
      await Deno.writeTextFile(join(folder, `x${n}.js`), source);
      const words = [
        ...assess,
        "--plugin",
        `./x${n}.js`,
        "--metric",
        "x",
        "--class",
        "all",
        "--quiet",
        "--threads",
        "1",
      ];
      wrong.push([
        [...words, ...n % 2 === 0 ? ["--sandbox"] : []],
        1,
        `metric "x" of ./x${n}.js failed in measure: ${sentence}`,
      ]);
    }
    await assertSentences(wrong, { cwd: folder });
  });
});

Deno.test("synth --from noise: a denoiser that changes the training images, when it is fitted or later", async () => {
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data"));
    const synth = ["synth", "--profile", "digits", "--data", data, "--from", "noise", "--count", "1", "--quiet"];
    const wrong: Wrong[] = [];
    for (const [n, place] of ["fit", "denoise"].entries()) {
      const change = "kernels.u8(training.at, 8).fill(200);";
      const source = `export default { api: 1, kind: "denoiser", name: "x", about: "", options: {}, create: () => ({
        fit({ training, kernels }) {
          ${place === "fit" ? change : ""}
          return { denoise(_noisy, _level, out) { out.images.fill(0); ${place === "denoise" ? change : ""} } };
        },
      }) };`;
      await Deno.writeTextFile(join(folder, `x${n}.js`), source);
      const words = [
        ...synth,
        "--plugin",
        `./x${n}.js`,
        "--set",
        "noise.denoiser=x",
        "--threads",
        "1",
        "--out",
        `o${n}`,
      ];
      const sentence = `denoiser "x" of ./x${n}.js changed the training images, which all images are made from`;
      wrong.push([[...words, ...n === 0 ? ["--sandbox"] : []], 1, sentence]);
    }
    await assertSentences(wrong, { cwd: folder });
  });
});

Deno.test("plugin list: texts of a plugin that would control the terminal are refused", async () => {
  await withFolder(async (folder) => {
    const about = '"\\x1b]0;owned\\x07"', ring = '{ api: 1, kind: "context", name: "x", create() {}';
    await Deno.writeTextFile(join(folder, "x.js"), `export default ${ring}, options: {}, about: ${about} };`);
    const ran = await cli(["plugin", "list", "--plugin", "./x.js"], { cwd: folder });
    assertSentence(ran, 1, 'Cannot use the plugin ./x.js, "x": expected `about` to be a text of one line');
    assertStringIncludes(ran.stderr, "u001b");
  });
});
