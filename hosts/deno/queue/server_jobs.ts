/** What the engine client asks the servers themselves about jobs, because BullMQ does not: whose locks are alive, and which are sound. */
import type { PostgresServer, Queue, RedisServer } from "./bullmq.ts";

/** Asks a server about the jobs of a queue. */
export interface ServerJobs {
  /** How many jobs workers have that are alive. A worker that was killed has its jobs until their locks end. */
  held(): Promise<number>;
  /** Whether BullMQ can work with a job, and it was not set aside; or there is none. BullMQ says whether its JSON can be read. */
  isSound(id: string): Promise<boolean>;
  /** Lets jobs fail that are not sound, where they keep others from being taken. Returns what is wrong with each. */
  setAside(): Promise<string[]>;
}

/** The greatest number of a job. BullMQ adds to most of them, in PostgreSQL in 32 bits. Times are greater: it only compares them. */
const MOST = 999_999_999;
/** What a job is that is not sound. */
const UNSOUND = `expected numbers from 0 to ${MOST} and a job that is done once, got others`;

/** Opens the questions about a queue. */
export function serverJobs(queue: Queue): ServerJobs {
  const server = queue.getBackend();
  return "query" in server ? postgresJobs(queue.name, server) : redisJobs(queue.qualifiedName, server);
}

/** The numbers of a job in Redis, and what else is written beside its JSON. */
const NUMBERS = ["ats", "atm", "attemptsMade", "stc", "delay", "priority"], OTHERS = ["rjk", "parent"];

function redisJobs(prefix: string, server: RedisServer): ServerJobs {
  return {
    async held() {
      const client = await server.client, ids = new Set(await client.lrange(`${prefix}:active`, 0, -1));
      return ids.size === 0 ? 0 : await client.exists([...ids].map((id) => `${prefix}:${id}:lock`));
    },
    async isSound(id) {
      const fields = await (await server.client).hmget(`${prefix}:${id}`, ...NUMBERS, ...OTHERS);
      const numbers = fields.slice(0, NUMBERS.length), [rjk, parent] = fields.slice(NUMBERS.length);
      return numbers.every((number) => number === null || /^\d{1,9}$/.test(number)) && !rjk && isParent(parent);
    },
    setAside: () => Promise.resolve([]), // a worker that meets one goes on with the next
  };
}

/** Whether a text names the job that waits for this one, or is missing. */
function isParent(text: string | null): boolean {
  if (text === null) return true;
  try {
    const parent = JSON.parse(text);
    return ["id", "queueKey"].every((key) => typeof parent?.[key] === "string");
  } catch {
    return false;
  }
}

/** The numbers of a job in PostgreSQL. */
const COLUMNS = ["attempts_started", "attempts_made", "stalled_count", "pending_deps", "delay_ms", "priority"];
/** Whether BullMQ can work with a row. */
const SOUND = ["scheduler_id IS NULL", ...COLUMNS.map((name) => `${name} BETWEEN 0 AND ${MOST}`)].join(" AND ");
/** Lets the others fail, with numbers that it can work with when it removes them. */
const SET_ASIDE = `UPDATE job SET state = 'failed', failed_reason = $2, finished_at_ms = $3, lock_token = NULL,
  locked_until_ms = NULL, scheduler_id = NULL, ${COLUMNS.map((name) => `${name} = 0`).join(", ")}
  WHERE queue = $1 AND NOT (${SOUND}) RETURNING id`;

function postgresJobs(name: string, server: PostgresServer): ServerJobs {
  return {
    async held() {
      const alive = "SELECT id FROM job WHERE queue = $1 AND state = 'active' AND locked_until_ms > $2";
      return (await server.query(alive, [name, Date.now()])).rows.length;
    },
    async isSound(id) {
      const unsound = `SELECT id FROM job WHERE queue = $1 AND id = $2 AND (failed_reason = $3 OR NOT (${SOUND}))`;
      return (await server.query(unsound, [name, id, UNSOUND])).rows.length === 0;
    },
    async setAside() {
      const { rows } = await server.query(SET_ASIDE, [name, UNSOUND, Date.now()]);
      return rows.map(({ id }) => `${id}: ${UNSOUND}`);
    },
  };
}
