/** The page's worker: answers the page's questions one after another with the kernels and a synthesizer of its own. */
import { type Kernels, loadKernels } from "../../../core/kernels.ts";
import { type EyeFinderFile, readFinder } from "../../../datasets/faces/eye_finder_file.ts";
import { FACE_SCORE, findEyes } from "../../../datasets/faces/find_eyes.ts";
import { withoutOpacity } from "../../../datasets/formats/colour.ts";
import { type Pack, readPack, writePack } from "../../../datasets/formats/pack.ts";
import { fillHole } from "../../../pipelines/filling/fill_hole.ts";
import { valuesOfSamples } from "../../../pipelines/filling/picture_samples.ts";
import { tracePixel } from "../../../pipelines/synthesis/pixel_trace.ts";
import { traceWindow } from "../../../pipelines/synthesis/window_trace.ts";
import { openSynthesizer, type Synthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import { exemplarPack } from "./exemplar_pack.ts";
import { withFace } from "./face_pack.ts";
import { imagesPack } from "./images_pack.ts";
import { describePack } from "./describe_pack.ts";
import { doneOnce } from "./done_once.ts";
import { synthesizeFrames } from "./frames.ts";
import { type FromWorker, SUPERSEDES, type ToWorker } from "./protocol.ts";

/** The parts of a worker's global scope that are used: the compiler's library has the types of windows. */
interface WorkerScope {
  readonly crossOriginIsolated: boolean;
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: FromWorker): void;
}

/** An open pack. */
interface Opened {
  readonly synthesizer: Synthesizer;
  /** Kernels with a memory of their own, for work beside the synthesizer's. */
  readonly scratch: Kernels;
}

/** Milliseconds of work between two looks for newer questions: a visitor does not notice so short a wait. */
const PAUSE = 10;

/** The state of the page's worker. */
interface PageWorker {
  readonly scope: WorkerScope;
  /** Fetches and compiles the kernels, once. */
  readonly module: () => Promise<WebAssembly.Module>;
  /** Lets messages in. */
  readonly yieldToMessages: () => Promise<void>;
  opened?: Opened;
}

/** A question of a kind. */
type Question<Kind extends ToWorker["kind"]> = Extract<ToWorker, { readonly kind: Kind }>;

/** Answers the questions that arrive at a worker's scope, one after another. A question that is superseded is abandoned. */
function answerQuestions(scope: WorkerScope): void {
  const module = doneOnce(async () => await WebAssembly.compile(await fetchBytes("kernels.wasm")));
  const worker: PageWorker = { scope, module, yieldToMessages: messageYielder() };
  const open = new Map<ToWorker, AbortController>();
  let queue = Promise.resolve();
  scope.onmessage = ({ data }) => {
    for (const [question, stop] of open) if (SUPERSEDES[data.kind].includes(question.kind)) stop.abort();
    if (data.kind === "cancel") return scope.postMessage({ kind: "cancelled", id: data.id });
    const stop = new AbortController();
    open.set(data, stop);
    queue = queue.then(() => answer(worker, data, stop.signal)).catch((error) => {
      scope.postMessage({ kind: "failed", id: data.id, sentence: sentenceOf(error) });
    }).finally(() => open.delete(data));
  };
}

async function answer(worker: PageWorker, question: ToWorker, signal: AbortSignal): Promise<void> {
  if (signal.aborted || question.kind === "cancel") return;
  worker.scope.postMessage({ kind: "begun", id: question.id });
  if (question.kind === "open") return await openPack(worker, question, signal);
  if (question.kind === "findEyes") return await findFace(worker, question);
  if (question.kind === "fill") return await fill(worker, question, signal);
  if (question.kind === "make" || question.kind === "exemplar" || question.kind === "face") {
    const bytes = writePack(await packFor(worker, question));
    return worker.scope.postMessage({ kind: "made", id: question.id, bytes });
  }
  if (!worker.opened) throw new Error("No pack is open");
  if (question.kind === "synthesize") return await synthesize(worker, worker.opened, question, signal);
  const { id, request } = question, { synthesizer, scratch } = worker.opened;
  if (question.kind === "traceWindow") {
    const steps = traceWindow(synthesizer, request, question.at, { plugins: builtins, scratch });
    const trace = await run(worker, steps, signal);
    if (trace) worker.scope.postMessage({ kind: "tracedWindow", id, trace });
    return;
  }
  const { at } = question;
  const trace = await run(worker, tracePixel(synthesizer, request, at, { plugins: builtins, scratch }), signal);
  if (trace) worker.scope.postMessage({ kind: "traced", id, trace });
}

/** Opens a pack. One that is superseded meanwhile is not kept: if the newer one fails to open, the page goes on with the last one. */
async function openPack(worker: PageWorker, { id, from }: Question<"open">, signal: AbortSignal): Promise<void> {
  const { scope, module, yieldToMessages } = worker;
  const [kernels, bytes] = await Promise.all([module(), typeof from === "string" ? fetchBytes(from) : from]);
  const pack = readPack(bytes, typeof from === "string" ? `The pack ${from}` : "The file");
  // Each pack gets new memory: the last one's is freed as a whole.
  const synthesizer = openSynthesizer(loadKernels(kernels), pack, builtins);
  const opened = { synthesizer, scratch: loadKernels(kernels) };
  const shared = scope.crossOriginIsolated ? sharedCopy(bytes) : undefined;
  const described = describePack(synthesizer, bytes, kernels);
  await yieldToMessages();
  if (signal.aborted) return;
  worker.opened = opened;
  scope.postMessage({ kind: "opened", id, pack: described, shared });
}

/** Makes the pack that a question asks for. */
async function packFor({ module }: PageWorker, question: Question<"make" | "exemplar" | "face">): Promise<Pack> {
  const kernels = loadKernels(await module());
  if (question.kind === "make") return imagesPack(kernels, question.profile, question.data);
  if (question.kind === "exemplar") return exemplarPack(kernels, question.from, question.name);
  const { from, face } = question, bytes = typeof from === "string" ? await fetchBytes(from) : from;
  return withFace(kernels, readPack(bytes, "The pack of faces"), face);
}

async function findFace({ scope }: PageWorker, { id, photograph }: Question<"findEyes">): Promise<void> {
  const file = JSON.parse(new TextDecoder().decode(await fetchBytes("eye_finder.json"))) as EyeFinderFile;
  const [face] = findEyes(readFinder(file), photograph);
  scope.postMessage({ kind: "foundEyes", id, ...face?.score >= FACE_SCORE && { eyes: face.eyes } });
}

async function fill(worker: PageWorker, question: Question<"fill">, signal: AbortSignal): Promise<void> {
  const { id, picture: { width, height, data }, missing, number } = question, { scope } = worker;
  const picture = valuesOfSamples({ width, height, depth: 8, ...withoutOpacity(data) });
  let done = 0;
  const steps = fillHole(picture, missing, { seed: 1, number });
  const sources = await run(worker, steps, signal, ({ part }) => {
    scope.postMessage({ kind: "filling", id, done: done += part });
  });
  if (sources) scope.postMessage({ kind: "filled", id, sources });
}

async function synthesize(
  worker: PageWorker,
  { synthesizer, scratch }: Opened,
  { id, requests }: Question<"synthesize">,
  signal: AbortSignal,
): Promise<void> {
  const { scope } = worker;
  for (const [request, one] of requests.entries()) {
    try {
      const frames = synthesizeFrames(synthesizer, scratch, one, (frame) => {
        scope.postMessage({ kind: "frame", id, request, frame });
      });
      const images = await run(worker, frames, signal);
      if (!images) return;
      scope.postMessage({ kind: "result", id, request, images });
    } catch (error) {
      scope.postMessage({ kind: "refused", id, request, sentence: sentenceOf(error) });
    }
  }
  scope.postMessage({ kind: "synthesized", id });
}

/** Runs work to its end. Returns undefined, and ends the work, once a newer question supersedes its question. */
async function run<T, Event>(
  { yieldToMessages }: PageWorker,
  work: Generator<Event, T>,
  signal: AbortSignal,
  onEvent?: (event: Event) => void,
): Promise<T | undefined> {
  try {
    let paused = performance.now();
    for (let next = work.next();; next = work.next()) {
      if (next.done) return next.value;
      onEvent?.(next.value);
      if (performance.now() - paused < PAUSE) continue;
      await yieldToMessages();
      if (signal.aborted) return undefined;
      paused = performance.now();
    }
  } finally {
    work.return(undefined as never);
  }
}

/** Copies bytes into memory that other workers can read. */
function sharedCopy(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Makes a function that lets messages in between two steps. A timer would wait 4 ms each time. */
function messageYielder(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return () =>
    new Promise((resolve) => {
      port1.onmessage = () => resolve();
      port2.postMessage(undefined);
    });
}

/** Fetches a file that lies beside the worker. Throws one sentence where that fails. */
async function fetchBytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL(name, import.meta.url)).catch((cause) => {
    throw new Error(`Cannot load ${name}: the page's server does not answer`, { cause });
  });
  if (!response.ok) throw new Error(`Cannot load ${name}: the page's server answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*[\r\n]\s*/g, " ");
}

answerQuestions(globalThis as unknown as WorkerScope);
