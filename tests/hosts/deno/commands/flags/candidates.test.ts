import { assert, assertEquals } from "@std/assert";
import { candidates } from "../../../../../hosts/deno/commands/flags/candidates.ts";
import type { CommandModules } from "../../../../../hosts/deno/commands/flags/flags.ts";

const run = () => Promise.resolve(0);
/** Two commands: one with flags of all sorts, one with subcommands. */
const COMMANDS: CommandModules = {
  synth: () => {
    const flags = {
      profile: { value: "NAME|FILE", about: "the profile" },
      prior: { value: "NAME", about: "the prior" },
      context: { value: "NAME", many: true, about: "a context" },
      from: { value: "test|model|PATH", about: "seed images" },
      tile: { value: "x|y|both", about: "tiles" },
      count: { value: "N", about: "how many" },
      out: { value: "DIR", about: "the folder" },
      quiet: { about: "no progress" },
    };
    return Promise.resolve({ COMMAND: { name: "synth", about: "", flags, examples: [], run } });
  },
  plugin: () => {
    const fresh = { name: "plugin new", about: "Writes.", flags: {}, examples: [], words: [["prior", "metric"]], run };
    const check = { name: "plugin check", about: "Checks.", flags: { json: { about: "as JSON" } }, examples: [], run };
    const subcommands = { new: fresh, check };
    return Promise.resolve({ COMMAND: { name: "plugin", about: "", flags: {}, examples: [], subcommands } });
  },
};

/** The names that follow a line; the last word is what is typed so far. */
async function after(line: string): Promise<string> {
  const found = await candidates(line.split(" "), COMMANDS);
  return found === "files" ? found : found.map(({ name }) => name).join(" ");
}

Deno.test("candidates: the commands that users call, with what they do", async () => {
  const found = await candidates([""], COMMANDS);
  assert(found !== "files");
  const names = found.map(({ name }) => name);
  for (const name of ["synth", "assess", "plugin", "completions", "serve"]) assert(names.includes(name), name);
  for (const name of ["build", "test", "release"]) assert(!names.includes(name), name);
  assertEquals(found.find(({ name }) => name === "synth")!.description, "Synthesize images");
  assertEquals(await after("sy"), "synth");
  assertEquals([await after("nothing"), await after("nothing more")], ["", "files"]);
});

Deno.test("candidates: flags that are not given yet, and their values", async () => {
  assertEquals(
    await after("synth --"),
    "--profile --prior --context --from --tile --count --out --quiet --help --debug",
  );
  assertEquals(await after("synth --quiet --context mirror --profile faces --c"), "--context --count");
  assertEquals(await after("synth --profile d"), "digits digits-paper");
  assertEquals(await after("synth --profile ./mine"), "files");
  assert((await after("synth --prior ")).split(" ").includes("spatially-invariant"));
  assertEquals((await after("synth --context ")).split(" ").at(-1), "none");
  assertEquals([await after("synth --tile "), await after("synth --tile b")], ["x y both", "both"]);
  assertEquals([await after("synth --from "), await after("synth --from ./")], ["test model", "files"]);
  assertEquals([await after("synth --count "), await after("synth --out "), await after("synth ")], [
    "",
    "files",
    "files",
  ]);
});

Deno.test("candidates: subcommands, their words and their flags", async () => {
  assertEquals([await after("plugin "), await after("plugin n"), await after("plugin old ")], [
    "new check",
    "new",
    "files",
  ]);
  assertEquals([await after("plugin new "), await after("plugin new prior ")], ["prior metric", "files"]);
  assertEquals([await after("plugin check --"), await after("plugin check --json ")], [
    "--json --help --debug",
    "files",
  ]);
});
