/** Answers `/synth`: with a picture, with a description of how it was made, or with every iteration as server-sent events. */
import type { Plan } from "../../core/plan.ts";
import { VERSION } from "../../core/version.ts";
import type { SynthesisProgress, SynthesisResult } from "../../pipelines/synthesis/synthesizer.ts";
import { describeResult, iterationEvent, picture } from "./answers.ts";
import { eventStream } from "./event_stream.ts";
import { asProblem, Problem } from "./problem.ts";
import type { Query } from "./query.ts";
import { sha256 } from "./served_profiles.ts";

/** The media types of the answers. The first one is the default. */
export const TYPES = ["image/png", "application/json", "text/event-stream"] as const;

/** The same address always gives the same bytes. */
const FOREVER = "public, max-age=31536000, immutable";
/** There is a pause after this many synthesized pixels: some milliseconds, a batch of digits, or an iteration of a face. */
const PAUSE_PIXELS = 2 ** 14;

/**
 * Answers a query with one of the media types.
 *
 * @param kernels SHA-256 of the kernels, in hexadecimal
 * @throws {Problem} if the query needs more memory than there is
 */
export async function answerSynth(
  request: Request,
  query: Query,
  type: typeof TYPES[number],
  kernels: string,
): Promise<Response> {
  const { profile: { synthesizer, packSha256 }, request: { seed } } = query, pack = await packSha256();
  const describe = (result: SynthesisResult) => describeResult(result, synthesizer.pack, { seed, pack, kernels });
  const stopped = () => request.signal?.aborted ?? false;
  if (type === "text/event-stream") return streamed(request, query, describe, stopped);

  const etag = await etagOf(query, type, pack, kernels);
  const headers = { "Content-Type": type, "ETag": etag, "Cache-Control": FOREVER, "Vary": "Accept" };
  if (matches(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
  if (request.method === "HEAD") return new Response(null, { headers });
  const result = await synthesize(query, pauseAfter(PAUSE_PIXELS), stopped);
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
    const onIteration = (progress: SynthesisProgress) => {
      send("step", iterationEvent(progress));
      return true;
    };
    const result = await synthesize(query, onIteration, () => stopped() || closed());
    if (result) send("done", describe(result));
  }, asProblem);
  return new Response(events, { headers });
}

/** Synthesizes when it is the query's turn. Returns undefined once it is stopped. */
async function synthesize(
  query: Query,
  onIteration: (progress: SynthesisProgress) => boolean,
  stopped: () => boolean,
): Promise<SynthesisResult | undefined> {
  const { profile: { synthesizer, queue }, request, changedBy } = query;
  try {
    return await queue.run(() => synthesizer.synthesize(request), onIteration, stopped);
  } catch (error) {
    // A valid plan may still need more memory than there is, or numbers that overflow.
    if (error instanceof Problem || !changedBy) throw error;
    throw new Problem(400, changedBy, `Cannot synthesize with these values: ${(error as Error).message}`);
  }
}

/** Returns true after every `most` pixels. */
function pauseAfter(most: number): (progress: SynthesisProgress) => boolean {
  let pixels = 0;
  return ({ images }) => {
    const due = (pixels += images.length) >= most;
    if (due) pixels = 0;
    return due;
  };
}

/** The ETag of an answer: a hash of all that determines its bytes. */
async function etagOf({ plan, request }: Query, type: string, pack: string, kernels: string): Promise<string> {
  const { class: label, images, seed } = request;
  const parts = [VERSION, kernels, pack, plan.profile, pluginValues(plan), label ?? null, images, seed, type];
  return `"${await sha256(new TextEncoder().encode(JSON.stringify(parts)))}"`;
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
