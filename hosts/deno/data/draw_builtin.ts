/** Draws built-in data on all cores: on one, the 660 portraits take 11 s, which are most of the first `synth --profile faces`. */
import type { DataSet } from "../../../datasets/data_set.ts";
import { builtinData } from "../../../datasets/procedural/builtin.ts";
import { BUILTIN_DATA, type BuiltinName } from "../../../datasets/procedural/builtin_data.ts";
import { drawnPart, type FacesPart, proceduralFaces } from "../../../datasets/procedural/faces.ts";

const WORKER = new URL("./portrait_worker.ts", import.meta.url);
/** The portraits of a part: half a second of work, or more in colour, so that threads end together. */
const PART = 30;

/**
 * The same as `builtinData`, byte for byte.
 *
 * @param update is called with the part that is drawn, 0..1
 */
export async function drawBuiltin(
  name: BuiltinName,
  update: (done: number) => void = () => {},
): Promise<Pick<DataSet, "train" | "test">> {
  // Digits and objects take a second; and a worker's module cannot be loaded without permission to read it.
  if (name === "mnist" || name === "objects" || !isReadable(WORKER)) return builtinData(name);
  const { channels, ...counts } = BUILTIN_DATA[name];
  const parts = (["train", "test"] as const).flatMap((split) => partsOf(drawnPart(split, counts[split], channels)));
  const drawn = await onThreads(parts, update);
  const images = async (split: "train" | "test") => {
    const pixels = await new Blob(drawn.filter((_, n) => parts[n].split === split)).bytes();
    return { images: proceduralFaces(split, counts[split], channels, pixels) };
  };
  return { train: await images("train"), test: await images("test") };
}

function isReadable(path: URL): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function partsOf(whole: FacesPart): FacesPart[] {
  return Array.from({ length: Math.ceil((whole.to - whole.from) / PART) }, (_, n) => {
    const from = whole.from + n * PART;
    return { ...whole, from, to: Math.min(whole.to, from + PART) };
  });
}

/** Draws parts: each thread takes the next one. */
async function onThreads(
  parts: readonly FacesPart[],
  update: (done: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const drawn: Uint8Array<ArrayBuffer>[] = [];
  let next = 0, ended = 0;
  await Promise.all(Array.from({ length: Math.min(navigator.hardwareConcurrency, parts.length) }, async () => {
    const worker = new Worker(WORKER, { type: "module" });
    try {
      while (next < parts.length) {
        const n = next++;
        drawn[n] = await answer(worker, parts[n]);
        update(++ended / parts.length);
      }
    } finally {
      worker.terminate();
    }
  }));
  return drawn;
}

function answer(worker: Worker, part: FacesPart): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(`Cannot draw the built-in images: ${event.message}`));
    };
    worker.postMessage(part);
  });
}
