/** `deno task verify`: proves that folders of parts are a whole data set, or names what is missing, double or broken. */
import { counted } from "../../../core/counted.ts";
import type { InspectedFiles } from "../runs/inspect_files.ts";
import { print, printMessage } from "../system/printable.ts";
import { command, type Given, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

const FLAGS = {
  sign: {
    value: "KEY",
    about: "print a signature of the digest of a whole run, by an Ed25519 private key (PEM), in place of the rest",
  },
  check: {
    value: "KEY",
    about: "also check the signature of --signature, by its Ed25519 public key (PEM)",
  },
  signature: { value: "FILE", about: "what --sign printed" },
  quiet: { about: "print nothing about what is right" },
} as const;

/** The command. */
export const COMMAND = command({
  name: "verify",
  about:
    "Checks synthesized data sets: verify DIR... proves that every image is there once and that every file is as it was " +
    "written. Otherwise it names what is missing, double, broken, foreign or unfinished, prints the commands that make it, " +
    "and ends with exit code 1. For a whole run it prints a digest, which changes with any file and any entry of run.json. " +
    "For any other folder with a run.json it checks that every file is as it was written.",
  flags: FLAGS,
  examples: [
    "deno task verify digits",
    "deno task verify shard-1 shard-2 shard-3",
    "deno task verify digits --sign key.pem",
    "deno task verify digits --check public.pem --signature digits.sig",
  ],
  words: [],
  async run({ given, words: folders }) {
    checkFlags(given, folders);
    const pieces = await inPieces(folders);
    if (pieces) return await sayFiles(given, folders, pieces);
    const { inspectParts } = await needed<typeof import("../runs/inspect_parts.ts")>("runs/inspect_parts.ts");
    const { isWhole, lines, commands, folders: inspected } = await inspectParts(folders);
    if (isWhole) {
      const [{ record: { settings: { count } } }] = inspected;
      const line = `Whole: ${counted(count, "image")}, each once; all checksums are right`;
      // A record without its digest is not whole.
      await sayWhole(given, [line], inspected.map(({ folder, record: { digest } }) => ({ folder, digest: digest! })));
      return;
    }
    for (const line of lines) print(line);
    if (commands.length > 0) print("To make what is missing:");
    for (const command of commands) print(command);
    printMessage(`Not whole: ${folders.join(", ")}`);
    return 1;
  },
});

/** Inspects folders none of which is in parts; undefined if one is. */
async function inPieces(folders: readonly string[]): Promise<InspectedFiles[] | undefined> {
  const { inspectFiles } = await needed<typeof import("../runs/inspect_files.ts")>("runs/inspect_files.ts");
  const inspected: InspectedFiles[] = [];
  for (const folder of folders) {
    const one = await inspectFiles(folder);
    if (!one) return undefined;
    inspected.push(one);
  }
  return inspected;
}

/** Prints what is wrong or right of folders that are not in parts. Returns the exit code. */
async function sayFiles(
  given: Given<typeof FLAGS>,
  folders: readonly string[],
  inspected: readonly InspectedFiles[],
): Promise<number> {
  const problems = inspected.flatMap(({ problems }) => problems);
  for (const line of problems) print(line);
  if (problems.length > 0) {
    printMessage(`Not whole: ${folders.join(", ")}`);
    return 1;
  }
  const lines = inspected.map(({ whole }) => whole);
  await sayWhole(given, lines, inspected.map(({ digest, images }, n) => ({ folder: folders[n], digest, images })));
  return 0;
}

/** Throws unless the flags go together. */
function checkFlags({ sign, check, signature }: Given<typeof FLAGS>, folders: readonly string[]): void {
  if (folders.length === 0) throw new UsageError("verify needs a folder: verify DIR...");
  const flag = sign !== undefined ? "sign" : check !== undefined ? "check" : undefined;
  if (flag && folders.length > 1) throw new UsageError(`Cannot use --${flag} with several folders: merge joins them`);
  if (sign !== undefined && check !== undefined) throw new UsageError("Cannot use --sign with --check");
  if ((check === undefined) !== (signature === undefined)) {
    throw new UsageError("Cannot use --check or --signature alone: expected both");
  }
}

/** A folder that was found to be whole. */
interface WholeFolder {
  readonly folder: string;
  readonly digest: string;
  /** The digest of the images alone. */
  readonly images?: string;
}

/** Prints lines that say what is right, and the digest of each folder. Checks or makes its signature. */
async function sayWhole(
  { sign, check, signature, quiet }: Given<typeof FLAGS>,
  lines: readonly string[],
  folders: readonly WholeFolder[],
): Promise<void> {
  const [{ folder, digest }] = folders;
  const signing = () => needed<typeof import("../runs/signature.ts")>("runs/signature.ts");
  if (sign !== undefined) return print(await (await signing()).signDigest(digest, sign));
  if (check !== undefined && !await (await signing()).isSigned(digest, check, signature!)) {
    throw new Error(`${signature} is no signature of ${folder} by the key ${check}`);
  }
  if (quiet) return;
  const { otherCodeText } = await needed<typeof import("../folders/folder_record.ts")>("folders/folder_record.ts");
  for (const { folder } of folders) {
    const other = await otherCodeText(folder);
    if (other) print(other);
  }
  print(...lines);
  for (const { folder, digest, images } of folders) {
    const which = folders.length > 1 ? `  ${folder}` : "";
    print(`sha256:${digest}${which}`);
    if (images !== undefined) print(`images sha256:${images}${which}`);
  }
  if (check !== undefined) print(`Signed by the key ${check}`);
}
