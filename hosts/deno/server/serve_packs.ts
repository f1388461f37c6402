/** Serves packs over HTTP until a signal comes. */
import { handler, type HandlerOptions, lastForwarded } from "@patchloom/patchloom/edge";
import { readModule } from "../system/kernels_file.ts";
import { handlerHash } from "../system/program_hash.ts";
import { reason } from "../system/reason.ts";
import { readSmallFile } from "../system/small_file.ts";
import { stopSignals } from "../system/stop_signals.ts";

/** What is asked for. */
export interface ServeRequest extends Pick<HandlerOptions, "limits" | "waiting" | "waitSeconds"> {
  /** Paths of packs. */
  readonly packs: readonly string[];
  /** The port; 0: any free one. */
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** The file with the key of signed addresses. */
  readonly sign?: string;
  /** The header in which a proxy says who asks. */
  readonly clientHeader?: string;
}

/** Milliseconds before the server listens again. */
const AGAIN = 500;
/** Milliseconds that open requests have at a signal. Docker ends a container 10 s after it. */
const GRACE = 8000;
/** Bytes of a key's file, at most. */
const MAX_KEY = 4096;

/** Answers a request that came over the network. */
type Answer = (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => Promise<Response>;

/**
 * Serves packs until a signal comes, and for some seconds more while requests are open. Clients that open connections and ask for
 * nothing can take all files that a process may have: then all connections are closed, and the server listens again.
 *
 * @throws {Error} if a file cannot be read or is not what it should be; if the host or the port cannot be used
 */
export async function servePacks(request: ServeRequest): Promise<void> {
  const { host, port } = request, answer = await openAnswer(request);
  using signals = stopSignals();
  signals.listen();
  const { signal } = signals, first = listen(host, port, answer, signal), used = first.server.addr.port;
  console.error(`Listening on http://${host}:${used}/`);
  for (let listening: Listening | undefined = first; listening;) {
    const why = await listening.end;
    if (signal.aborted) return;
    console.error(`Closing all connections, and listening again: ${why}`);
    listening.close();
    listening = await listenAgain(host, used, answer, signal);
  }
}

/** A server that listens. */
interface Listening {
  readonly server: Deno.HttpServer<Deno.NetAddr>;
  /** Resolves with the reason when it listens no more, or when the time of open requests is over. */
  readonly end: Promise<string>;
  /** Closes all connections. */
  close(): void;
}

/** Listens on a port until the signal aborts. Then open requests go on. */
function listen(host: string, port: number, answer: Answer, signal: AbortSignal): Listening {
  const closing = new AbortController(), isOver = Promise.withResolvers<string>();
  try {
    const options = { port, hostname: host, signal: closing.signal, onListen: () => {} };
    const server = Deno.serve(options, answer);
    const stop = () => {
      server.shutdown();
      setTimeout(() => isOver.resolve("the time of open requests is over"), GRACE);
    };
    signal.addEventListener("abort", stop, { signal: closing.signal });
    const finished = server.finished.then(() => "it was stopped", reason);
    return { server, end: Promise.race([finished, isOver.promise]), close: () => closing.abort() };
  } catch (cause) {
    throw new Error(`Cannot listen on ${host}:${port}: ${listenReason(cause)}`, { cause });
  }
}

/** Why a server cannot listen. Deno would advise a flag that the task does not take. */
function listenReason(error: unknown): string {
  if (!(error instanceof Deno.errors.NotCapable)) return reason(error);
  return "it may not; deno task serve listens on 127.0.0.1 (this machine only) and 0.0.0.0 (all addresses)";
}

/** Listens on a port as soon as it is free; undefined once the signal aborts. */
async function listenAgain(
  host: string,
  port: number,
  answer: Answer,
  signal: AbortSignal,
): Promise<Listening | undefined> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    try {
      if (!signal.aborted) return listen(host, port, answer, signal);
    } catch {
      // The port is not free yet.
    }
  }
}

/** Reads the packs, and opens what answers requests with them. */
async function openAnswer(request: ServeRequest): Promise<Answer> {
  const { packs: paths, sign, clientHeader, limits, waiting, waitSeconds } = request;
  const { module } = await readModule(false);
  const packs = await Promise.all(paths.map((path) => {
    return Deno.readFile(path).catch((cause) => {
      throw new Error(`Cannot read ${path}: ${reason(cause)}`, { cause });
    });
  }));
  const signingKey = sign === undefined ? undefined : (await readSmallFile(sign, `use --sign ${sign}`, MAX_KEY)).trim();
  /** The addresses that requests come from. */
  const addresses = new WeakMap<Request, string>();
  // The client is in the last entry of the proxy's header, which the proxy appends to those that clients send.
  const client = (request: Request) => {
    const value = clientHeader === undefined ? null : request.headers.get(clientHeader);
    return (value === null ? undefined : lastForwarded(clientHeader!, value)) ?? addresses.get(request);
  };
  const options = { kernels: module, packs, client, signingKey, limits, waiting, waitSeconds };
  // A compiled program may lack the files of its code. It has a version.
  const code = await handlerHash().catch(() => undefined);
  const respond = openHandler({ ...options, ...code !== undefined && { code } }, paths);
  return async (request, { remoteAddr }) => {
    addresses.set(request, remoteAddr.hostname);
    const response = await respond(request);
    if (request.method !== "HEAD" || response.status === 304) return response;
    // For a response without a body Deno would send a length of 0, not that of a GET. For a stream it sends no length.
    return new Response(new Blob().stream(), response);
  };
}

/** Opens a handler; the sentence of an error names the files of the packs. */
function openHandler(options: HandlerOptions, paths: readonly string[]): ReturnType<typeof handler> {
  try {
    return handler(options);
  } catch (cause) {
    const why = (cause as Error).message.replace(/^Cannot serve the packs?: /, "");
    throw new Error(`Cannot serve ${paths.join(", ")}: ${why}`, { cause });
  }
}
