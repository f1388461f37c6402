/** Answers `/synth`: with a picture, with a description of how it was made, or with every iteration as server-sent events. */
import { KernelMemoryError } from "../../core/kernels.ts";
import { PluginError } from "../../core/plugin_error.ts";
import type { Plan } from "../../core/plan.ts";
import { eachEvent, PROGRESS, type Steps } from "../../core/steps.ts";
import type {
  SynthesisProgress,
  SynthesisResult,
  SynthesisStep,
  Synthesizer,
} from "../../pipelines/synthesis/synthesizer.ts";
import { describeResult, picture, progressEvent } from "./answers.ts";
import { eventStream } from "./event_stream.ts";
import { asProblem, Problem } from "./problem.ts";
import type { Query } from "./query.ts";
import { sha256Of } from "./served_profiles.ts";

/** The media types of the answers. The first one is the default. */
export const TYPES = ["image/png", "application/json", "text/event-stream"] as const;

/** A content address always gives the same bytes. */
const FOREVER = "public, max-age=31536000, immutable";
/** Other addresses may give other bytes after an update: caches must ask, with the ETag, whether theirs are still right. */
const ASK = "no-cache";

/** How a query is answered. */
export interface Answering {
  readonly type: typeof TYPES[number];
  /** SHA-256 of the kernels, in hexadecimal. */
  readonly kernels: string;
  /** The path of `/synth`. */
  readonly path: string;
  /** The query of its canonical address, without `?`; empty if it has none. */
  readonly search: string;
  /** The hash of the address; undefined for one without. */
  readonly hash?: string;
  /** Who asks, if that is known. */
  readonly client?: string;
  /** The most work of a request, in comparisons. */
  readonly mostWork: number;
  /** Is told how many images were made. */
  readonly made: (images: number) => void;
}

/**
 * Answers a query.
 *
 * @throws {Problem} (404) if the address has the hash of another pack or program; (400) if the query needs more memory than there is
 */
export async function answerSynth(
  request: Request,
  query: Query,
  { type, kernels, path, search, hash, client, mostWork, made }: Answering,
): Promise<Response> {
  const { profile: { synthesizer, packSha256 }, request: { seed } } = query, pack = await packSha256();
  const present = await query.profile.hash(), address = `${path}/${present}${search && `?${search}`}`;
  if (hash !== undefined && hash !== present) {
    throw new Problem(404, "path", `Expected an address of the present pack and program, ${address}, got hash ${hash}`);
  }
  // Caches keep content addresses for ever, by the characters that were sent: each answer has one.
  if (hash !== undefined && request.url.replace(/^\w+:\/\/[^/?#]*/, "") !== address) {
    return new Response(null, { status: 308, headers: { "Location": address, "Cache-Control": "no-store" } });
  }
  const describe: Describe = (result, { counter }) => {
    return describeResult(result, synthesizer.pack, { seed, pack, kernels }, counter);
  };
  const signals = request.signal ? [request.signal] : []; // not all hosts have one
  if (type === "text/event-stream") return streamed(request, { ...query, client, made }, describe, signals, mostWork);

  const etag = await etagOf(query, type, present);
  const caching = { "Cache-Control": hash === undefined ? ASK : FOREVER, "Content-Location": address };
  const headers = { "Content-Type": type, "ETag": etag, ...caching, "Vary": "Accept" };
  if (matches(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") return new Response(null, { headers });
  const body = await inTurn({ ...query, client, made }, signals, function* (result, machine) {
    if (type === "image/png") return yield* picture(result, synthesizer.pack, machine.counter);
    return JSON.stringify(yield* describe(result, machine), null, 2) + "\n";
  });
  return body ? new Response(body, { headers }) : clientGone();
}

/** Answers a client that closed the request: no one reads it. */
export function clientGone(): Response {
  return new Response(null, { status: 499, headers: { "Cache-Control": "no-store" } });
}

/** Describes a result; the work of it is counted by the machine that made it. */
type Describe = (result: SynthesisResult, machine: Synthesizer) => Steps<object>;

/** A query, and who asks. */
type AskedQuery = Query & Pick<Answering, "client" | "made">;

/** To send an event takes nearly a millisecond. */
const EVENT_WORK = 2 ** 23;
/** The part of the most work that the events of a stream may always take. */
const EVENTS_PART = 0.1;

/**
 * Sends each iteration as an event, then the description of the result. The pictures of events are work, too: once they have taken
 * what the images leave of the most work, further ones are left out.
 */
function streamed(
  request: Request,
  query: AskedQuery,
  describe: Describe,
  signals: readonly AbortSignal[],
  mostWork: number,
): Response {
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "Vary": "Accept" };
  if (request.method === "HEAD") return new Response(null, { headers });
  const events = eventStream(async (send, gone) => {
    let left = Math.max(mostWork - query.work, EVENTS_PART * mostWork);
    const each = function* (progress: SynthesisProgress | SynthesisStep, { counter }: Synthesizer): Steps<void> {
      if (left <= 0) return;
      const before = counter.workDone();
      send("step", yield* progressEvent(progress, counter));
      counter.addWork(EVENT_WORK);
      left -= counter.workDone() - before;
      yield PROGRESS;
    };
    const last = function* (result: SynthesisResult, machine: Synthesizer): Steps<void> {
      send("done", yield* describe(result, machine), true);
    };
    await inTurn(query, [...signals, gone], last, each);
  }, asProblem);
  return new Response(events, { headers });
}

/**
 * Synthesizes when it is the query's turn. Returns undefined once a signal aborts.
 *
 * @param finished makes the result of the finished images
 * @param each does something after each step and iteration
 */
async function inTurn<Result>(
  { profile: { queue }, request, changedBy, work: comparisons, isSmall, client, made }: AskedQuery,
  signals: readonly AbortSignal[],
  finished: (result: SynthesisResult, machine: Synthesizer) => Steps<Result>,
  each?: (progress: SynthesisProgress | SynthesisStep, machine: Synthesizer) => Steps<void>,
): Promise<Result | undefined> {
  function* work(synthesizer: Synthesizer): Steps<Result> {
    const result = yield* eachEvent(synthesizer.synthesize(request), function* (event) {
      if (event.type === "progress") yield event;
      else if (event.type !== "seeds" && each) yield* each(event, synthesizer);
    });
    made(request.images.length);
    return yield* finished(result, synthesizer);
  }
  try {
    return await queue.run(work, signals, { client, work: comparisons, isSmall });
  } catch (error) {
    // A valid plan may still need more memory than there is, or numbers that overflow.
    const isFull = error instanceof KernelMemoryError || (error as Error).cause instanceof KernelMemoryError;
    if (error instanceof Problem || error instanceof PluginError && !isFull) throw error;
    const { message } = error as Error;
    if (changedBy) throw new Problem(400, changedBy, `Cannot synthesize with these values: ${message}`);
    if (!isFull) throw error;
    const count = request.images.length;
    throw new Problem(
      400,
      "count",
      `Expected fewer images, or a host with more memory, got count ${count}: ${message}`,
    );
  }
}

/** The ETag of an answer: a hash of all that determines its bytes. */
async function etagOf({ plan, request }: Query, type: string, hash: string): Promise<string> {
  const { class: label, images, seed } = request;
  return `"${await sha256Of([hash, plan.profile, pluginValues(plan), label ?? null, images, seed, type])}"`;
}

/** The values of a plan's plugins, including the defaults, which its profile may leave out. */
function pluginValues({ layers, noise }: Plan): object {
  const used = layers.map(({ prior, contexts }) => [prior, ...contexts]);
  return [...used, noise ? [noise] : []].map((some) => some.map(({ plugin, values }) => [plugin.name, values]));
}

/** Whether an If-None-Match header names a tag. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}
