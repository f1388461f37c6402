// Deno: `deno task serve digits.loom ...` serves packs on port 8000 of this machine. `--port 8123` or PORT=8123 names another
// port. For other machines: `deno run --allow-read --allow-net --allow-env=PORT hosts/edge/examples/deno.ts PACK --host 0.0.0.0`.
import { parseArgs } from "node:util";
import { handler } from "@patchloom/patchloom/edge";

const USAGE = "deno task serve digits.loom [--port 8000] [--host 127.0.0.1]";
const HELP = `Serves packs over HTTP: deno task serve PACK...

Flags, with defaults in parentheses:
  --port N     port; 0: any free one (the environment variable PORT, or 8000)
  --host NAME  name or address to listen on (127.0.0.1: this machine only)
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
      help: { type: "boolean" },
    } as const;
    const { values: { port, host, help }, positionals: paths } = parseArgs({
      args: Deno.args,
      options,
      allowPositionals: true,
    });
    if (help) {
      console.log(HELP);
      Deno.exit(0);
    }
    if (/^\d{1,5}$/.test(port) && Number(port) < 65536) return { port: Number(port), host, paths };
    return refuse(`Cannot use port "${port}": expected a number from 0 to 65535 (${USAGE})`, 2);
  } catch (error) {
    return refuse(`Cannot use the flags of serve: ${(error as Error).message.split(". ")[0]} (${USAGE})`, 2);
  }
}

/** What the system says, without its codes and calls. */
function reason(error: unknown): string {
  return (error as Error).message.replace(/ \(os error \d+\).*/, "");
}

const { port, host, paths } = readFlags();
if (paths.length === 0) refuse(`serve needs packs: ${USAGE}`, 2);
const kernels = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);
const packs = await Promise.all(paths.map((path) => {
  return Deno.readFile(path).catch((error) => refuse(`Cannot read ${path}: ${reason(error)}`, 1));
}));

/** Makes the handler, or exits where a file is not a pack. */
function makeHandler() {
  try {
    return handler({ kernels, packs });
  } catch (error) {
    return refuse(`Cannot serve ${paths.join(", ")}: ${(error as Error).message}`, 1);
  }
}

const answer = makeHandler();

/** Answers a request. */
async function serve(request: Request): Promise<Response> {
  const response = await answer(request);
  if (request.method !== "HEAD" || response.status === 304) return response;
  // For a response without a body Deno would send a length of 0, not that of a GET. For a stream it sends no length.
  return new Response(new Blob().stream(), response);
}

try {
  Deno.serve({ port, hostname: host }, serve);
} catch (error) {
  refuse(`Cannot listen on ${host}:${port}: ${reason(error)}`, 1);
}
