/** The commands that go on in folders that are not whole: runs that were killed, and `forget`. */
import { commandLine } from "../system/command_line.ts";
import type { FolderRecord } from "../folders/folder_record.ts";
import { isPartsRecord } from "./inspect_folder.ts";

/** The entries of a record of a killed `forget`, which may be anybody's. */
interface Forgetting {
  readonly request?: Asked;
  /** In a folder in parts: what its old parts were made by. In one piece: true. */
  readonly forgetting?: { readonly request?: Asked } | true;
}

/** What of a recorded request matters here. */
interface Asked {
  readonly without?: unknown;
  readonly data?: unknown;
}

/**
 * Returns the command line that makes a folder whole in which `forget` was killed; undefined if it was not. Parts that are done stay:
 * `forget` makes the others. In one piece the images that stay are made again, too, as `synth` makes them.
 */
export function forgetAgain(folder: string, record: FolderRecord): string | undefined {
  const { request, forgetting } = record as Forgetting;
  if (record.state !== "running" || forgetting === undefined) return undefined;
  if (!isPartsRecord(record)) return commandLine("deno task synth", ["--run", folder, "--out", folder]);
  const before = forgetting === true ? undefined : forgetting?.request, data = request?.data;
  const all = idsOf(request), known = idsOf(before), ids = all.filter((id) => !known.includes(id));
  const moved = typeof data === "string" && data !== before?.data ? ["--data", data] : [];
  return commandLine("deno task forget", [folder, "--ids", (ids.length > 0 ? ids : all).join(","), ...moved]);
}

/**
 * Returns the command line that goes on with a run in a folder; an engine goes on with its own runs.
 *
 * @param force whether parts that are damaged are made again
 */
export function resumeCommand(folder: string, record: object, force = false): string {
  const engine = "toMake" in record ? ["--engine", "env"] : [];
  return commandLine("deno task synth", [
    ...engine,
    ...["--run", folder, "--resume"],
    ...force ? ["--force"] : [],
    ...["--out", folder],
  ]);
}

function idsOf(request: Asked | undefined): string[] {
  const { without } = request ?? {};
  return Array.isArray(without) ? without.flatMap((text) => String(text).split(",")) : [];
}
