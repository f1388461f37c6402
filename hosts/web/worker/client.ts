/** The page's side of the worker: asks it questions, and returns the answers as promises. */
import type { Profile } from "../../../core/profile.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { EyePair } from "../../../datasets/faces/windows.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import type { GreyImage } from "../../../datasets/formats/colour.ts";
import type { PixelTrace, TracedPixel } from "../../../pipelines/synthesis/pixel_trace.ts";
import type { TracedWindow, WindowTrace } from "../../../pipelines/synthesis/window_trace.ts";
import type { SynthesisRequest } from "../../../pipelines/synthesis/request.ts";
import type { ExemplarSource } from "./exemplar_pack.ts";
import type { AlignedFace } from "./face_pack.ts";
import {
  type AnswerKinds,
  type FillingMessage,
  type FromWorker,
  type OpenedPack,
  SUPERSEDES,
  type SynthesisMessage,
  type ToWorker,
} from "./protocol.ts";

/** Asks the worker. The promise of a question that a newer one superseded never settles: do not wait for it to clean up. */
export interface Client {
  /**
   * Opens a pack: the name of a file to fetch, or the bytes of a file. `shared`: its bytes in memory that other workers read, too;
   * undefined where the page is not isolated. Rejects with one sentence if that fails.
   */
  open(from: string | Uint8Array): Promise<{ readonly pack: OpenedPack; readonly shared?: Uint8Array }>;
  /** Makes a pack of images; the bytes of its file. Rejects with one sentence if that fails. */
  makePack(profile: Profile, data: DataSet): Promise<Uint8Array>;
  /** Makes a pack of the exemplar of a texture, as `makePack`. */
  makeTexture(from: ExemplarSource, name: string): Promise<Uint8Array>;
  /** Finds the eyes of the likeliest face in a photograph; undefined if there is no face. Rejects with one sentence if that fails. */
  findEyes(photograph: GreyImage): Promise<EyePair | undefined>;
  /** Puts a face into a pack of faces; `from` as in `open`. Returns the bytes of its file. Rejects as `makePack`. */
  addFace(from: string | Uint8Array, face: AlignedFace): Promise<Uint8Array>;
  /** Fills the hole of a picture; `missing` is 1 in it. Returns the pixel of which each pixel is a copy. Rejects as `makePack`. */
  fill(picture: Rgba, missing: Uint8Array, number: number, onDone: (part: number) => void): Promise<Int32Array>;
  /** Ends what the worker does, except for opening a pack. The promises of the questions never settle. */
  cancel(): void;
  /** Synthesizes the images of requests; `onMessage` gets every iteration and result. Resolves when all are answered. */
  synthesize(requests: readonly SynthesisRequest[], onMessage: (message: SynthesisMessage) => void): Promise<void>;
  /** Traces a pixel of the request's only image. Rejects with one sentence if there is no such iteration. */
  trace(request: SynthesisRequest, at: TracedPixel): Promise<PixelTrace>;
  /** Traces a pixel of an estimate of the request's only image, which comes from noise. Rejects as `trace`. */
  traceWindow(request: SynthesisRequest, at: TracedWindow): Promise<WindowTrace>;
}

/** The parts of a `Worker` that the client uses. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/** A question without its number. */
type Question = ToWorker extends infer Q ? Q extends { id: number } ? Omit<Q, "id"> : never : never;

/** The final answer to a kind of question. */
type Answer<Kind extends Question["kind"]> = Extract<FromWorker, { readonly kind: AnswerKinds[Kind] }>;

/** What is said before the final answer of a question. */
type PassingMessage = SynthesisMessage | FillingMessage;
const PASSING: readonly FromWorker["kind"][] = ["frame", "result", "refused", "filling"];

/** A question that is not answered yet. */
interface Pending {
  readonly question: ToWorker;
  resolve(answer: FromWorker): void;
  reject(error: Error): void;
  onMessage?(message: PassingMessage): void;
  /** Whether the worker has begun to answer it. */
  hasBegun?: boolean;
  /** Looks whether it still waits. */
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Milliseconds of silence after which a worker that owes an answer counts as blocked, for instance by the fit of a prior, which
 * cannot be interrupted. The next question then goes to a new worker, and so does one that waits for work that is superseded.
 */
const SILENCE = 1500;

/** Starts a worker. `onError` gets one sentence if the worker itself fails. */
export function startClient(start: () => WorkerLike, onError: (sentence: string) => void, clock = Date.now): Client {
  const questions = new WorkerQuestions(start, onError, clock);
  return {
    async open(from) {
      const { pack, shared } = await questions.ask({ kind: "open", from });
      return { pack, shared };
    },
    async makePack(profile, data) {
      return (await questions.ask({ kind: "make", profile, data })).bytes;
    },
    async makeTexture(from, name) {
      return (await questions.ask({ kind: "exemplar", from, name })).bytes;
    },
    async findEyes(photograph) {
      return (await questions.ask({ kind: "findEyes", photograph })).eyes;
    },
    async addFace(from, face) {
      return (await questions.ask({ kind: "face", from, face })).bytes;
    },
    async fill(picture, missing, number, onDone) {
      const passed = (message: PassingMessage) => message.kind === "filling" && onDone(message.done);
      return (await questions.ask({ kind: "fill", picture, missing, number }, passed)).sources;
    },
    cancel() {
      if (questions.areOpen) void questions.ask({ kind: "cancel" });
    },
    async synthesize(requests, onMessage) {
      const passed = (message: PassingMessage) => message.kind !== "filling" && onMessage(message);
      await questions.ask({ kind: "synthesize", requests }, passed);
    },
    async trace(request, at) {
      return (await questions.ask({ kind: "trace", request, at })).trace;
    },
    async traceWindow(request, at) {
      return (await questions.ask({ kind: "traceWindow", request, at })).trace;
    },
  };
}

/** The questions to a worker, and the worker itself: a new one takes the place of one that is blocked. */
class WorkerQuestions {
  readonly #start: () => WorkerLike;
  readonly #onError: (sentence: string) => void;
  readonly #clock: () => number;
  readonly #pending = new Map<number, Pending>();
  #worker: WorkerLike;
  #lastId = 0;
  #lastMessage = 0;
  /** The question that opened the pack. */
  #opening: ToWorker | undefined;

  constructor(start: () => WorkerLike, onError: (sentence: string) => void, clock: () => number) {
    this.#start = start;
    this.#onError = onError;
    this.#clock = clock;
    this.#worker = this.#startWorker();
  }

  /** Whether any question waits for its answer. */
  get areOpen(): boolean {
    return this.#pending.size > 0;
  }

  /** Asks a question, which supersedes some older ones. */
  ask<Kind extends Question["kind"]>(
    unnumbered: Question & { readonly kind: Kind },
    onMessage?: (message: PassingMessage) => void,
  ): Promise<Answer<Kind>> {
    const isBusy = this.areOpen, isBlocked = isBusy && this.#clock() - this.#lastMessage > SILENCE;
    const question = { ...unnumbered, id: ++this.#lastId } as ToWorker;
    for (const [id, older] of this.#pending) {
      if (SUPERSEDES[question.kind].includes(older.question.kind)) this.#end(id);
    }
    if (isBlocked) this.#replaceWorker(question);
    if (!this.areOpen) this.#lastMessage = this.#clock();
    const answer = new Promise<FromWorker>((resolve, reject) => {
      const pending: Pending = { question, resolve, reject, onMessage };
      this.#pending.set(question.id, pending);
      this.#worker.postMessage(question);
      if (isBusy && !isBlocked) this.#lookLater(pending);
    });
    return answer as Promise<Answer<Kind>>; // the worker answers each kind with its own
  }

  /** Ends the wait for an answer. */
  #end(id: number): void {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
  }

  /** Starts a new worker if a question waits in silence, and all that the worker does is superseded. */
  #lookLater(pending: Pending): void {
    pending.timer = setTimeout(() => {
      if (pending.hasBegun) return;
      const works = [...this.#pending.values()].some(({ hasBegun }) => hasBegun);
      if (works || this.#clock() - this.#lastMessage <= SILENCE) return this.#lookLater(pending);
      this.#replaceWorker(pending.question);
    }, SILENCE + 1);
  }

  /** Starts a worker that opens the last pack, unless the next question opens one, and is asked what is still open. */
  #replaceWorker(next: ToWorker): void {
    this.#worker.terminate();
    this.#worker = this.#startWorker();
    if (this.#opening && next.kind !== "open") this.#worker.postMessage(this.#opening);
    for (const pending of this.#pending.values()) {
      pending.hasBegun = false;
      this.#worker.postMessage(pending.question);
    }
  }

  #startWorker(): WorkerLike {
    const worker = this.#start();
    worker.onerror = (event) => {
      event.preventDefault();
      this.#onError(`The page's worker failed: ${(event as ErrorEvent).message || "it could not be loaded"}.`);
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    return worker;
  }

  #receive(message: FromWorker): void {
    this.#lastMessage = this.#clock();
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if (message.kind === "begun") return void (pending.hasBegun = true);
    if (PASSING.includes(message.kind)) {
      return pending.onMessage?.(message as PassingMessage);
    }
    this.#end(message.id);
    // A pack that fails to open leaves the last one open.
    if (message.kind === "opened") this.#opening = pending.question;
    if (message.kind === "failed") pending.reject(new Error(message.sentence));
    else pending.resolve(message);
  }
}
