/** `deno task completions`: prints the script by which a shell completes the words of `patchloom`, and answers that script. */
import { command, type CommandModules, oneOf, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { needed } from "../system/needed.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
/** How the program is called, whose words are completed: the npm package's, or the compiled one. */
const PROGRAM = "patchloom";
/** The word that the library's scripts put between the program and the words to complete. */
const QUESTION = "completion-server";

/** The command. */
export const COMMAND = command({
  name: "completions",
  about: `Prints a script that completes commands, flags and names of ${PROGRAM}: completions ${SHELLS.join("|")}.`,
  flags: {},
  examples: [
    `deno task completions bash >> ~/.bashrc`,
    `deno task completions zsh >> ~/.zshrc`,
    `deno task completions fish > ~/.config/fish/completions/${PROGRAM}.fish`,
  ],
  words: [SHELLS],
  async run({ words: [name, ...more], commands }) {
    if (name === QUESTION) return await answer(commands);
    if (name === undefined || more.length > 0) {
      throw new UsageError(`completions takes one shell: ${SHELLS.join(", ")}`);
    }
    const shell = oneOf("completion for the shell", name, SHELLS),
      { getCompletionScript } = await import("@pnpm/tabtab");
    print(...(await getCompletionScript({ name: PROGRAM, completer: `${PROGRAM} completions`, shell })).split("\n"));
  },
});

/** Answers a script, which gives the line and the shell in the environment. */
async function answer(commands: CommandModules): Promise<void> {
  const { log, logFiles, parseEnv } = await import("@pnpm/tabtab");
  const { candidates } = await needed<typeof import("./flags/candidates.ts")>("commands/flags/candidates.ts");
  const shell = SHELLS.find((known) => known === Deno.env.get("SHELL"));
  if (!shell) throw new UsageError(`Cannot complete: expected SHELL to be ${SHELLS.join(" or ")}`);
  // What comes before the cursor.
  const [, ...words] = parseEnv(Deno.env.toObject()).partial.trimStart().split(/ +/);
  const completions = await candidates(words, commands);
  // Bash completes paths itself where there is no answer; the library's script would list others.
  if (completions !== "files") log([...completions], shell);
  else if (shell !== "bash") logFiles();
}
