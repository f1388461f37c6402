/** The handler's examples, each on the host that it is written for, on loopback. */
import { fromFileUrl, join } from "@std/path";
import { buildNpm } from "../../../hosts/deno/build_npm.ts";

import configuration from "../../../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));

/** A host that serves the handler. */
export interface Running extends AsyncDisposable {
  /** Of its process. */
  readonly pid: number;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Installs npm packages into a folder. */
export async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const flags = "--no-audit --no-fund --loglevel=error --no-package-lock --prefix".split(" ");
  await output("npm", ["install", ...flags, folder, ...packages], folder);
}

/** Says why a host is left out; an error where PATCHLOOM_ALL_HOSTS asks for every one. */
export function skipped(name: string, error: unknown): undefined {
  const reason = `Skipping ${name}: ${(error as Error).message}`;
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason, { cause: error });
  console.log(reason.replaceAll(/\s*\n\s*/g, " "));
}

/** Runs a program to its end; its standard output. */
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
  const [serve, ...flags] = configuration.tasks.serve.command.split(" ").slice(1), example = flags.pop()!;
  return listening(Deno.execPath(), [serve, "--port", "0", ...flags, join(ROOT, example), ...packs]);
}

/** The example for Node in a folder where the npm package is installed, see `installPackage`. */
export function onNode(folder: string, packs: readonly string[]): Promise<Running> {
  return listening("node", [join(folder, "node.mjs"), ...packs], { PORT: "0" });
}

/** Builds the npm package and installs it, with the example for Node, into an empty folder; returns that. */
export async function installPackage(folder: string): Promise<string> {
  const built = join(folder, "built"), empty = join(folder, "empty");
  await buildNpm(built);
  const tarball = (await output("npm", ["pack", "--silent"], built)).trim();
  await npmInstall(empty, join(built, tarball), "@hono/node-server@2.1.8");
  await Deno.copyFile(join(ROOT, "hosts/edge/examples/node.mjs"), join(empty, "node.mjs"));
  return empty;
}

/** Whether Node and npm are here, of version 20 at least. */
export async function node(): Promise<boolean> {
  try {
    await output("npm", ["--version"], ".");
    const version = await output("node", ["--version"], ".");
    if (Number(/^v(\d+)/.exec(version)?.[1]) < 20) throw new Error(`expected version 20 or later, found ${version}`);
    return true;
  } catch (error) {
    skipped("Node", error);
    return false;
  }
}

/** Starts a program that says where it listens. */
async function listening(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
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
  return { pid: child.pid, fetch: (path, init) => fetch(base + path, init), [Symbol.asyncDispose]: stop };
}
