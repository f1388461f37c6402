/** Runs the handler's examples on a loopback address, each on its host. */
import { fromFileUrl, join } from "@std/path";
import { once } from "../../once.ts";
import { CHROMIUM } from "../../programs.ts";
import { released } from "../../released.ts";

import configuration from "../../../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const HERE = fromFileUrl(new URL("./", import.meta.url));

/** A host that serves the handler. */
export interface Running extends AsyncDisposable {
  /** Of its process. */
  readonly pid: number;
  /** How its process ends. */
  readonly status: Promise<Deno.CommandStatus>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Installs npm packages into a folder. */
export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const flags = "--no-audit --no-fund --loglevel=error --no-package-lock --prefix".split(" ");
  await output("npm", ["install", ...flags, folder, ...packages], folder);
}

/** Where a package is installed, once for all tests; undefined, with the reason printed, where it cannot be. */
export async function installed(name: string, version: string): Promise<string | undefined> {
  try {
    const folder = await once(`npm/${name}`, version, (folder) => npmInstall(folder, `${name}@${version}`));
    const { main, exports } = JSON.parse(await Deno.readTextFile(join(folder, "node_modules", name, "package.json")));
    return join(folder, "node_modules", name, exports?.["."]?.default ?? main ?? ".");
  } catch (error) {
    return skipped(name, error);
  }
}

/** Prints why a host is skipped. Throws where PATCHLOOM_ALL_HOSTS is set: then none may be skipped. */
export function skipped(name: string, error: unknown): undefined {
  const reason = `Skipping ${name}: ${(error as Error).message}`;
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason, { cause: error });
  console.log(reason.replaceAll(/\s*\n\s*/g, " "));
}

/** Runs a program to its end and returns its standard output. */
export async function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) {
    throw new Error(
      `${program} ${args[0]} failed: ${(text(stderr) + text(stdout)).trim().replaceAll(/\s*\n\s*/g, " ")}`,
    );
  }
  return text(stdout);
}

/** `deno task serve`, on a free port. */
export function onDeno(packs: readonly string[]): Promise<Running> {
  const [, ...words] = configuration.tasks.serve.command.replace("hosts/deno/main.ts", join(ROOT, "$&")).split(" ");
  return listening(Deno.execPath(), [...words, ...packs, "--port", "0"]);
}

/** The same with `measured_server.ts`. */
export function onMeasuredDeno(packs: readonly string[]): Promise<Running> {
  const [, run, ...words] = configuration.tasks.serve.command.split(" ").slice(0, -2);
  const flags = [run, "--v8-flags=--expose-gc", ...words];
  return listening(Deno.execPath(), [...flags, join(HERE, "measured_server.ts"), ...packs, "--port", "0"]);
}

/** The example for Node in a folder where the npm package is installed, see `installPackage`. */
export function onNode(folder: string, packs: readonly string[]): Promise<Running> {
  return listening("node", [join(folder, "node.mjs"), ...packs], { PORT: "0" });
}

/** Cloudflare's workerd with a built example. */
export function onWorkers(miniflare: string, built: string, example = "workers"): Promise<Running> {
  return listening("node", [join(HERE, "run_miniflare.mjs"), miniflare, join(built, example)]);
}

/** The edge runtime with the built example. */
export function onEdgeRuntime(edgeRuntime: string, built: string): Promise<Running> {
  return listening("node", [join(HERE, "run_edge_runtime.mjs"), edgeRuntime, join(built, "vercel")]);
}

/** Makes an empty folder below another one where the npm package is installed, with the example for Node; returns it. */
export async function installPackage(folder: string): Promise<string> {
  const { hash, tarballs: { library } } = await released(), empty = join(folder, "empty");
  const kept = await once("package", hash, (folder) => {
    return npmInstall(folder, library, "@hono/node-server@2.1.8", "@types/node@20.19.9");
  });
  await Deno.mkdir(empty, { recursive: true });
  await Deno.symlink(join(kept, "node_modules"), join(empty, "node_modules"));
  await Deno.copyFile(join(ROOT, "hosts/edge/examples/node.mjs"), join(empty, "node.mjs"));
  return empty;
}

/** Whether npm and Node are installed, of a version from `minor` of Node 20 on. */
export async function node(minor = 0): Promise<boolean> {
  try {
    await output("npm", ["--version"], ".");
    const version = await output("node", ["--version"], "."), [, major, own] = /^v(\d+)\.(\d+)/.exec(version)!;
    const isOld = Number(major) < 20 || Number(major) === 20 && Number(own) < minor;
    if (isOld) throw new Error(`expected version 20.${minor} or later, got ${version}`);
    return true;
  } catch (error) {
    skipped("Node", error);
    return false;
  }
}

/** Whether Chromium is installed. */
export function chromium(): boolean {
  if (CHROMIUM === undefined) skipped("Chromium", new Error("it is not installed"));
  return CHROMIUM !== undefined;
}

/** Starts a program and waits until it prints its address. */
export async function listening(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Running> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "", ended = false;
  child.status.then(() => ended = true);
  const address = Promise.withResolvers<string>();
  const listen = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)) {
      said += text;
      const [, found] = /[Ll]istening on (http:\/\/\S+?)\/?\s/.exec(said) ?? [];
      if (found) address.resolve(found);
    }
  };
  const heard = Promise.all([listen(child.stdout), listen(child.stderr)]);
  heard.then(() => address.reject(new Error(`${program} ended before it listened: ${said}`)));
  const stop = async () => {
    await child.stdin.close().catch(() => {});
    if (!ended) child.kill();
    await child.status;
    await heard;
  };
  const base = await address.promise.catch(async (error) => {
    await stop();
    throw error;
  });
  const { pid, status } = child;
  return { pid, status, fetch: (path, init) => fetch(base + path, init), [Symbol.asyncDispose]: stop };
}

/** Opens a page in Chromium whose worker runs the handler. Requests are passed to it one at a time. */
export async function onChromium(folder: string, pack: string): Promise<Running> {
  const script = join(folder, "in_browser.js"), config = join(ROOT, "deno.json");
  const flags = "bundle --quiet --no-lock --platform browser --config".split(" ");
  await output(Deno.execPath(), [...flags, config, "--output", script, join(HERE, "in_browser.js")], HERE);
  const files: Record<string, [type: string, path: string]> = {
    "/in_browser.js": ["text/javascript", script],
    "/kernels.wasm": ["application/wasm", join(ROOT, "assembly/kernels.wasm")],
    "/digits.loom": ["application/octet-stream", pack],
  };
  const waiting: { id: string; url: string; method: string; headers: [string, string][] }[] = [];
  const answers = new Map<string, PromiseWithResolvers<Response>>();
  let arrived = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let ended = false;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/next") {
      started.resolve();
      while (waiting.length === 0 && !ended) await arrived.promise;
      if (ended) return new Response(null, { status: 410 });
      arrived = Promise.withResolvers();
      return Response.json(waiting.shift());
    }
    if (pathname === "/answer") {
      const head = (name: string) => request.headers.get(`x-${name}`)!, status = Number(head("status"));
      const body = await request.bytes();
      const empty = [204, 304].includes(status);
      answers.get(head("id"))!.resolve(
        new Response(empty ? null : body, { status, headers: JSON.parse(head("headers")) }),
      );
      return new Response();
    }
    if (files[pathname]) {
      const [type, path] = files[pathname];
      return new Response(await Deno.readFile(path), { headers: { "Content-Type": type } });
    }
    const page = `<!DOCTYPE html><title>-</title><script>new Worker("/in_browser.js", { type: "module" })</script>`;
    return new Response(page, { headers: { "Content-Type": "text/html" } });
  });
  const browser = new Deno.Command(CHROMIUM!, {
    args: [
      ..."--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(
        " ",
      ),
      ..."--disable-component-update --disable-sync --disable-dev-shm-usage".split(" "),
      `--user-data-dir=${join(folder, "profile")}`,
      "--remote-debugging-port=0",
      `http://127.0.0.1:${server.addr.port}/`,
    ],
    detached: true, // in a process group of its own: Debian's program is a script, and the browser its child
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const stop = async () => {
    ended = true;
    arrived.resolve();
    Deno.kill(-browser.pid, "SIGKILL");
    await browser.status;
    await server.shutdown();
  };
  const late = setTimeout(
    () => started.reject(new Error("Chromium did not run the page's worker in a minute")),
    60_000,
  );
  await started.promise.catch(async (error) => {
    await stop();
    throw error;
  }).finally(() => clearTimeout(late));
  return {
    pid: browser.pid,
    status: browser.status,
    async fetch(path, init) {
      const request = new Request(`http://127.0.0.1${path}`, init), id = String(answers.size);
      const { url, method, headers } = request, answer = Promise.withResolvers<Response>();
      answers.set(id, answer);
      waiting.push({ id, url, method, headers: [...headers] });
      arrived.resolve();
      return await answer.promise;
    },
    [Symbol.asyncDispose]: stop,
  };
}
