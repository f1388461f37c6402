// Deno: `deno task serve digits.loom ...` serves packs on port 8000 of this machine. `--port 8123` or PORT=8123 names another
// port. `--host 0.0.0.0` serves other machines, too. The task may listen on no other address. SIGTERM and SIGINT stop the server
// after the requests that are open.
import { parseArgs } from "node:util";
import { lastForwarded } from "../clients.ts";
import { handler } from "@patchloom/patchloom/edge";

const USAGE = "deno task serve digits.loom [--port 8000] [--host 127.0.0.1]";
const HELP = `Serves packs over HTTP: deno task serve PACK...

Flags, with defaults in parentheses:
  --port N     port; 0: any free one (the environment variable PORT, or 8000)
  --host NAME  address to listen on; 0.0.0.0: for other machines, too (127.0.0.1: this machine only)
  --client-header NAME
               header in which a proxy says who asks: clients have the same share of the work (the network address)
  --sign FILE  answer only addresses that are signed with the key in this file, of 32 characters or more
  --count N    images of a request, at most (64)
  --work N     comparisons of a request, at most; a core does some 1e10 a second (2e10)
  --memory N   kernel memory of each lane of a profile, in bytes, at most (268435456)
  --waiting N  open requests, at most, at work or waiting; further ones get status 503 (100)
  --wait-seconds N
               seconds that a request waits until its work begins, at most; then it gets status 503 (30)
  --help       print this

Examples:
  deno task serve digits.loom --port 8123
  deno task serve digits.loom --work 1e11 --wait-seconds 60`;

/** The flags that are limits of the handler, and the highest value of each. No kernel memory is larger than 4 GiB. */
const HIGHEST = {
  count: 2 ** 32,
  work: Number.MAX_SAFE_INTEGER,
  memory: 2 ** 32,
  waiting: Number.MAX_SAFE_INTEGER,
  "wait-seconds": Number.MAX_SAFE_INTEGER,
} as const;

/** Prints one sentence on what is wrong, and exits. */
function refuse(sentence: string, code: number): never {
  console.error(sentence);
  Deno.exit(code);
}

/** Reads a limit: 500 or 5e10. Exits where it is no such number. */
function readLimit(name: keyof typeof HIGHEST, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : NaN, highest = HIGHEST[name];
  if (Number.isInteger(value) && value >= 1 && value <= highest) return value;
  return refuse(`Cannot use --${name} "${text}": expected an integer from 1 to ${highest} (${USAGE})`, 2);
}

/** Reads the options of the handler that flags set. */
function readLimits(given: Readonly<Partial<Record<keyof typeof HIGHEST, string>>>) {
  const limits = (["count", "work", "memory"] as const).map((name) => [name, readLimit(name, given[name])] as const);
  return {
    limits: Object.fromEntries(limits.filter(([, value]) => value !== undefined)),
    waiting: readLimit("waiting", given.waiting),
    waitSeconds: readLimit("wait-seconds", given["wait-seconds"]),
  };
}

/** Reads the flags, or exits where they are wrong or ask for help. */
function readFlags() {
  const text = { type: "string" } as const;
  try {
    const options = {
      port: { ...text, default: Deno.env.get("PORT") || "8000" },
      host: { ...text, default: "127.0.0.1" },
      "client-header": text,
      sign: text,
      count: text,
      work: text,
      memory: text,
      waiting: text,
      "wait-seconds": text,
      help: { type: "boolean" },
    } as const;
    const { values: { port, host, help, sign, "client-header": header, ...given }, positionals: paths } = parseArgs({
      args: Deno.args,
      options,
      allowPositionals: true,
    });
    if (help) {
      console.log(HELP);
      Deno.exit(0);
    }
    if (header !== undefined && !/^[\w-]+$/.test(header)) {
      return refuse(`Cannot use --client-header "${header}": expected the name of a header (${USAGE})`, 2);
    }
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
      return refuse(`Cannot use port "${port}": expected a number from 0 to 65535 (${USAGE})`, 2);
    }
    return { port: Number(port), host, paths, sign, header, limits: readLimits(given) };
  } catch (error) {
    const { message } = error as Error, [, unknown] = /^Unknown option '(.*?)'/.exec(message) ?? [];
    const wrong = unknown ? `serve has no flag ${unknown}` : `Cannot use the flags of serve: ${message.split(". ")[0]}`;
    return refuse(`${wrong} (--help lists all; ${USAGE})`, 2);
  }
}

/** What the system says, without its codes and calls. Deno would advise a flag that the task does not take. */
function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "it may not; deno task serve listens on 127.0.0.1 (this machine only) and 0.0.0.0 (all addresses)";
  }
  if (error instanceof Deno.errors.NotFound) return "there is no such file or folder";
  return (error as Error).message.replace(/ \(os error \d+\).*/, "");
}

/** Reads the key that addresses are signed with. A pipe or a device may never end. */
async function readKey(path: string): Promise<string> {
  const cannot = (why: string) => refuse(`Cannot use --sign ${path}: ${why}`, 1);
  const info = await Deno.stat(path).catch((error) => cannot(reason(error)));
  if (!info.isFile) cannot(`expected a file, got a ${info.isDirectory ? "folder" : "pipe or device"}`);
  if (info.size > MAX_KEY) cannot(`expected a file of at most ${MAX_KEY} bytes`);
  return (await Deno.readTextFile(path).catch((error) => cannot(reason(error)))).trim();
}

/** Bytes of a key's file, at most. */
const MAX_KEY = 4096;
const { port, host, paths, sign, header, limits } = readFlags();
if (paths.length === 0) refuse(`serve needs packs: ${USAGE}`, 2);
const kernels = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);
const packs = await Promise.all(paths.map((path) => {
  return Deno.readFile(path).catch((error) => refuse(`Cannot read ${path}: ${reason(error)}`, 1));
}));

/** The addresses that requests come from. */
const addresses = new WeakMap<Request, string>();
/**
 * The client of a request: the last entry of the proxy's header, which the proxy appends to those that clients send; or the
 * network address.
 */
const client = (request: Request) => {
  const value = header === undefined ? null : request.headers.get(header);
  return (value === null ? undefined : lastForwarded(header!, value)) ?? addresses.get(request);
};
const signingKey = sign === undefined ? undefined : await readKey(sign);
// Here the handler's code lies in files that may change. Other programs leave `code` out.
const { handlerHash } = await import(new URL("../../deno/system/program_hash.ts", import.meta.url).href);
const code: string = await handlerHash();

/** Makes the handler, or exits where a file is not a pack. */
function makeHandler() {
  try {
    return handler({ kernels, packs, client, signingKey, code, ...limits });
  } catch (error) {
    const why = (error as Error).message.replace(/^Cannot serve the packs?: /, "");
    return refuse(`Cannot serve ${paths.join(", ")}: ${why}`, 1);
  }
}

const answer = makeHandler();

/** Answers a request. */
async function serve(request: Request, { remoteAddr }: Deno.ServeHandlerInfo<Deno.NetAddr>): Promise<Response> {
  addresses.set(request, remoteAddr.hostname);
  const response = await answer(request);
  if (request.method !== "HEAD" || response.status === 304) return response;
  // For a response without a body Deno would send a length of 0, not that of a GET. For a stream it sends no length.
  return new Response(new Blob().stream(), response);
}

/** Milliseconds before the server listens again. */
const AGAIN = 500;
/** Milliseconds that open requests have at a signal. Docker ends a container 10 s after it. */
const GRACE = 8000;
/** Milliseconds in which signals belong to one key press: `deno task` passes on the SIGINT that the terminal has sent to both. */
const SAME_PRESS = 500;

/** Returns a signal that aborts at the first SIGTERM or SIGINT. The process ends when the time is over, or at a second one. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let since = 0;
  const stop = (code: number) => {
    if (stopping.signal.aborted) {
      if (performance.now() - since > SAME_PRESS) Deno.exit(code);
      return;
    }
    since = performance.now();
    console.error(`Stopping: open requests have ${GRACE / 1000} seconds; a second signal ends them at once`);
    setTimeout(() => Deno.exit(0), GRACE);
    stopping.abort();
  };
  Deno.addSignalListener("SIGINT", () => stop(130));
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", () => stop(143));
  return stopping.signal;
}

/** Listens on a port, until the process is to stop. Then open requests go on. */
function listen(port: number, stopping: AbortSignal, onListen?: () => void) {
  const drop = new AbortController();
  const server = Deno.serve({ port, hostname: host, signal: drop.signal, ...onListen && { onListen } }, serve);
  stopping.addEventListener("abort", () => server.shutdown());
  return { drop, server };
}

/**
 * Serves until the process is to stop. Clients that open connections and ask for nothing can take all files that a process may have:
 * then all connections are closed, and the server listens again.
 */
async function serveAgain({ server, drop }: ReturnType<typeof listen>, port: number, stopping: AbortSignal) {
  const why = await server.finished.then(() => "it was stopped", reason);
  if (stopping.aborted) Deno.exit(0);
  console.error(`Closing all connections, and listening again: ${why}`);
  drop.abort();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    if (stopping.aborted) Deno.exit(0);
    try {
      return await serveAgain(listen(port, stopping, () => {}), port, stopping);
    } catch {
      // The port is not free yet.
    }
  }
}

try {
  const stopping = stopSignal(), first = listen(port, stopping);
  serveAgain(first, first.server.addr.port, stopping);
} catch (error) {
  refuse(`Cannot listen on ${host}:${port}: ${reason(error)}`, 1);
}
