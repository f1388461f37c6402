/**
 * Synthesis over HTTP: a `fetch` handler for any host that has requests and responses. It compiles nothing, reads no file and
 * no clock. Its host hands in the compiled kernels and the packs.
 *
 * @example
 * ```ts
 * import { handler } from "@patchloom/patchloom/edge";
 *
 * export async function serve(kernels: BufferSource, pack: Uint8Array) {
 *   return { fetch: handler({ kernels: await WebAssembly.compile(kernels), packs: [pack] }) };
 * }
 * ```
 *
 * @module
 */
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { cors } from "hono/cors";
import { kernelHash } from "../../core/kernels.ts";
import type { Registry } from "../../core/registry.ts";
import { VERSION } from "../../core/version.ts";
import { builtins } from "../../plugins/mod.ts";
import { asProblem, Problem } from "./problem.ts";
import { type Limits, readQuery } from "./query.ts";
import { HASH_DIGITS, openProfiles, type ServedProfiles } from "./served_profiles.ts";
import { profileList, startPage } from "./start_page.ts";
import { answerSynth, TYPES } from "./synth.ts";

export type { Limits };

/** Options of a handler. */
export interface HandlerOptions {
  /** The compiled `kernels.wasm`. */
  readonly kernels: WebAssembly.Module;
  /** The bytes of packs, one for each profile that is served. The first one's profile is the default. */
  readonly packs: readonly Uint8Array[];
  /** The plugins that requests can name; by default the built-in ones. */
  readonly plugins?: Registry;
  /**
   * Limits of a request; by default 64 images, sides of 256 pixels, neighbour windows of 4 pixels, 256 MB, and 2 * 10^10 comparisons,
   * some seconds.
   */
  readonly limits?: Partial<Limits>;
  /** The most requests in each profile's queue, including the one at work; by default 100. Further ones get status 503. */
  readonly waiting?: number;
  /** The path before all routes, such as "/api"; by default "". */
  readonly base?: string;
  /**
   * Names the code of `plugins`: give another text whenever they change, so that the content addresses change, too. By default "".
   */
  readonly revision?: string;
}

const METHODS = "GET, HEAD, OPTIONS";
const NO_STORE = { headers: { "Cache-Control": "no-store" } };

/** Answers a request of one route. */
type Route = (request: Request) => Response | Promise<Response>;

/**
 * Makes a `fetch` handler. Its routes: `/` (a page with examples), `/synth` (images), `/synth/HASH` (the same at a content
 * address, which caches may keep for ever), `/synth/stream` (every iteration as server-sent events), `/profiles` (profiles and
 * plugins as JSON) and `/health`. Requests that cannot be answered get
 * `application/problem+json` (RFC 9457).
 *
 * @example
 * ```ts
 * import { digits, writePack } from "@patchloom/patchloom";
 * import { handler } from "@patchloom/patchloom/edge";
 *
 * // Usually the bytes of a file that `deno task pack` wrote.
 * const pixels = Uint8Array.from({ length: 40 * 32 * 32 }, (_, i) => (i * i) % 256);
 * const train = { images: { count: 40, height: 32, width: 32, pixels } };
 * const seeds = { count: 1, height: 4, width: 4, images: new Float32Array(16).fill(0.5) };
 * const pack = { profile: digits, origin: "a pattern", train, seeds };
 * const kernels = await WebAssembly.compile(await Deno.readFile("assembly/kernels.wasm"));
 * const fetch = handler({ kernels, packs: [writePack(pack)] });
 * const response = await fetch(new Request("http://localhost/synth?seed=1"));
 * console.log(response.headers.get("Content-Type")); // image/png
 * ```
 *
 * @throws {Error} if a pack cannot be read, or if two packs have profiles of one name
 */
export function handler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const { kernels, packs, plugins = builtins, waiting = 100, base = "", revision = "" } = options;
  const limits: Limits = { count: 64, size: 256, window: 4, memory: 256 * 2 ** 20, work: 2e10, ...options.limits };
  const sha256 = kernelHash(kernels), program = JSON.stringify([VERSION, sha256, revision]);
  const profiles = openProfiles(kernels, packs, plugins, { memory: limits.memory, waiting, program });
  const synth = (request: Request, type: typeof TYPES[number], hash?: string) => {
    const query = readQuery(new URL(request.url).searchParams, profiles, plugins, limits);
    return answerSynth(request, query, { type, kernels: sha256, path: `${base}/synth`, hash });
  };
  return routed(base, routesOf(profiles, plugins, base, limits, synth), (request, type, hash) => {
    const supported = TYPES.find((one) => one === type);
    if (supported) return synth(request, supported, hash);
    const detail = `Expected Accept to allow one of ${TYPES.join(", ")}, got ${request.headers.get("Accept")}`;
    throw new Problem(406, "Accept", detail, { Vary: "Accept" });
  });
}

/** Returns the routes that have one media type each. */
function routesOf(
  profiles: ServedProfiles,
  plugins: Registry,
  base: string,
  limits: Limits,
  synth: (request: Request, type: typeof TYPES[number]) => Promise<Response>,
): Readonly<Record<string, Route>> {
  return {
    "/": async () => {
      return new Response(await startPage(profiles, base, limits), {
        headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" },
      });
    },
    "/health": () => Response.json({ status: "ok", patchloom: VERSION, profiles: [...profiles.keys()] }, NO_STORE),
    "/profiles": async () => {
      return Response.json(await profileList(profiles, plugins, base), { headers: { "Cache-Control": "no-cache" } });
    },
    "/synth/stream": (request) => synth(request, "text/event-stream"),
  };
}

/**
 * Serves the routes, and `/synth` with the media type that the client prefers ("" if it accepts none of them) and the hash of its
 * address.
 */
function routed(
  base: string,
  routes: Readonly<Record<string, Route>>,
  synth: (request: Request, type: string, hash?: string) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const app = new Hono().basePath(base);
  app.use(cors({ origin: "*", allowMethods: METHODS.split(", "), exposeHeaders: ["ETag"], maxAge: 86400 }));
  for (const [path, answer] of Object.entries(routes)) app.get(path, (c) => answer(c.req.raw));
  const hashed = `/synth/:hash{[0-9a-f]{${HASH_DIGITS}}}`;
  for (const path of ["/synth", hashed]) {
    app.get(path, (c) => {
      const anything = /(^|,)\s*\*\/\*/.test(c.req.header("Accept") ?? "*/*");
      const otherwise = anything ? TYPES[0] : "";
      const type = accepts(c, { header: "Accept", supports: [...TYPES], default: otherwise });
      return synth(c.req.raw, type, c.req.param("hash"));
    });
  }
  const paths = ["/synth", ...Object.keys(routes)];
  for (const path of [...paths, hashed]) {
    app.all(path, (c) => {
      throw new Problem(405, "method", `Expected one of ${METHODS}, got ${c.req.method}`, { Allow: METHODS });
    });
  }
  app.notFound((c) => {
    const known = paths.map((path) => base + path).join(", ");
    return new Problem(404, "path", `Expected one of ${known}, got ${c.req.path}`).toResponse();
  });
  app.onError((error) => asProblem(error).toResponse());
  return async (request) => {
    // The host builds the address from the header Host, which may be anything.
    if (!URL.canParse(request.url)) {
      return new Problem(400, "Host", "Expected a header Host that is a host name with or without a port").toResponse();
    }
    return await app.fetch(request);
  };
}
