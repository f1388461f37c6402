/** `deno task completions`: prints the script by which a shell completes the words of `patchloom`, and answers that script. */
import { getCompletionScript, log, logFiles, parseEnv } from "@pnpm/tabtab";
import { candidates, type CommandModules } from "./flags/candidates.ts";
import { oneOf, readFlags, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
/** How the program is called, whose words are completed: the npm package's, or the compiled one. */
const PROGRAM = "patchloom";
/** The word that the library's scripts put between the program and the words to complete. */
const QUESTION = "completion-server";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "completions",
  about: `Prints a script that completes commands, flags and names of ${PROGRAM}: completions ${SHELLS.join("|")}.`,
  flags: {},
  examples: [
    `deno task completions bash >> ~/.bashrc`,
    `deno task completions zsh >> ~/.zshrc`,
    `deno task completions fish > ~/.config/fish/completions/${PROGRAM}.fish`,
  ],
  words: [SHELLS],
  run: completionsCommand,
} as const;

/** Runs `completions`; returns the exit code. */
async function completionsCommand(args: string[], commands: CommandModules): Promise<number> {
  if (args[0] === QUESTION) return await answer(commands);
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const [name, ...more] = read.rest;
  if (name === undefined || more.length > 0) throw new UsageError(`completions takes one shell: ${SHELLS.join(", ")}`);
  const shell = oneOf("completion for the shell", name, SHELLS);
  print(await getCompletionScript({ name: PROGRAM, completer: `${PROGRAM} ${COMMAND.name}`, shell }));
  return 0;
}

/** Answers a script, which gives the line and the shell in the environment. */
async function answer(commands: CommandModules): Promise<number> {
  const shell = SHELLS.find((known) => known === Deno.env.get("SHELL"));
  if (!shell) throw new UsageError(`Cannot complete: expected SHELL to be ${SHELLS.join(" or ")}`);
  // What comes before the cursor.
  const [, ...words] = parseEnv(Deno.env.toObject()).partial.trimStart().split(/ +/);
  const found = await candidates(words, commands);
  // Bash completes paths itself where there is no answer; the library's script would list others.
  if (found !== "files") log([...found], shell);
  else if (shell !== "bash") logFiles();
  return 0;
}
