// Bundles the examples of hosts/edge for hosts that take one file: each gets a folder with all that it needs.
import { fromFileUrl, join } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));
/** How each host wants its file, and what it imports as it is. */
const HOSTS = {
  workers: ["--format", "esm", "--external", "*.wasm", "--external", "*.loom"],
  vercel: ["--format", "cjs", "--external", "*.wasm?module", "--unstable-raw-imports"],
} as const;

/** Builds `FOLDER/HOST/HOST.js`, with the kernels and the pack beside it. */
export async function buildEdge(folder: string, pack: Uint8Array): Promise<void> {
  for (const [host, flags] of Object.entries(HOSTS)) {
    const out = join(folder, host), example = join(out, "example.js");
    await Deno.mkdir(out, { recursive: true });
    await Deno.copyFile(join(root, "assembly/kernels.wasm"), join(out, "kernels.wasm"));
    await Deno.writeFile(join(out, "digits.loom"), pack);
    // What an example imports lies beside it.
    await Deno.copyFile(join(root, `hosts/edge/examples/${host}.js`), example);
    const result = await new Deno.Command(Deno.execPath(), {
      args: [
        ..."bundle --quiet --minify --no-lock --platform browser --config".split(" "),
        join(root, "deno.json"),
        ...flags,
        "--output",
        join(out, `${host}.js`),
        example,
      ],
    }).output();
    if (!result.success) throw new Error(`deno bundle failed: ${new TextDecoder().decode(result.stderr)}`);
    await Deno.remove(example);
  }
}

if (import.meta.main) {
  const [pack, folder = join(root, "out/edge")] = Deno.args;
  if (!pack) throw new Error("Say which pack goes along: deno task build:edge digits.loom");
  await buildEdge(folder, await Deno.readFile(pack));
  console.log(folder);
}
