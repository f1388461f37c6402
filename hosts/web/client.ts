/** The page's side of the worker: questions with answers. */
import type { SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import { ENDS, type FromWorker, type Opened, type ToWorker, type TraceAt } from "./protocol.ts";
import type { Traced } from "./trace.ts";

/** What comes back while images are made. */
export type Coming = FromWorker & { kind: "frame" | "made" | "refused" };

/** Answers of questions that a newer one ended never come; whoever waits for one must not need it. */
export interface Client {
  open(from: string | Uint8Array): Promise<Opened>;
  make(synthesisRequests: readonly SynthesisRequest[], coming: (message: Coming) => void): Promise<void>;
  trace(synthesisRequest: SynthesisRequest, at: TraceAt): Promise<Traced>;
}

/** What the client needs of a worker. */
export type Answering = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/** A question on its own, without its number. */
type Question = ToWorker extends infer Q ? Q extends { id: number } ? Omit<Q, "id"> : never : never;

interface Waiting {
  readonly question: ToWorker;
  resolve(answer: FromWorker): void;
  reject(error: Error): void;
  coming?(message: Coming): void;
}

/**
 * Milliseconds after which a worker that owes an answer and says nothing is taken for stuck: a prior is being fitted, for
 * instance, which nothing can interrupt. Who asks something else then gets a new worker.
 */
const SILENCE = 1500;

/** Starts a worker. `broken` is told in one sentence where it fails as a whole. */
export function startClient(start: () => Answering, broken: (sentence: string) => void, clock = Date.now): Client {
  const waiting = new Map<number, Waiting>();
  let worker = listen(start()), last = 0, heard = 0, opened: ToWorker | undefined;

  function listen(worker: Answering): Answering {
    worker.onerror = (event) => {
      event.preventDefault();
      broken(`The page's worker failed: ${(event as ErrorEvent).message || "it could not be loaded"}.`);
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      heard = clock();
      const found = waiting.get(data.id);
      if (!found) return;
      if (data.kind === "frame" || data.kind === "made" || data.kind === "refused") return found.coming?.(data);
      waiting.delete(data.id);
      // What failed to open leaves the pack before in its place.
      if (data.kind === "opened") opened = found.question;
      if (data.kind === "failed") found.reject(new Error(data.sentence));
      else found.resolve(data);
    };
    return worker;
  }

  function ask(question: Question, coming?: (message: Coming) => void): Promise<FromWorker> {
    const stuck = waiting.size > 0 && clock() - heard > SILENCE, asked = { ...question, id: ++last } as ToWorker;
    for (const [id, older] of waiting) if (ENDS[asked.kind].includes(older.question.kind)) waiting.delete(id);
    if (stuck) {
      worker.terminate();
      worker = listen(start());
      if (opened && asked.kind !== "open") worker.postMessage(opened);
      for (const { question } of waiting.values()) worker.postMessage(question);
    }
    if (waiting.size === 0) heard = clock();
    return new Promise((resolve, reject) => {
      waiting.set(asked.id, { question: asked, resolve, reject, coming });
      worker.postMessage(asked);
    });
  }

  return {
    async open(from) {
      return (await ask({ kind: "open", from }) as FromWorker & { kind: "opened" }).pack;
    },
    async make(synthesisRequests, coming) {
      await ask({ kind: "make", synthesisRequests }, coming);
    },
    async trace(synthesisRequest, at) {
      return (await ask({ kind: "trace", synthesisRequest, at }) as FromWorker & { kind: "traced" }).traced;
    },
  };
}
