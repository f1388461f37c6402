/** Programs of their own that a worker asks once: each has the permissions that it needs, and no others. */

/** What a program answered. */
export interface Asked {
  readonly success: boolean;
  /** What it printed. */
  readonly answer: string;
  /** The last line of its standard error; empty if there is none. */
  readonly error: string;
}

/**
 * Starts a program, gives it its input, and waits for its end.
 *
 * @param args its flags and its file
 * @param input is written to its standard input as JSON
 * @param signal ends it
 */
export async function askProgram(args: readonly string[], input: object, signal?: AbortSignal): Promise<Asked> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal,
  }).spawn();
  await new Blob([JSON.stringify(input)]).stream().pipeTo(process.stdin).catch(() => {}); // it has ended, which `success` says
  const { success, stdout, stderr } = await process.output(), decoder = new TextDecoder();
  return { success, answer: decoder.decode(stdout), error: decoder.decode(stderr).trim().split("\n").at(-1)! };
}
