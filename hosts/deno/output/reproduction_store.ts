/** Keeps the finished work of a reproduction on disk, so that an interrupted run can be resumed. */
import { join } from "@std/path";
import type { ReproductionStore } from "../../../pipelines/reproduction/reproduction.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { writeAtomically } from "../data/data_folder.ts";

/**
 * Opens the store of a folder. The first line of its file describes the work: data, settings and versions. With `resume` the
 * kept work is read; without it the folder starts anew.
 *
 * @param what describes the work as plain data
 * @throws {Error} if `resume` is set and the folder holds other work, or if the folder cannot be read or written
 */
export async function openStore(folder: string, what: object, resume: boolean): Promise<ReproductionStore> {
  const path = join(folder, "images.jsonl"), first = JSON.stringify(what), finished = new Map<number, GroupImage>();
  const writing = <T>(work: Promise<T>) =>
    work.catch((cause) => {
      throw new Error(`Cannot write to ${folder}: ${cause.message}`, { cause });
    });
  await writing(Deno.mkdir(folder, { recursive: true }));
  const before = resume ? await textOf(path) : undefined;
  if (before !== undefined) {
    const [head, ...lines] = before.split("\n");
    if (head !== first) {
      throw new Error(
        `Cannot resume in ${folder}: it holds work with other data, settings or versions; leave out --resume`,
      );
    }
    // An interruption may have cut the last line; whole lines end with a line break.
    for (const line of lines.slice(0, -1)) {
      for (const image of JSON.parse(line, revive) as GroupImage[]) finished.set(image.number, image);
    }
  }
  const lines = [...finished.values()].map((image) => JSON.stringify([image], replace));
  await writing(writeAtomically(path, new TextEncoder().encode([first, ...lines].join("\n") + "\n")));
  return {
    finished,
    async add(images) {
      for (const image of images) finished.set(image.number, image);
      await writing(Deno.writeTextFile(path, JSON.stringify(images, replace) + "\n", { append: true }));
    },
    async measured(name, measure) {
      const file = join(folder, `${name}.json`);
      const known = resume ? await textOf(file) : undefined;
      if (known !== undefined) {
        const { of, found } = JSON.parse(known, revive);
        if (of === first) return found;
      }
      const found = await measure();
      await writing(writeAtomically(file, new TextEncoder().encode(JSON.stringify({ of: first, found }, replace))));
      return found;
    },
  };
}

/** Reads a file; undefined if there is none. */
function textOf(path: string): Promise<string | undefined> {
  return Deno.readTextFile(path).catch((cause) => {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new Error(`Cannot read ${path}: ${cause.message}`, { cause });
  });
}

const ARRAYS = { Uint8Array, Uint32Array, Float64Array } as const;

/** Replaces typed arrays by base64 of their bytes, and numbers that JSON lacks by texts: both come back exactly. */
function replace(_: string, value: unknown): unknown {
  for (const [name, type] of Object.entries(ARRAYS)) {
    if (value instanceof type) {
      return { array: name, base64: new Uint8Array(value.buffer, value.byteOffset, value.byteLength).toBase64() };
    }
  }
  return typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value;
}

/** Reads what `replace` wrote. */
function revive(_: string, value: unknown): unknown {
  const coded = value as { array?: keyof typeof ARRAYS; base64?: string; number?: unknown } | null;
  // The number of an image is not a text.
  if (typeof coded?.number === "string") return Number(coded.number);
  if (!coded?.array || coded.base64 === undefined) return value;
  return new ARRAYS[coded.array](Uint8Array.fromBase64(coded.base64).buffer);
}
