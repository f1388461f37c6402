/** The page's worker: the kernels, a pack, and a synthesizer that answers the page's questions one after another. */
import { borrowing, kernelHash, type Kernels, loadKernels } from "../../core/kernels.ts";
import { pad } from "../../core/pyramid.ts";
import { lengthOf, type Shape } from "../../core/shape.ts";
import { chosenBy } from "../../datasets/groups.ts";
import { openSynthesizer, type Synthesizer } from "../../pipelines/synthesis/synthesizer.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import type { SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import { builtins } from "../../plugins/mod.ts";
import { toByte } from "./picture.ts";
import { ENDS, type Frame, type FromWorker, type MadePicture, type Opened, type ToWorker } from "./protocol.ts";
import { trace } from "./trace.ts";

/** How many training images of a class the page shows. */
const EXAMPLES = 8;

/** The parts of a worker's global scope that are used: the library's types are those of windows. */
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: FromWorker): void;
};

/** The newest question that counts for each kind: older ones are given up. */
const newest: Record<ToWorker["kind"], number> = { open: 0, make: 0, trace: 0 };
let queue = Promise.resolve();

scope.onmessage = ({ data }) => {
  for (const kind of ENDS[data.kind]) newest[kind] = data.id;
  queue = queue.then(() => answer(data)).catch((error) => {
    scope.postMessage({ kind: "failed", id: data.id, sentence: sentenceOf(error) });
  });
};

const current = ({ kind, id }: ToWorker) => newest[kind] === id;

let module: Promise<WebAssembly.Module> | undefined;
let scratch: Kernels, synthesizer: Synthesizer | undefined;

async function answer(question: ToWorker): Promise<void> {
  if (!current(question)) return;
  if (question.kind === "open") return await open(question);
  if (!synthesizer) throw new Error("No pack is open");
  if (question.kind === "make") return await make(synthesizer, question);
  const steps = trace({ synthesizer, plugins: builtins, scratch }, question.synthesisRequest, question.at);
  const traced = await run(steps, question);
  if (traced) scope.postMessage({ kind: "traced", id: question.id, traced });
}

async function open(question: ToWorker & { kind: "open" }): Promise<void> {
  const { id, from } = question;
  module ??= fetchBytes("kernels.wasm").then((bytes) => WebAssembly.compile(bytes));
  const [compiled, bytes] = await Promise.all([module, typeof from === "string" ? fetchBytes(from) : from]);
  const pack = readPack(bytes, typeof from === "string" ? `The pack ${from}` : "The file");
  // A new memory for each pack: the one before is given back as a whole.
  synthesizer = openSynthesizer(loadKernels(compiled), pack, builtins);
  scratch = loadKernels(compiled);
  scope.postMessage({ kind: "opened", id, pack: describe(synthesizer, bytes, compiled) });
}

async function fetchBytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL(name, import.meta.url)).catch((cause) => {
    throw new Error(`Cannot load ${name}: the page's server does not answer`, { cause });
  });
  if (!response.ok) throw new Error(`Cannot load ${name}: the page's server answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function describe({ pack, plan, classes }: Synthesizer, bytes: Uint8Array, kernels: WebAssembly.Module): Opened {
  const { profile, origin, train, seeds } = pack, { sizes, channels } = plan, [size] = sizes;
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  const picture = (image: number) => pad(train.images, image, size);
  return {
    profile,
    origin,
    fingerprint: `${checksum.toString(16).padStart(8, "0")}-${bytes.length}`,
    kernels: kernelHash(kernels),
    classes,
    train: { count: train.images.count, labels: train.labels?.slice() },
    examples: (classes.length > 0 ? classes : [undefined]).map((label) => ({
      label,
      pictures: [...chosenBy(train.labels, label, train.images.count).subarray(0, EXAMPLES)].map(picture),
    })),
    shape: { ...size, channels },
    seeds: {
      count: seeds.count,
      shape: { ...sizes.at(-1)!, channels },
      images: seeds.images.slice(),
      labels: seeds.labels?.slice(),
    },
  };
}

async function make(synthesizer: Synthesizer, question: ToWorker & { kind: "make" }): Promise<void> {
  const { id, synthesisRequests } = question;
  for (const [synthesisRequest, one] of synthesisRequests.entries()) {
    try {
      const images = await run(
        frames(synthesizer, one, (frame, done) => {
          scope.postMessage({ kind: "frame", id, synthesisRequest, frame, done });
        }),
        question,
      );
      if (!images) return;
      scope.postMessage({ kind: "made", id, synthesisRequest, images });
    } catch (error) {
      scope.postMessage({ kind: "refused", id, synthesisRequest, sentence: sentenceOf(error) });
    }
  }
  scope.postMessage({ kind: "finished", id });
}

/** Makes a request's images and shows each iteration of them, and with what each layer begins. */
function* frames(
  synthesizer: Synthesizer,
  synthesisRequest: SynthesisRequest,
  show: (frame: Frame, done: number) => void,
): Generator<void, MadePicture[]> {
  const steps = synthesizer.synthesize(synthesisRequest);
  try {
    let step = steps.next(), low = synthesisRequest.seedImages!;
    for (; !step.done; step = steps.next()) {
      const { layer, iteration, height, width, channels, images, done } = step.value,
        count = synthesisRequest.images.length;
      const shape = { height, width, channels };
      const frame = (iteration: number, values: Float32Array): Frame => ({
        layer,
        iteration,
        shape,
        pictures: split(Uint8Array.from(values, toByte), count),
      });
      if (iteration === 0) show(frame(-1, interpolated(low, shape, count)), done);
      show(frame(iteration, images), done);
      low = images.map((value) => Math.min(Math.max(value, 0), 1));
      yield;
    }
    const { train } = synthesizer.pack, [size] = step.value.plan.sizes;
    return step.value.images.map((image) => ({
      number: image.number,
      label: image.label,
      pixels: image.pixels,
      nearest: image.nearest,
      nearestPixels: pad(train.images, image.nearest.image, size),
      contributors: image.contributors,
      correction: image.correction,
      seedNumber: image.seedNumber,
    }));
  } finally {
    steps.return(undefined as never); // nobody wants the rest
  }
}

function interpolated(low: Float32Array, shape: Required<Shape>, count: number): Float32Array {
  return borrowing(scratch, () => {
    const from = scratch.allocate(low.length * 4), length = count * lengthOf(shape);
    const to = scratch.allocate(length * 4);
    scratch.f32(from, low.length).set(low);
    scratch.up(from, to, shape.height, shape.width, count * shape.channels);
    return scratch.f32(to, length).slice();
  });
}

function split(bytes: Uint8Array, count: number): Uint8Array[] {
  const length = bytes.length / count;
  return Array.from({ length: count }, (_, i) => bytes.slice(i * length, (i + 1) * length));
}

/** Runs a question's work to its end, or to where a newer one of its kind has come: then there is no result. */
async function run<T>(steps: Generator<void, T>, question: ToWorker): Promise<T | undefined> {
  try {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      await breathe();
      if (!current(question)) return undefined;
    }
  } finally {
    steps.return(undefined as never);
  }
}

const channel = new MessageChannel();
/** Lets messages in between two iterations; a timer would wait 4 ms. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(undefined);
  });
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s*[\r\n]\s*/g, " ");
}
