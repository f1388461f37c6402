/** Starts the engine client (`client_program.ts`) in a process of its own, and speaks with it. */
import { fileURLToPath } from "node:url";
import { setInterval } from "node:timers";
import { engineName, withoutPassword } from "./engine_url.ts";
import { ClientEnded, openQuestions } from "./questions.ts";
import type { ClientStart, EngineAddress, FromClient, Outcome, Question, TakenJob, ToClient } from "./messages.ts";

/** A connection to an engine. Disposing of it ends the client at once; jobs that are open are taken over by others. */
export interface EngineClient extends AsyncDisposable {
  /** Asks a question; see `Questions`. */
  ask<T>(question: Question): Promise<T>;
  /** Says how a job ended. */
  end(job: string, outcome: Outcome): void;
  /** Takes no more jobs, waits for the outcomes of those that are open, and ends the client. */
  close(): Promise<void>;
  /** Resolves when the client has ended: to undefined if it was asked to, otherwise to why. */
  readonly ended: Promise<ClientEnd | undefined>;
}

/** Why a client ended that was not asked to. */
export interface ClientEnd {
  readonly why: string;
  /** Whether this process was silent for so long that others may have its jobs. */
  readonly isSilent: boolean;
}

/** What happens at an engine. */
export interface EngineEvents {
  /** A job was taken. */
  readonly taken?: (job: TakenJob) => void;
  /** The queue's packages said something, such as that the server may forget jobs. */
  readonly said?: (line: string) => void;
  /** The connection is broken, and is tried again; undefined when it is over. */
  readonly trouble: (why: string | undefined) => void;
}

/** The exit code of the client after this process was silent. */
const SILENT = 3;
/** Milliseconds between two signs of life: a fifth of the shortest lock. */
const ALIVE = 200;

/**
 * Connects to an engine.
 *
 * @throws {Error} if it cannot be reached, or if this process may not start the client
 */
export async function connectEngine(
  engine: EngineAddress,
  take: ClientStart["take"],
  events: EngineEvents,
): Promise<EngineClient> {
  const name = engineName(engine), clean = (text: string) => withoutPassword(engine, text);
  if (Deno.build.standalone) {
    throw new Error(`Cannot reach the engine ${name} from the compiled program: expected Deno`);
  }
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const host = name.slice(name.indexOf("//") + 2);
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--no-config"],
      ...["--frozen", `--lock=${file("engine.lock")}`, "--ignore-env", `--allow-net=${host}`],
      file("client_program.ts"),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = process.stdin.getWriter(), encoder = new TextEncoder();
  const send = (message: ClientStart | ToClient) => {
    input.write(encoder.encode(JSON.stringify(message) + "\n")).catch(() => {}); // it has ended, which `ended` says
  };
  const questions = openQuestions(send, clean);
  let trouble: string | undefined, isClosing = false;
  const ready = Promise.withResolvers<void>();

  const receive = (message: FromClient) => {
    if ("ready" in message) ready.resolve();
    else if ("taken" in message) events.taken?.(message.taken);
    else if ("trouble" in message) {
      trouble = message.trouble === null ? undefined : clean(message.trouble);
      events.trouble(trouble);
    } else questions.answered(message);
  };
  const alive = setInterval(() => send({ alive: true }), ALIVE);
  alive.unref();
  const lines = new Set<string>();
  const messages = (async () => {
    for await (const line of linesOf(process.stderr)) {
      const words = clean(line);
      // BullMQ warns for each of its connections.
      if (!lines.has(words) && /^(IMPORTANT|BullMQ)/.test(words)) events.said?.(`${name}: ${words}`);
      lines.add(words);
    }
  })();
  const ended = (async () => {
    for await (const line of linesOf(process.stdout)) receive(JSON.parse(line));
    const { code } = await process.status;
    await messages;
    clearInterval(alive);
    await input.close().catch(() => {});
    const why = `Cannot use the engine ${name}: ${
      trouble ?? [...lines].at(-1) ?? `its client ended with exit code ${code}`
    }`;
    questions.end(isClosing ? `The connection to the engine ${name} was closed` : why);
    ready.reject(new Error(why));
    return isClosing ? undefined : { why, isSilent: code === SILENT };
  })();
  send({ engine, take });
  await ready.promise;

  return {
    ask: questions.ask,
    end: (job, outcome) => send({ job, ended: outcome }),
    async close() {
      isClosing = true;
      send({ close: true });
      await ended;
    },
    ended,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await input.close().catch(() => {}); // at the end of its input, it ends
      await ended;
    },
  };
}

/**
 * What packages and servers say when a connection is broken, or a server is not yet, or no longer, there; and what PostgreSQL says when
 * it took back a transaction in favour of another, such as the last one of a command that was killed.
 */
const BROKEN =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|timeout|timed out|terminat|is closed|starting up|shutting down|not yet accepting|in recovery|LOADING|not queryable|deadlock detected/i;

/** Whether asking again may help after an error of `ask`: the engine is out of reach, or asks for another try. */
export function mayTryAgain(error: unknown): boolean {
  return !(error instanceof ClientEnded) && BROKEN.test((error as Error).message);
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const all = (rest + text).split("\n");
    rest = all.pop()!;
    yield* all;
  }
}
