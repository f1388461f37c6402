/** The rights of a command: it gives up those that its task lacks. */
import configuration from "../../../deno.json" with { type: "json" };
import { taskWords } from "./task_words.ts";

/** Rights by which a program could do harm. Code that a command runs by mistake would otherwise make Deno ask the user for them. */
const KINDS = ["run", "net", "write", "ffi"] as const;

/** A kind of rights. */
export type Right = typeof KINDS[number];

/** The rights that the task of a command has, of those that are given up. */
export function rightsOf(command: string): readonly Right[] {
  const task = Object.entries(configuration.tasks).find(([name]) => name === command)?.[1].command;
  const words = task === undefined ? [] : taskWords(task);
  return KINDS.filter((kind) =>
    words.some((word) => word === `--allow-${kind}` || word.startsWith(`--allow-${kind}=`))
  );
}

/**
 * Gives up the rights that the task of a command lacks: an executable file has those of all commands, a container all there are.
 */
export function giveUpRights(command: string): void {
  const rights = rightsOf(command);
  for (const name of KINDS.filter((kind) => !rights.includes(kind))) Deno.permissions.revokeSync({ name });
}
