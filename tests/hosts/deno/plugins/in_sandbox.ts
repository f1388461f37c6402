// Describes the plugin of the file that its first argument names, in a sandbox and in this process, as a worker of an engine does. Then it
// waits for the second argument's milliseconds, and prints what the standard input still has, and how the plugin ended.
import { pathToFileURL } from "node:url";
import { dirname } from "@std/path";
import { confined } from "../../../../hosts/deno/plugins/confine.ts";
import { startWorker } from "../../../../hosts/deno/plugins/plugin_worker.ts";

const [path, linger] = Deno.args,
  plugin = confined({ specifier: "./x.ts", url: pathToFileURL(path).href, folder: dirname(path) });
const module = new URL("../../../../hosts/deno/plugins/describe_worker.ts", import.meta.url), sources = [plugin];
const thread = startWorker<void, unknown>(module, sources, { sources, sandbox: true });
const ended = await thread.run(undefined, () => {}).then(() => "described", (error) => String(error.message));
await new Promise((resolve) => setTimeout(resolve, Number(linger)));
thread.terminate();
const buffer = new Uint8Array(1000), length = await Deno.stdin.read(buffer) ?? 0;
console.log(`standard input: ${new TextDecoder().decode(buffer.subarray(0, length)).trim()}\n${ended}`);
