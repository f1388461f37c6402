/**
 * Synthesis behind an address: a `fetch` handler for any host that speaks requests and responses. It compiles nothing, reads
 * no file, asks no clock: the compiled kernels and the packs are handed in.
 *
 * @module
 */
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { cors } from "hono/cors";
import { kernelHash, kernelMemory, loadKernels } from "../../core/kernels.ts";
import type { Plan } from "../../core/plan.ts";
import type { Registry } from "../../core/registry.ts";
import { VERSION } from "../../core/version.ts";
import {
  openSynthesizer,
  type SynthesisProgress,
  type SynthesisResult,
  type Synthesizer,
} from "../../pipelines/synthesis/synthesizer.ts";
import { readPack } from "../../datasets/formats/pack.ts";
import { builtins } from "../../plugins/mod.ts";
import { describe, picture, stepEvent } from "./answers.ts";
import { eventStream } from "./event_stream.ts";
import { type Queue, queue } from "./queue.ts";
import { Problem } from "./problem.ts";
import { type Limits, type Query, readQuery } from "./query.ts";
import { profileList, startPage } from "./start_page.ts";

/** What a handler is made of. */
export interface HandlerOptions {
  /** The compiled `kernels.wasm`. */
  readonly kernels: WebAssembly.Module;
  /** The bytes of packs, one for each profile that is served; the first one's is the default. */
  readonly packs: readonly Uint8Array[];
  /** The built-in plugins where they are left out. */
  readonly plugins?: Registry;
  /** In place of 64 images of 256x256 at the most, neighbour windows of 4, and 256 MB. */
  readonly limits?: Partial<Limits>;
  /** The most requests that synthesize or wait for it; further ones are told to try again (100). */
  readonly waiting?: number;
  /** Where the addresses begin, such as "/api". */
  readonly base?: string;
}

/** The ways to answer `/synth`; the first where anything is welcome. */
const TYPES = ["image/png", "application/json", "text/event-stream"] as const;
const FOREVER = "public, max-age=31536000, immutable";
const METHODS = "GET, HEAD, OPTIONS";
/** A pause after this many pixels were worked on: some milliseconds, a batch of digits, an iteration of a face. */
const PAUSE_PIXELS = 2 ** 14;

/** A profile that is served. Synthesizers share no memory, so that two of them can work in turns. */
interface Served {
  readonly synthesizer: Synthesizer;
  readonly line: Queue;
  /** Of the pack's bytes. */
  sha256(): Promise<string>;
}

/** Makes a `fetch` handler. Throws one sentence where a pack is none. */
export function handler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const { packs, plugins = builtins, waiting = 100, base = "" } = options;
  const limits: Limits = { count: 64, size: 256, window: 4, memory: 256 * 2 ** 20, ...options.limits };
  const kernelsSha256 = kernelHash(options.kernels);
  const served = packs.map((bytes): Served => {
    const kernels = loadKernels(options.kernels, kernelMemory(), { to: limits.memory });
    const synthesizer = openSynthesizer(kernels, readPack(bytes), plugins, limits.memory / 4);
    return { synthesizer, line: queue(waiting), sha256: once(() => sha256(bytes)) };
  });
  const servedBy = (synthesizer: Synthesizer) => served.find((one) => one.synthesizer === synthesizer)!;
  const synthesizers = new Map(served.map(({ synthesizer }) => [synthesizer.pack.profile.name, synthesizer]));
  if (synthesizers.size < Math.max(packs.length, 1)) {
    const names = served.map(({ synthesizer }) => synthesizer.pack.profile.name).join(", ") || "none";
    throw new Error(`Cannot serve the packs: expected one or more, of profiles with different names, found ${names}`);
  }

  /** Synthesizes when it is this request's turn; undefined where its client went away. */
  async function make(query: Query, stopped: () => boolean, seen: (step: SynthesisProgress) => boolean) {
    const { synthesizer, changedBy } = query;
    try {
      return await servedBy(synthesizer).line.run(query.make, seen, stopped);
    } catch (error) {
      // A plan that is right in itself may still ask for more memory than there is, or for numbers that overflow.
      if (error instanceof Problem || !changedBy) throw error;
      throw new Problem(400, changedBy, `Cannot synthesize with these values: ${(error as Error).message}`);
    }
  }

  async function synth(request: Request, type: typeof TYPES[number]): Promise<Response> {
    const query = readQuery(new URL(request.url).searchParams, synthesizers, plugins, limits);
    const { synthesizer, synthesisRequest, plan } = query, pack = await servedBy(synthesizer).sha256();
    const stopped = () => request.signal?.aborted ?? false;
    const describeAll = (made: SynthesisResult) => {
      return describe(made, synthesizer.pack, { seed: synthesisRequest.seed, pack, kernels: kernelsSha256 });
    };
    if (type === "text/event-stream") {
      const headers = { "Content-Type": type, "Cache-Control": "no-store", "Vary": "Accept" };
      if (request.method === "HEAD") return new Response(null, { headers });
      return new Response(
        eventStream((send, gone) =>
          make(query, () => stopped() || gone(), (step) => {
            send("step", stepEvent(step));
            return true;
          }).then((made) => made && send("done", describeAll(made))), asProblem),
        { headers },
      );
    }
    const { class: label, images, seed } = synthesisRequest;
    const parts = [VERSION, kernelsSha256, pack, plan.profile, optionsOf(plan), label ?? null, images, seed, type];
    const etag = `"${await sha256(new TextEncoder().encode(JSON.stringify(parts)))}"`;
    const headers = { "Content-Type": type, "ETag": etag, "Cache-Control": FOREVER, "Vary": "Accept" };
    if (matches(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
    if (request.method === "HEAD") return new Response(null, { headers });
    let pixels = 0;
    const made = await make(query, stopped, ({ images }) => {
      const full = (pixels += images.length) >= PAUSE_PIXELS;
      if (full) pixels = 0;
      return full;
    });
    if (!made) return new Response(null, { status: 499, headers: { "Cache-Control": "no-store" } });
    const body = type === "image/png"
      ? picture(made, synthesizer.pack)
      : JSON.stringify(describeAll(made), null, 2) + "\n";
    return new Response(body, { headers });
  }

  /** `/synth`, answered by what is welcome. */
  function negotiated(request: Request, type: string): Promise<Response> {
    const found = TYPES.find((one) => one === type);
    if (found) return synth(request, found);
    const detail = `Expected Accept to allow one of ${TYPES.join(", ")}, found ${request.headers.get("Accept")}`;
    throw new Problem(406, "Accept", detail, { Vary: "Accept" });
  }

  const app = new Hono().basePath(base);
  app.use(cors({ origin: "*", allowMethods: METHODS.split(", "), exposeHeaders: ["ETag"], maxAge: 86400 }));
  const routes: Record<string, (request: Request) => Response | Promise<Response>> = {
    "/": () => new Response(startPage(synthesizers, base), { headers: { "Content-Type": "text/html; charset=utf-8" } }),
    "/health": () => Response.json({ status: "ok", patchloom: VERSION, profiles: [...synthesizers.keys()] }, NO_STORE),
    "/profiles": () => Response.json(profileList(synthesizers, plugins)),
    "/synth/stream": (request) => synth(request, "text/event-stream"),
  };
  for (const [path, answer] of Object.entries(routes)) app.get(path, (c) => answer(c.req.raw));
  app.get("/synth", (c) => {
    const anything = /(^|,)\s*\*\/\*/.test(c.req.header("Accept") ?? "*/*");
    const otherwise = anything ? TYPES[0] : "";
    return negotiated(c.req.raw, accepts(c, { header: "Accept", supports: [...TYPES], default: otherwise }));
  });
  for (const path of [...Object.keys(routes), "/synth"]) {
    app.all(path, (c) => {
      throw new Problem(405, "method", `Expected one of ${METHODS}, found ${c.req.method}`, { Allow: METHODS });
    });
  }
  app.notFound((c) => {
    const known = ["/synth", ...Object.keys(routes)].map((path) => base + path).join(", ");
    return new Problem(404, "path", `Expected one of ${known}, found ${c.req.path}`).toResponse();
  });
  app.onError((error) => asProblem(error).toResponse());
  return async (request) => await app.fetch(request);
}

/** An error as a problem; one that no request should be able to cause is told to the host's log. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem(500, "path", "Expected an answer, found an error of the server's own");
}

const NO_STORE = { headers: { "Cache-Control": "no-store" } };

/** The values of a plan's plugins, which a profile may leave to their defaults. */
function optionsOf({ prior, contexts }: Plan): object {
  return [prior, ...contexts].map(({ plugin, values }) => [plugin.name, values]);
}

/** Whether an If-None-Match header names a tag. */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").map((tag) => tag.trim().replace(/^W\//, "")).some((tag) => tag === etag || tag === "*");
}

/** A function that does its work when it is first called. */
function once<T>(work: () => T): () => T {
  let done: { result: T } | undefined;
  return () => (done ??= { result: work() }).result;
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
