/** Fuzzes the handler of requests: whatever is sent, there is an answer soon, and it is never status 500. */
import process from "node:process";
import { type Stream, stream } from "../../core/random.ts";
import { writePack } from "../../datasets/formats/pack.ts";
import { handler } from "../../hosts/edge/handler.ts";
import { PARAMETERS } from "../../hosts/edge/parameters.ts";
import { builtins } from "../../plugins/mod.ts";
import { smallPack } from "../datasets/formats/packs.ts";
import { compiled } from "../kernels_under_test.ts";

/** Milliseconds of the processor after which an answer is late, and those of the clock after which none will come. */
const HANG = 2000, NEVER = 60_000;
/** Of so many requests one is written to a connection as it is: malformed ones cannot be made otherwise. */
const RAW = 4;

/** Sends requests, each made from the random seed and its number. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}, plain = smallPack({ labelled: false, classwise: false });
  const packs = [smallPack(), { ...plain, profile: { ...plain.profile, name: "plain" } }].map(writePack);
  const answer = handler({ kernels: compiled("kernels.wasm"), packs, limits: { work: 2 ** 28, size: 64 }, waiting: 5 });
  const { hashes } = await addresses(answer), server = serve(answer);
  try {
    for (let n = 0; n < count; n++) {
      const random = stream(seed * 1_000_003 + n), request = randomRequest(random, hashes);
      const isRaw = n % RAW === 0, began = cpuTime();
      const sent = isRaw ? sendRaw(server.addr.port, request, random) : send(answer, request, random);
      const outcome = await inTime(sent), found = cpuTime() - began > HANG ? `hang: ${outcome}` : outcome;
      if (/^(hang|crash)/.test(found)) console.error(`request ${n} of seed ${seed}: ${found}`, JSON.stringify(request));
      counts[found] = (counts[found] ?? 0) + 1;
    }
  } finally {
    await server.shutdown();
  }
  return counts;
}

/** Milliseconds that this process has computed for, whatever else the machine does. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Waits for an outcome, but not for ever. */
async function inTime(outcome: Promise<string>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>(), timer = setTimeout(() => resolve("hang"), NEVER);
  return await Promise.race([outcome, promise]).finally(() => clearTimeout(timer));
}

type Answer = (request: Request) => Promise<Response>;

/** The hashes in the content addresses of a handler's profiles. */
async function addresses(answer: Answer): Promise<{ hashes: string[] }> {
  const { profiles } = await (await answer(new Request("http://localhost/profiles"))).json();
  return { hashes: profiles.map(({ address }: { address: string }) => address.split("/").at(-1)!) };
}

/** Serves a handler as `serve` does, without its messages. */
function serve(answer: Answer) {
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  return Deno.serve({ ...options, onError: () => new Response("thrown", { status: 500 }) }, answer);
}

/** A request before it is sent. */
interface Draft {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

const METHODS = [...Array<string>(20).fill("GET"), ..."HEAD HEAD OPTIONS POST PUT DELETE PATCH BREW get".split(" ")];
const TYPES = [
  "image/png",
  "application/json",
  "text/event-stream",
  "*/*",
  "image/*",
  "text/html",
  "",
  ";q=",
  "*/*;q=NaN",
];
const HOSTS = ["a b", "[::1", "evil.example:99999", "localhost:0", "%00", "..", "\u00e9.example", "x".repeat(300), ""];
const VALUES = [
  ..."small plain all none local-nn spatially-invariant tangent-plane detail gmm square horizontal mirror".split(" "),
  ..."map mean sample 0 1 2 5 7 64 65 -1 1e9 1e400 NaN 0x10 null true __proto__ constructor % %zz %ff & = [] {} \0"
    .split(" "),
  "9007199254740991",
  "4294967295",
  "\u{1f600}",
  "\ud800",
  "9".repeat(2000),
];
const SETTINGS = [
  ..."prior.neighbours prior.hubPenalty square.extent square.weight size size.0 patch channels aligned zStep".split(
    " ",
  ),
  ..."layers layers.0 layers.0.window layers.0.overlap layers.0.iterations layers.1.iterations layers.0.h.0".split(" "),
  ..."layers.0.rho.1 layers.1.lambda.0 layers.0.patch layers.0.order layers.0.feather layers.0.minOriginality".split(
    " ",
  ),
  ..."seedNoise layers.0.offsets.0.0 layers.0.prior layers.0.prior.neighbours name about __proto__.x a.b.c".split(" "),
];

/** Makes a request, near to a right one most of the time. */
function randomRequest(random: Stream, hashes: readonly string[]): Draft {
  const below = (n: number) => Math.floor(random.next() * n), chance = (part: number) => random.next() < part;
  const one = <T>(list: readonly T[]): T => list[below(list.length)];
  const text = () =>
    String.fromCharCode(...Array.from({ length: below(9) }, () => chance(0.8) ? 32 + below(95) : below(65536)));
  const value = () => chance(0.1) ? text() : one(VALUES);
  const numeric = () =>
    one(["0", "1", "2", "3", "8", "16", "32", "60000", "65536", "0.5", "-1", "1e-300", "1e300", value()]);
  const encoded = (part: string) => {
    try {
      return chance(0.9) ? encodeURIComponent(part) : part.replace(/[#\s]/g, "");
    } catch {
      return "%EF%BF%BD"; // half of a surrogate pair
    }
  };
  const parameter = (): string => {
    if (chance(0.35)) return `set=${encoded(`${one(SETTINGS)}=${numeric()}`)}`;
    const name = chance(0.95) ? one(Object.keys(PARAMETERS)) : text();
    const priors = builtins.plugins.map(({ name }) => name);
    return `${encoded(name)}=${encoded(name === "prior" || name === "context" ? one(priors) : value())}`;
  };
  const parameters = Array.from({ length: chance(0.02) ? 300 : below(4) }, parameter);
  const hash = one([...hashes, "0123456789abcdef", value()]);
  const paths = ["/synth", "/synth", "/synth", "/synth/stream", `/synth/${encoded(hash)}`, "/", "/health", "/profiles"];
  const path = chance(0.95) ? one(paths) : `/${encoded(text())}`;
  const headers: [string, string][] = [];
  if (chance(0.5)) headers.push(["Accept", chance(0.9) ? one(TYPES) : text()]);
  if (chance(0.1)) headers.push(["If-None-Match", one(['"x"', "*", 'W/"', "", text()])]);
  if (chance(0.1)) headers.push(["Origin", one(["null", "https://a.example", text()])]);
  if (chance(0.05)) headers.push(["Range", "bytes=0-1"]);
  if (chance(0.05)) headers.push([`X-${below(10)}`, "y".repeat(below(4000))]);
  const body = chance(0.1) ? text().repeat(1 + below(100)) : undefined;
  return {
    method: one(METHODS),
    target: path + (parameters.length > 0 ? `?${parameters.join("&")}` : ""),
    headers,
    body,
  };
}

/** Passes a request to the handler. Some clients go before they have the answer. */
async function send(answer: Answer, { method, target, headers, body }: Draft, random: Stream): Promise<string> {
  const abort = new AbortController(), goes = random.next() < 0.05;
  let request: Request;
  try {
    const withBody = !/^(GET|HEAD)$/i.test(method) ? body : undefined;
    request = new Request(`http://localhost${target}`, {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      body: withBody,
      signal: abort.signal,
    });
  } catch {
    return "not a request for fetch";
  }
  const timer = goes ? setTimeout(() => abort.abort(), 10 * random.next()) : undefined;
  try {
    return await judge(await answer(request), () => abort.signal.aborted);
  } catch (error) {
    return `crash: ${(error as Error).message}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Checks an answer; says what it is. The stream of a client that has gone may end at any event. */
async function judge(response: Response, gone: () => boolean): Promise<string> {
  const { status, headers } = response, type = headers.get("Content-Type") ?? "", bytes = await response.bytes();
  const text = type === "image/png" ? "" : new TextDecoder().decode(bytes);
  if (status >= 500 && status !== 503) return `crash: status ${status}`;
  if (bytes.length === 0) return `status ${status}, empty`;
  if (type === "image/png" && new DataView(bytes.buffer).getUint32(0) !== 0x89504e47) return "crash: no PNG";
  if (type === "text/event-stream") {
    const events = text.match(/^event: \w+/gm) ?? [];
    const isWhole = gone() || /event: (done|problem)$/.test(events.at(-1) ?? "");
    if (/"status":500/.test(text) || !isWhole) return "crash: stream";
  }
  if (type.includes("json")) JSON.parse(text);
  if (status >= 400 && type !== "application/problem+json") return `crash: status ${status} without a problem`;
  return `status ${status}`;
}

/** Writes a request to a connection, with a header Host that may be none. */
async function sendRaw(port: number, { method, target, headers, body = "" }: Draft, random: Stream): Promise<string> {
  const host = random.next() < 0.3 ? HOSTS[Math.floor(random.next() * HOSTS.length)] : "localhost";
  const lines = [["Host", host], ["Connection", "close"], ["Content-Length", String(body.length)], ...headers];
  const text = `${method} ${target} HTTP/1.1\r\n${
    lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n${body}`;
  const cut = random.next() < 0.03 ? Math.floor(random.next() * text.length) : undefined;
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    const writer = connection.writable.getWriter();
    await writer.write(new TextEncoder().encode(cut === undefined ? text : text.slice(0, cut)));
    if (cut !== undefined) {
      connection.close(); // the client goes in the middle of its request
      return "raw: cut off";
    }
    const answered = await new Response(connection.readable).text(), status = /^HTTP\/1\.1 (\d+)/.exec(answered)?.[1];
    return status === "500" ? "crash: raw, status 500" : `raw: status ${status ?? "none"}`;
  } catch (error) {
    return `raw: ${(error as Error).name}`;
  }
}
