/** `--sandbox` against plugins that try what they must not: through the real command line, from a folder outside the repository. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { assertSentence, cli, files, start, withFolder } from "../cli.ts";
import { priorSource, withSources } from "./plugin_sources.ts";

const SECRET = "the secret of this test";
const EVIL = ["--plugin", "./evil/evil.ts", "--prior", "evil"];

/** Runs a test in a folder with a secret, a folder `evil` with that source, and the words of a quick synthesis. */
function withEvil(source: string, test: (folder: string, synth: string[]) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "evil"));
    await Deno.writeTextFile(join(folder, "secret.txt"), SECRET);
    await Deno.writeTextFile(join(folder, "secret.json"), JSON.stringify(SECRET));
    await test(folder, [...await withSources(folder, { "evil/evil.ts": source }), "--quiet"]);
  });
}

/** What a plugin tries, and the permission that the error names. */
const TRIES: readonly [what: string, code: string, asked: RegExp][] = [
  ["read a file", 'Deno.readTextFileSync("/etc/passwd");', /read access to "\/etc\/passwd"/],
  [
    "read beside its folder",
    'Deno.readTextFileSync(new URL("../secret.txt", import.meta.url));',
    /read access to ".*secret.txt"/,
  ],
  ["list a folder", '[...Deno.readDirSync("/")];', /read access to "\/"/],
  ["write a file", 'Deno.writeTextFileSync("stolen.txt", "x");', /write access to "stolen.txt"/],
  ["write into its own folder", 'Deno.writeTextFileSync(new URL("x", import.meta.url), "x");', /write access to/],
  ["remove a file", 'Deno.removeSync("secret.txt");', /write access to "secret.txt"/],
  ["read the environment", 'Deno.env.get("HOME");', /env access to "HOME"/],
  ["run a command", 'new Deno.Command("touch", { args: ["stolen.txt"] }).outputSync();', /run access to "touch"/],
  ["open a library", 'Deno.dlopen("/lib/libc.so.6", {});', /ffi access/],
  ["ask for the system", "Deno.hostname();", /sys access to "hostname"/],
  [
    "start a worker with more rights",
    'new Worker("data:text/javascript,", { type: "module", deno: { permissions: { read: true } } });',
    /Can't escalate parent thread permissions/,
  ],
];

for (const [what, code, asked] of TRIES) {
  Deno.test(`synth --sandbox: a prior cannot ${what}, when it is loaded nor when it draws`, async () => {
    for (const [phase, parts] of [["load", { before: code }], ["draw", { draw: code }]] as const) {
      await withEvil(priorSource("evil", parts), async (folder, synth) => {
        const before = await files(folder), ran = await cli([...synth, ...EVIL, "--sandbox"], { cwd: folder });
        const named = phase === "load"
          ? "Cannot load the plugin ./evil/evil.ts: "
          : 'prior "evil" of ./evil/evil.ts failed in draw';
        assertSentence(ran, 1, named);
        assert(asked.test(ran.stderr), ran.stderr);
        assertEquals(await files(folder), before, "nothing written, nothing removed");
      });
    }
  });
}

Deno.test("synth --sandbox: a prior cannot reach the net, by fetch, sockets or imports", async () => {
  let visits = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    visits++;
    return new Response("export default 1", { headers: { "content-type": "text/javascript" } });
  });
  const at = `127.0.0.1:${server.addr.port}`;
  const tries: [string, RegExp][] = [
    [`await fetch("http://${at}/");`, /net access to "127/],
    [`await Deno.connect({ hostname: "127.0.0.1", port: ${server.addr.port} });`, /net access to "127/],
    [`await import("http://${at}/" + "x.ts?${"secret"}");`, /--allow-import=127/],
    [`await import("http://${at}/x.ts");`, /--allow-import=127/],
    [`new WebSocket("ws://${at}/");`, /net access to "127/],
  ];
  for (const [code, asked] of tries) {
    await withEvil(priorSource("evil", { before: code }), async (folder, synth) => {
      const ran = await cli([...synth, ...EVIL, "--sandbox"], { cwd: folder });
      assertSentence(ran, 1, "Cannot load the plugin ./evil/evil.ts: ");
      assert(asked.test(ran.stderr), ran.stderr);
    });
  }
  assertEquals(visits, 0);
});

Deno.test("synth --sandbox: files outside a plugin's folder cannot be imported either; those in it can", async () => {
  const imports: [string, string | undefined][] = [
    ['import "./beside.ts";', undefined],
    ['import secret from "../secret.json" with { type: "json" };', "secret.json"],
    ['import secret from "../secret.txt" with { type: "text" };', "secret.txt"],
    ['const secret = await import("../secret.json", { with: { type: "json" } });', "secret.json"],
    ['const secret = await import("../secret" + ".json", { with: { type: "json" } });', "secret.json"],
    ['export { default as secret } from "../secret.json" with { type: "json" };', "secret.json"],
  ];
  for (const [line, denied] of imports) {
    await withEvil(priorSource("evil", { before: line }), async (folder, synth) => {
      await Deno.writeTextFile(join(folder, "evil/beside.ts"), "export const one = 1;");
      const ran = await cli([...synth, ...EVIL, "--sandbox"], { cwd: folder });
      if (denied === undefined) return assertEquals(ran.code, 0, ran.stderr);
      assertSentence(ran, 1, "Cannot load the plugin ./evil/evil.ts: it asked for read access", denied);
    });
  }
});

Deno.test("synth --sandbox: a module from the net runs without permissions, and imports nothing more once it runs", async () => {
  let late = 0;
  const draw = 'import("/late.ts?" + out.patches[0]).catch((error) => console.log(String(error)));';
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/late.ts") late++;
    const source = pathname === "/evil.ts"
      ? priorSource("evil", { before: 'import "./more.ts";', draw })
      : "export default 1";
    return new Response(source, { headers: { "content-type": "application/typescript" } });
  });
  await withEvil("", async (folder, synth) => {
    const host = `127.0.0.1:${server.addr.port}`, url = `http://${host}/evil.ts`;
    const words = [...synth, "--plugin", url, "--prior", "evil", "--sandbox"];
    assertSentence(
      await cli(words, { cwd: folder }),
      1,
      `Cannot load the plugin ${url}: Deno imports from ${host} only`,
    );
    const ran = await cli(words, { cwd: folder, more: ["--no-lock", `--allow-import=${host}`] });
    assertEquals([ran.code, ran.stderr], [0, ""]);
    assertStringIncludes(ran.stdout, "Requires import access");
    assertEquals(late, 0);
  });
});

Deno.test("synth --sandbox: without it the same plugin can read what the task can, and the main process imports it", async () => {
  const source = priorSource("evil", { before: 'Deno.readTextFileSync("secret.txt"); globalThis.window = Deno.pid;' });
  await withEvil(source, async (folder, synth) => {
    assertEquals((await cli([...synth, ...EVIL], { cwd: folder })).code, 0);
  });
});

Deno.test("synth: the main thread never imports a plugin, with or without a sandbox", async () => {
  // Module code runs once a worker: with one thread, to be described and to work, each in a worker.
  const source = priorSource("evil", { before: "console.log(typeof WorkerGlobalScope);" });
  await withEvil(source, async (folder, synth) => {
    for (const more of [["--sandbox"], []]) {
      const { stdout } = await cli([...synth, ...EVIL, ...more, "--threads", "1"], { cwd: folder });
      assertEquals(stdout, "function\nfunction\n");
    }
  });
});

Deno.test("synth --sandbox: forged images that are not those of the task are refused", async () => {
  // The plugin replaces a method that the worker's own code calls on the images.
  const forged = (change: string) =>
    `const map = Array.prototype.map;
     Array.prototype.map = function (...args) {
       const made = map.apply(this, args);
       if (made[1]?.pixels && "correction" in made[1] && "group" in made[1]) Object.assign(made[1], { ${change} });
       return made;
     };`;
  for (
    const [change, code] of [
      ["", 0],
      ['number: "../../stolen"', 1],
      ["number: 7", 1],
      ["pixels: new Uint8Array(7)", 1],
      ["nearest: { image: 99, distance: 1, trainingDistance: 1 }", 1],
      ["contributors: [{ image: -2, share: 1 }]", 1],
    ] as const
  ) {
    await withEvil(priorSource("evil", { fit: forged(change) }), async (folder, synth) => {
      const ran = await cli([...synth, ...EVIL, "--sandbox", "--threads", "1"], { cwd: folder });
      if (code === 0) return assertEquals(ran.code, 0, "a result is not protected: the plugin makes it");
      assertSentence(ran, 1, "Cannot use what a worker with third-party plugins made: expected the images of its task");
      assert(!(await files(folder)).some((path) => path.includes("stolen")));
    });
  }
});

Deno.test("assess --sandbox: a result that is none of the images is refused", async () => {
  for (const [values, code] of [["new Float64Array(count)", 0], ["new Float64Array(count + 1)", 1]] as const) {
    const source = `export default {
      api: 1, kind: "metric", name: "evil", about: "has a value for nothing", options: {},
      create: () => ({ separable: true, measure({ generated: { count } }) {
        return { values: ${values}, of: "generated", series: {}, settings: {}, warnings: [] };
      } }),
    };`;
    await withEvil(source, async (folder) => {
      const assess = ["assess", "--profile", "digits", "--data", "data", "--images", "data/t10k-images-idx3-ubyte"];
      const evil = ["--plugin", "./evil/evil.ts", "--metric", "evil", "--sandbox", "--class", "all", "--quiet"];
      const ran = await cli([...assess, ...evil], { cwd: folder });
      if (code === 0) return assertEquals(ran.code, 0, ran.stderr);
      assertSentence(ran, 1, 'Cannot use the result of "evil": expected the result of a metric');
    });
  }
});

Deno.test("synth --sandbox: Ctrl-C stops a plugin that spins, when it is loaded and when it draws", async () => {
  const spin = 'console.log("spinning"); while (true);';
  for (const parts of [{ before: spin }, { draw: spin }]) {
    await withEvil(priorSource("evil", parts), async (folder, synth) => {
      const running = start([...synth, ...EVIL, "--sandbox"], { cwd: folder }), reader = running.stdout.getReader();
      assertStringIncludes(new TextDecoder().decode((await reader.read()).value), "spinning");
      running.kill("SIGINT");
      const { code, signal } = await running.status;
      assert(code === 1 || signal === "SIGINT", `${code} ${signal}`);
      await reader.cancel();
      await running.stderr.cancel();
    });
  }
});
