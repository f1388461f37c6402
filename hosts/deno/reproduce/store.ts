/** What a reproduction has finished, kept on disk so that it can go on after an interruption. */
import { join } from "@std/path";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import type { GroupImage } from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { writeAtomically } from "../data/data_folder.ts";

/** The folder's memory of the work. */
export interface Store {
  /** Images that are finished, by number. */
  readonly finished: Map<number, GroupImage>;
  /** Adds finished images. */
  add(images: readonly GroupImage[]): Promise<void>;
  /** What `name` found before, or what `find` finds now. */
  measured(name: string, find: () => Promise<MetricScore[]>): Promise<MetricScore[]>;
}

/**
 * Opens the store of a folder. Its first line says what the work is; with `resume`, work of another kind is an error, without,
 * what is there is begun anew.
 */
export async function openStore(folder: string, what: object, resume: boolean): Promise<Store> {
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
    // An interruption may have cut the last line: whole ones end with a line break.
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
    async measured(name, find) {
      const file = join(folder, `${name}.json`);
      const known = resume ? await textOf(file) : undefined;
      if (known !== undefined) {
        const { of, found } = JSON.parse(known, revive);
        if (of === first) return found;
      }
      const found = await find();
      await writing(writeAtomically(file, new TextEncoder().encode(JSON.stringify({ of: first, found }, replace))));
      return found;
    },
  };
}

/** What a file holds; undefined where there is none. */
function textOf(path: string): Promise<string | undefined> {
  return Deno.readTextFile(path).catch((cause) => {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new Error(`Cannot read ${path}: ${cause.message}`, { cause });
  });
}

const ARRAYS = { Uint8Array, Uint32Array, Float64Array } as const;

/** Typed arrays as base64 of their bytes: exact, NaN included. */
function replace(_: string, value: unknown): unknown {
  for (const [name, type] of Object.entries(ARRAYS)) {
    if (value instanceof type) {
      return { array: name, base64: new Uint8Array(value.buffer, value.byteOffset, value.byteLength).toBase64() };
    }
  }
  return typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value;
}

function revive(_: string, value: unknown): unknown {
  const coded = value as { array?: keyof typeof ARRAYS; base64?: string; number?: unknown } | null;
  // An image has a number too.
  if (typeof coded?.number === "string") return Number(coded.number);
  if (!coded?.array || coded.base64 === undefined) return value;
  return new ARRAYS[coded.array](Uint8Array.fromBase64(coded.base64).buffer);
}
