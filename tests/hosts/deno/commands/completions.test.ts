import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { assertSentence, cli, taskWords, withFolder } from "../cli.ts";
import { output, skipped } from "../../edge/runtimes.ts";

const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));
/** What a user types before the tabulator, and the words that the program is then called with. */
const LINES: readonly (readonly [typed: string, called: string])[] = [
  ["patchloom sy", "synth"],
  ["patchloom synth --quiet --prof", "synth --quiet --profile"],
  ["patchloom assess --profile sp", "assess --profile sprites"],
  ["patchloom unpack dig", "unpack digits.loom"],
];
/** How an interactive shell is started, and how it loads the script. */
const SHELLS: Readonly<Record<string, readonly [start: string, load: string]>> = {
  bash: ["bash --norc --noprofile -i", "source <(patchloom completions bash)"],
  zsh: ["zsh -f -i", "autoload -Uz compinit; compinit -u -D; source <(patchloom completions zsh)"],
  fish: ["fish --no-config -i", "patchloom completions fish | source"],
};

/** Types lines into a shell on a terminal; waits after each until it called the program. Returns the calls. */
async function typed(start: string, lines: readonly string[], folder: string): Promise<string[]> {
  const calls = async () => (await Deno.readTextFile(join(folder, "calls"))).split("\n").slice(0, -1);
  const shell = new Deno.Command("script", {
    args: ["-qec", start, "/dev/null"],
    cwd: folder,
    env: { PATH: `${folder}:${Deno.env.get("PATH")}`, HOME: folder, TERM: "dumb" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const printed = new Response(shell.stdout).text(), keys = shell.stdin.getWriter();
  const type = (text: string) => keys.write(new TextEncoder().encode(`${text}\r`));
  let ended = false;
  const status = shell.status.then(() => ended = true);
  for (const [n, line] of lines.entries()) {
    await type(line);
    while ((await calls()).length <= n) {
      if (ended) throw new Error(`The shell ended: ${await printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await type("exit");
  await keys.close();
  await printed;
  await status; // its output may end first
  return await calls();
}

for (const [name, [start, load]] of Object.entries(SHELLS)) {
  const here = await output("which", [name, "script"], ".").then(() => true, (error) => skipped(name, error) ?? false);
  Deno.test(
    `completions ${name}: the shell completes commands, flags, names and paths`,
    { ignore: !here },
    async () => {
      await withFolder(async (folder) => {
        // The program as npm puts it on the path, with the permissions of its task. It notes what users call, and runs completions.
        const [run, ...flags] = taskWords("completions").slice(0, -2), config = join(ROOT, "deno.json");
        const call = [Deno.execPath(), run, "--config", config, ...flags, join(ROOT, "hosts/deno/main.ts")].join(" ");
        const program = `#!/bin/sh
[ "$2" = completion-server ] || echo "$*" >> ${folder}/calls
[ "$1" = completions ] || exit 0
HOME="${Deno.env.get("HOME")}" exec ${call} "$@"
`;
        await Deno.writeTextFile(join(folder, "patchloom"), program, { mode: 0o755 });
        for (const file of ["calls", "digits.loom"]) await Deno.writeTextFile(join(folder, file), "");
        const called = await typed(start, [load, ...LINES.map(([typed]) => `${typed}\t`)], folder);
        assertEquals(called.map((words) => words.trim()), [
          `completions ${name}`,
          ...LINES.map(([, called]) => called),
        ]);
      });
    },
  );
}

Deno.test("completions: one sentence for another shell, and for none", async () => {
  assertSentence(await cli(["completions", "tcsh"]), 2, 'There is no completion for the shell "tcsh"');
  assertSentence(await cli(["completions"]), 2, "completions takes one shell: bash, zsh, fish");
  const help = await cli(["completions", "--help"]);
  assertEquals(help.code, 0);
  assert(help.stdout.includes("deno task completions bash >> ~/.bashrc"), help.stdout);
});
