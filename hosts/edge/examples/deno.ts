// Deno: `deno task serve digits.loom ...` serves packs on port 8000 of this machine. `--port 8123` or PORT=8123 names another
// port. `--host 0.0.0.0` serves other machines, too. The task may listen on no other address.
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
  --help       print this

Examples:
  deno task serve digits.loom --port 8123`;

/** Prints one sentence on what is wrong, and exits. */
function refuse(sentence: string, code: number): never {
  console.error(sentence);
  Deno.exit(code);
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
      help: { type: "boolean" },
    } as const;
    const { values: { port, host, help, sign, "client-header": header }, positionals: paths } = parseArgs({
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
    if (/^\d{1,5}$/.test(port) && Number(port) < 65536) return { port: Number(port), host, paths, sign, header };
    return refuse(`Cannot use port "${port}": expected a number from 0 to 65535 (${USAGE})`, 2);
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
const { port, host, paths, sign, header } = readFlags();
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
    return handler({ kernels, packs, client, signingKey, code });
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

/** Listens on a port. */
function listen(port: number, onListen?: () => void) {
  const stop = new AbortController();
  return {
    stop,
    server: Deno.serve({ port, hostname: host, signal: stop.signal, ...onListen && { onListen } }, serve),
  };
}

/**
 * Serves for ever. Clients that open connections and ask for nothing can take all files that a process may have: then all connections
 * are closed, and the server listens again.
 */
async function serveAgain({ server, stop }: ReturnType<typeof listen>, port: number): Promise<void> {
  const why = await server.finished.then(() => "it was stopped", reason);
  console.error(`Closing all connections, and listening again: ${why}`);
  stop.abort();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    try {
      return await serveAgain(listen(port, () => {}), port);
    } catch {
      // The port is not free yet.
    }
  }
}

try {
  const first = listen(port);
  serveAgain(first, first.server.addr.port);
} catch (error) {
  refuse(`Cannot listen on ${host}:${port}: ${reason(error)}`, 1);
}
