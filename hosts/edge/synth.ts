/** Answers `/synth`: with a picture, with a description of how it was made, or with every iteration as server-sent events. */
import type { Plan } from "../../core/plan.ts";
import type { SynthesisProgress, SynthesisResult } from "../../pipelines/synthesis/synthesizer.ts";
import { describeResult, iterationEvent, picture } from "./answers.ts";
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
/** There is a pause after this much work: about 10 ms, a digit or an iteration of a face. */
const PAUSE_WORK = 2 ** 23;

/** How a query is answered. */
export interface Answering {
  readonly type: typeof TYPES[number];
  /** SHA-256 of the kernels, in hexadecimal. */
  readonly kernels: string;
  /** The path of `/synth`. */
  readonly path: string;
  /** The hash of the address; undefined for one without. */
  readonly hash?: string;
}

/**
 * Answers a query.
 *
 * @throws {Problem} (404) if the address has the hash of another pack or program; (400) if the query needs more memory than there is
 */
export async function answerSynth(
  request: Request,
  query: Query,
  { type, kernels, path, hash }: Answering,
): Promise<Response> {
  const { profile: { synthesizer, packSha256 }, request: { seed } } = query, pack = await packSha256();
  const present = await query.profile.hash(), address = `${path}/${present}${new URL(request.url).search}`;
  if (hash !== undefined && hash !== present) {
    throw new Problem(404, "path", `Expected an address of the present pack and program, ${address}, got hash ${hash}`);
  }
  const describe = (result: SynthesisResult) => describeResult(result, synthesizer.pack, { seed, pack, kernels });
  const stopped = () => request.signal?.aborted ?? false;
  if (type === "text/event-stream") return streamed(request, query, describe, stopped);

  const etag = await etagOf(query, type, present);
  const caching = { "Cache-Control": hash === undefined ? ASK : FOREVER, "Content-Location": address };
  const headers = { "Content-Type": type, "ETag": etag, ...caching, "Vary": "Accept" };
  if (matches(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") return new Response(null, { headers });
  const result = await synthesize(query, pauseAfter(PAUSE_WORK), stopped);
  // 499: the client closed the request; no one reads the answer.
  if (!result) return new Response(null, { status: 499, headers: { "Cache-Control": "no-store" } });
  const body = type === "image/png"
    ? picture(result, synthesizer.pack)
    : JSON.stringify(describe(result), null, 2) + "\n";
  return new Response(body, { headers });
}

/** Sends each iteration as an event, then the description of the result. */
function streamed(
  request: Request,
  query: Query,
  describe: (result: SynthesisResult) => object,
  stopped: () => boolean,
): Response {
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "Vary": "Accept" };
  if (request.method === "HEAD") return new Response(null, { headers });
  const events = eventStream(async (send, closed) => {
    const isDue = pauseAfter(PAUSE_WORK);
    const onStep = (step: SynthesisProgress | number) => {
      if (typeof step === "number") return isDue(step);
      send("step", iterationEvent(step));
      return true;
    };
    const result = await synthesize(query, onStep, () => stopped() || closed());
    if (result) send("done", describe(result));
  }, asProblem);
  return new Response(events, { headers });
}

/** Synthesizes when it is the query's turn. Returns undefined once it is stopped. */
async function synthesize(
  query: Query,
  onStep: (step: SynthesisProgress | number) => boolean,
  stopped: () => boolean,
): Promise<SynthesisResult | undefined> {
  const { profile: { synthesizer, queue }, request, changedBy } = query;
  try {
    return await queue.run(() => synthesizer.synthesizeInSteps(request), onStep, stopped);
  } catch (error) {
    // A valid plan may still need more memory than there is, or numbers that overflow.
    if (error instanceof Problem || !changedBy) throw error;
    throw new Problem(400, changedBy, `Cannot synthesize with these values: ${(error as Error).message}`);
  }
}

/** Returns true whenever so much work was done since it last did. */
function pauseAfter(most: number): (step: SynthesisProgress | number) => boolean {
  let done = 0;
  return (step) => {
    done += typeof step === "number" ? step : 0;
    const isDue = done >= most;
    if (isDue) done = 0;
    return isDue;
  };
}

/** The ETag of an answer: a hash of all that determines its bytes. */
async function etagOf({ plan, request }: Query, type: string, hash: string): Promise<string> {
  const { class: label, images, seed } = request;
  return `"${await sha256Of([hash, plan.profile, pluginValues(plan), label ?? null, images, seed, type])}"`;
}

/** The values of a plan's plugins, including the defaults, which its profile may leave out. */
function pluginValues({ layers }: Plan): object {
  return layers.map(({ prior, contexts }) => [prior, ...contexts].map(({ plugin, values }) => [plugin.name, values]));
}

/** Whether an If-None-Match header names a tag. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}
