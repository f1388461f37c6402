/** Starts the engine client (`client_program.ts`) in a process of its own, and speaks with it. */
import { fileURLToPath } from "node:url";
import { setInterval } from "node:timers";
import { textOf } from "./client_errors.ts";
import { engineName, withoutPassword } from "./engine_url.ts";
import { ClientEnded, openQuestions, type Questions } from "./questions.ts";
import { linesOf, SILENT } from "./client_lines.ts";
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
  /** Why others may have its jobs, if that is the reason: this process or the client was silent for too long. */
  readonly silence?: string;
}

/** What happens at an engine. */
export interface EngineEvents {
  /** A job was taken. */
  readonly taken?: (job: TakenJob) => void;
  /** The queue's packages warned, for instance that the server may forget jobs. */
  readonly warned?: (line: string) => void;
  /** The connection is broken, and is tried again; undefined when it is over. */
  readonly trouble: (why: string | undefined) => void;
}

/** Milliseconds between two signs of life: a fifth of the shortest lock. */
const ALIVE = 200;
/** Seconds without an answer after which a client is ended: the packages of the queue have been seen to work for ever. */
const PATIENCE = 60;

/**
 * Connects to an engine.
 *
 * @param patience seconds after which a client is ended that gives no sign of life
 * @throws {Error} if it cannot be reached, or if this process may not start the client
 */
export async function connectEngine(
  engine: EngineAddress,
  take: ClientStart["take"],
  events: EngineEvents,
  patience = PATIENCE,
): Promise<EngineClient> {
  if (Deno.build.standalone) {
    throw new Error(`Cannot reach the engine ${engineName(engine)} from the compiled program: expected Deno`);
  }
  const client = new ClientProcess(engine, events, patience);
  await client.connect(take);
  return client;
}

/** The client's process, and what passes through its standard streams. */
class ClientProcess implements EngineClient {
  readonly ended: Promise<ClientEnd | undefined>;
  readonly #engine: EngineAddress;
  readonly #events: EngineEvents;
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #questions: Questions;
  readonly #ready = Promise.withResolvers<void>();
  /** The lines of its standard error, and those of its standard output that are no messages, each once. */
  readonly #errors = new Set<string>();
  /** What is wrong with the connection. */
  #trouble: string | undefined;
  #isClosing = false;
  /** Seconds until a client without signs of life is ended, and signs of life that it has left unanswered. */
  readonly #patience: number;
  #unanswered = 0;

  constructor(engine: EngineAddress, events: EngineEvents, patience: number) {
    this.#engine = engine;
    this.#patience = patience;
    this.#events = events;
    this.#process = startProcess(engine);
    this.#input = this.#process.stdin.getWriter();
    this.#questions = openQuestions((message) => this.#send(message), (text) => this.#clean(text));
    this.ended = this.#listen();
  }

  /** Connects to the engine, and takes jobs if asked to. */
  async connect(take: ClientStart["take"]): Promise<void> {
    this.#send({ engine: this.#engine, take });
    await this.#ready.promise;
  }

  ask<T>(question: Question): Promise<T> {
    return this.#questions.ask(question);
  }

  end(job: string, outcome: Outcome): void {
    this.#send({ job, ended: outcome });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#send({ close: true });
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#input.close().catch(() => {}); // at the end of its input, it ends
    await this.ended;
  }

  #send(message: ClientStart | ToClient): void {
    const line = JSON.stringify(message) + "\n";
    this.#input.write(new TextEncoder().encode(line)).catch(() => {}); // it has ended, which `ended` says
  }

  /** Takes the client's messages until it ends. Returns why it ended, if it was not asked to. */
  async #listen(): Promise<ClientEnd | undefined> {
    const alive = setInterval(() => this.#signalLife(), ALIVE);
    alive.unref();
    const errors = this.#readErrors();
    for await (const line of linesOf(this.#process.stdout)) {
      const message = messageOf(line);
      if (message) this.#receive(message);
      else this.#noteError(line);
    }
    const { code, signal } = await this.#process.status;
    await errors;
    clearInterval(alive);
    await this.#input.close().catch(() => {});
    const name = engineName(this.#engine), isHung = this.#isHung;
    // What V8 prints when it ends is no sentence. A job of hundreds of megabytes ends it.
    const crash = signal && !isHung
      ? `crashed (${signal}): a job may be too large for it, or the memory full`
      : undefined;
    const reason = isHung
      ? `its client gave no sign of life for ${this.#patience} seconds`
      : crash
      ? `its client ${crash}`
      : this.#trouble ?? [...this.#errors].at(-1) ?? `its client ended with exit code ${code}`;
    const why = `Cannot use the engine ${name}: ${reason}`;
    this.#questions.end(this.#isClosing ? `The connection to the engine ${name} was closed` : why);
    this.#ready.reject(new Error(why));
    if (this.#isClosing) return undefined;
    const silence = code === SILENT
      ? "This process was suspended for longer than --lock"
      : isHung
      ? `The client of the engine gave no sign of life for ${this.#patience} seconds`
      : crash && `The client of the engine ${crash}`;
    return { why, silence };
  }

  /** Says that this process is alive, and ends a client that does not say so. A suspended process counts nothing. */
  #signalLife(): void {
    this.#send({ alive: true });
    this.#unanswered++;
    if (!this.#isHung) return;
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
  }

  get #isHung(): boolean {
    return this.#unanswered * ALIVE > this.#patience * 1000;
  }

  #receive(message: FromClient): void {
    this.#unanswered = 0;
    if ("alive" in message) return;
    if ("ready" in message) this.#ready.resolve();
    else if ("taken" in message) this.#events.taken?.(message.taken);
    else if ("unreadable" in message) {
      const job = `a job in the queue cannot be read, and stays there: ${this.#clean(message.unreadable)}`;
      this.#events.warned?.(`${engineName(this.#engine)}: ${job}`);
    } else if ("trouble" in message) {
      this.#trouble = message.trouble === null ? undefined : this.#clean(message.trouble);
      this.#events.trouble(this.#trouble);
    } else this.#questions.answered(message);
  }

  async #readErrors(): Promise<void> {
    for await (const line of linesOf(this.#process.stderr)) this.#noteError(line);
  }

  #noteError(line: string): void {
    const text = this.#clean(line);
    // BullMQ warns for each of its connections.
    const isNew = !this.#errors.has(text);
    if (isNew && /^(IMPORTANT|BullMQ)/.test(text)) this.#events.warned?.(`${engineName(this.#engine)}: ${text}`);
    this.#errors.add(text);
  }

  #clean(text: string): string {
    return withoutPassword(this.#engine, text);
  }
}

/** The message in a line of the client; undefined if the line is none, as what a package of the queue prints. */
function messageOf(line: string): FromClient | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Starts the client with the permission to reach the engine's host and no other. */
function startProcess(engine: EngineAddress): Deno.ChildProcess {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const name = engineName(engine);
  const host = name.slice(name.indexOf("//") + 2);
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--no-config"],
      ...["--frozen", `--lock=${file("engine.lock")}`, "--ignore-env", `--allow-net=${host}`],
      file("client_program.ts"),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/**
 * What packages and servers say when a connection is broken, or a server is not yet, or no longer, there; and what PostgreSQL says when
 * it took back a transaction in favour of another, such as the last one of a command that was killed.
 */
const BROKEN =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|timeout|timed out|terminat|is closed|starting up|shutting down|not yet accepting|in recovery|LOADING|not queryable|deadlock detected/i;

/** Whether asking again may help after an error of `ask`: the engine is out of reach, or asks for another try. */
export function mayTryAgain(error: unknown): boolean {
  return !(error instanceof ClientEnded) && BROKEN.test(textOf(error));
}
