import { assert, assertEquals, assertLess } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { load } from "../../../bench/load.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { faces } from "../../../datasets/profiles/faces.ts";
import { noisyFaces } from "../../datasets/formats/packs.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import { onDeno, onMeasuredDeno } from "./runtimes.ts";

import configuration from "../../../deno.json" with { type: "json" };

/** Requests between two looks at the memory: enough for a leak of 20 KB a request to show. */
const STRETCH = 150;
/** MB by which the memory may grow from one look to the next, twice in a row: 20 KB a request. */
const LEVEL = 3;
/** How many stretches are tried until the memory does not grow more. */
const MAX_STRETCHES = 14;

Deno.test("a server under load: no errors, and no growing memory", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom");
    await Deno.writeFile(pack, digitsPack(10));
    await using server = await onMeasuredDeno([pack]);
    /** MB after a stretch of requests and a garbage collection: then it hangs on no machine's load. */
    const used = async () => {
      const { latencies, errors, memory } = await load(server, STRETCH, 16);
      assertEquals([latencies.length, errors], [STRETCH, {}]);
      assert(memory.length === 10 && memory.every((mb) => mb > 20), `${memory}`);
      const { rss, heapUsed, external }: Deno.MemoryUsage = await (await server.fetch("/memory")).json();
      return [rss, heapUsed + external].map((bytes) => bytes / 1e6);
    };
    // The first requests compile the code. What the system holds settles in steps; what leaks never settles.
    const found = [await used()];
    const grows = () => {
      if (found.length < 3) return true;
      const steps = found.slice(-2).flatMap((mb, i) => mb.map((one, kind) => one - found.at(-3 + i)![kind]));
      return steps.some((step) => step > LEVEL);
    };
    while (grows() && found.length < MAX_STRETCHES) found.push(await used());
    assert(!grows(), `${found.map((mb) => mb.map(Math.round))}`);
  });
});

Deno.test("a server at heavy work answers /health, and stops when its client has gone", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "faces.loom"), abort = new AbortController();
    await Deno.writeFile(pack, writePack({ ...noisyFaces(30), profile: faces }));
    await using server = await onDeno([pack]);
    let finished = false;
    // Without a least likelihood no try goes on to a layer: otherwise as many tries are too much work.
    const query = "prior=spatially-invariant&set=layers.0.overlap=4&set=noise.minLikelihood=0";
    const heavy = server.fetch(`/synth?${query}`, { signal: abort.signal })
      .then((response) => response.bytes()).then(() => finished = true).catch(() => {});
    for (let n = 0; n < 5 && !finished; n++) {
      const began = performance.now(), response = await server.fetch("/health");
      await response.body?.cancel();
      // It takes about 20 ms; a busy machine takes longer. The request itself takes seconds.
      assertLess(performance.now() - began, 2000);
    }
    assertEquals(finished, false); // otherwise /health was not asked while it was at work
    abort.abort();
    await heavy;
    const began = performance.now(), next = await server.fetch("/synth");
    assertEquals([next.status, (await next.bytes()).length > 100], [200, true]);
    assertLess(performance.now() - began, 5000);
  });
});

Deno.test("serve: what cannot be served is reported in one sentence", async () => {
  const root = fromFileUrl(new URL("../../../", import.meta.url));
  const folder = await Deno.makeTempDir(), alien = join(folder, "alien.loom");
  await Deno.writeTextFile(alien, "no pack");
  const pack = join(folder, "digits.loom");
  await Deno.writeFile(pack, digitsPack(10));
  const [, ...words] = configuration.tasks.serve.command.split(" ");
  for (
    const [args, code, sentence] of [
      [[], 2, "serve needs packs: serve digits.loom"],
      [["--prot", "1"], 2, "serve has no flag --prot; nearest: --port"],
      [["--port", "65536", alien], 2, "Cannot use --port 65536: expected an integer from 0 to 65535"],
      [["--port=8k", alien], 2, "Cannot use --port 8k: "],
      [["--client-header", "a b", pack], 2, "Cannot use --client-header a b: expected the name of a header"],
      [["--work", "2e", pack], 2, "Cannot use --work 2e: expected an integer from 1 to 9007199254740991"],
      [["--count", "0", pack], 2, "Cannot use --count 0: expected an integer from 1 to 4294967296"],
      [["--memory", "5e9", pack], 2, "Cannot use --memory 5e9: expected an integer from 1 to 4294967296"],
      [["--waiting", "1.5", pack], 2, "Cannot use --waiting 1.5: expected an integer from 1"],
      [["--wait-seconds", "", pack], 2, "--wait-seconds needs a value: --wait-seconds N"],
      [["--memory", "1000", pack], 1, `Cannot serve ${pack}: `],
      [["--sign", "/dev/zero", pack], 1, "Cannot use --sign /dev/zero: expected a file, got a pipe or device"],
      [["--sign", folder, pack], 1, `Cannot use --sign ${folder}: expected a file, got a folder`],
      [["--sign", join(folder, "none"), pack], 1, `Cannot use --sign ${join(folder, "none")}: there is no such file`],
      [["--sign", alien, pack], 1, `Cannot serve ${pack}: Cannot sign addresses: expected a key of 32 characters`],
      [["--host", "not.a.host.example", pack], 1, "Cannot listen on not.a.host.example:8000: it may not; deno task "],
      [[join(folder, "none.loom")], 1, `Cannot read ${join(folder, "none.loom")}: there is no such file or folder`],
      [[alien], 1, `Cannot serve ${alien}: The file is not a pack`],
      [[pack, alien], 1, `Cannot serve ${pack}, ${alien}: File 2 is not a pack`],
    ] as const
  ) {
    const ran = await new Deno.Command(Deno.execPath(), { args: [...words, ...args], cwd: root }).output();
    const lines = new TextDecoder().decode(ran.stderr).trim().split("\n").filter((line) =>
      !/Download|Check/.test(line)
    );
    assertEquals([ran.code, lines.length, lines[0].startsWith(sentence)], [code, 1, true], lines.join("\n"));
  }
  await Deno.remove(folder, { recursive: true });
  const helped = await new Deno.Command(Deno.execPath(), { args: [...words, "--help"], cwd: root }).output();
  assertEquals([helped.code, new TextDecoder().decode(helped.stdout).includes("\n  --port N ")], [0, true]);
});

Deno.test("serve: --port names the port, or else PORT does; the task may listen for other machines, too", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom"), { execPath } = Deno;
    await Deno.writeFile(pack, digitsPack(10));
    // A port that is taken: the sentence names the port that was asked for.
    const [, ...words] = configuration.tasks.serve.command.split(" ");
    const cwd = fromFileUrl(new URL("../../../", import.meta.url));
    for (const hostname of ["127.0.0.1", "0.0.0.0"]) {
      const isLocal = hostname === "127.0.0.1";
      const taken = Deno.serve({ hostname, port: 0, onListen: () => {} }, () => new Response());
      const port = String(taken.addr.port), flags = isLocal ? ["--port", port] : ["--host", hostname];
      const env = { PORT: isLocal ? "1" : port }, args = [...words, pack, ...flags];
      const ran = await new Deno.Command(execPath(), { args, cwd, env }).output();
      const said = new TextDecoder().decode(ran.stderr);
      assertEquals([ran.code, said.includes(`Cannot listen on ${hostname}:${port}: `)], [1, true], said);
      assertEquals(/os error|it may not/.test(said), false, said);
      await taken.shutdown();
    }
  });
});

/** The files that the server of the next test may have open, and connections that take them all. */
const FILES = 120, CONNECTIONS = 200;

Deno.test({
  name: "serve: clients that take all files of the process are sent away, and the server goes on",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      const pack = join(folder, "digits.loom"), [, ...words] = configuration.tasks.serve.command.split(" ");
      await Deno.writeFile(pack, digitsPack(10));
      const child = new Deno.Command("sh", {
        args: ["-c", `ulimit -n ${FILES} && exec "$0" "$@"`, Deno.execPath(), ...words, pack, "--port", "0"],
        cwd: fromFileUrl(new URL("../../../", import.meta.url)),
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const text = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
      let said = "";
      const until = async (pattern: RegExp) => {
        while (!pattern.test(said)) {
          const { value, done } = await text.read();
          if (done) throw new Error(`The server ended: ${said}`);
          said += value;
        }
        return pattern.exec(said)!;
      };
      const port = Number((await until(/Listening on \S+:(\d+)/))[1]), open: Deno.Conn[] = [];
      for (let n = 0; n < CONNECTIONS; n++) {
        const conn = await Deno.connect({ port }).catch(() => undefined);
        if (!conn) break;
        open.push(conn);
        await conn.write(new TextEncoder().encode("GET /health HTTP/1.1\r\nHost: x\r\nX-A")).catch(() => {});
      }
      await until(/Closing all connections, and listening again: .*Too many open files/);
      for (const conn of open) conn.close();
      const health = async () => (await fetch(`http://127.0.0.1:${port}/health`)).json();
      let answer = await health().catch(() => undefined);
      for (; !answer; answer = await health().catch(() => undefined)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assertEquals(answer.status, "ok");
      // It stops at a signal as a server does that never lost its connections.
      child.kill();
      await text.cancel();
      assertEquals((await child.status).code, 0);
    });
  },
});
