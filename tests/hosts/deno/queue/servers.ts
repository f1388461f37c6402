/** Servers for tests of the engine: Redis and PostgreSQL on free ports, in temporary folders, with a password and with TLS. */
import { assert } from "@std/assert";
import { join } from "@std/path";
import { installedProgram } from "../../../programs.ts";
import { until } from "../../../until.ts";
import { withFolder } from "../with_folder.ts";

/** The password of the servers, which must never be seen anywhere. */
export const PASSWORD = "hush% $ecret";

/** A server that can be stopped and started again with what it holds. */
export interface Server extends AsyncDisposable {
  readonly kind: "redis" | "postgres";
  readonly port: number;
  /** Its address with the password, on another port and host if these are given. */
  url(port?: number): string;
  /** The same with TLS. */
  readonly secureUrl: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const REDIS = "redis-server";
/** Where Debian puts PostgreSQL's programs, and where others do. */
const POSTGRES = [
  "/usr/lib/postgresql/17/bin",
  "/usr/lib/postgresql/16/bin",
  "/usr/lib/postgresql/15/bin",
  "/usr/local/bin",
  "/usr/bin",
];

/** Whether both servers and openssl are there. Prints what is missing. Throws where PATCHLOOM_ALL_HOSTS is set: then nothing may be. */
export function hasServers(): boolean {
  const missing = [REDIS, "openssl"].filter((name) => !installedProgram([name]));
  if (!postgresFolder()) missing.push("postgresql");
  if (missing.length === 0) return true;
  const reason = `engine: skipped, because there is no ${missing.join(", ")}`;
  if (Deno.env.get("PATCHLOOM_ALL_HOSTS")) throw new Error(reason);
  console.log(reason);
  return false;
}

export function postgresFolder(): string | undefined {
  return POSTGRES.find((folder) => installedProgram(["initdb"], folder));
}

/** A port that nobody uses. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A certificate of an authority of its own, in a folder: `ca.pem`, `key.pem`, `cert.pem` for 127.0.0.1. */
export async function certificates(folder: string): Promise<void> {
  await run("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=engine", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
    ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
  ]);
  await Deno.copyFile(join(folder, "cert.pem"), join(folder, "ca.pem"));
}

async function run(name: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(name, { args: [...args], stdout: "null", stderr: "piped" })
    .output();
  if (!success) throw new Error(`${name}: ${new TextDecoder().decode(stderr)}`);
}

/** A test beside new servers, or none where they are not installed. */
export function serverTest(name: string, test: (servers: { redis: Server; postgres: Server }) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !hasServers(),
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await withFolder(async (temporary) => {
        const folder = await Deno.realPath(temporary), at = (name: string) => join(folder, name);
        await Deno.chmod(folder, 0o755); // another user runs PostgreSQL
        for (const name of ["certs", "redis", "postgres"]) await Deno.mkdir(at(name));
        await certificates(at("certs"));
        await using redis = await startRedis(at("redis"), at("certs"));
        await using postgres = await startPostgres(at("postgres"), at("certs"));
        await test({ redis, postgres });
      });
    },
  });
}

async function isOpen(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

/** Starts Redis with an append-only file: what was answered is there after a restart. */
export async function startRedis(folder: string, certs: string): Promise<Server> {
  const port = freePort(), tls = freePort(), secret = encodeURIComponent(PASSWORD);
  const config = [
    `port ${port}`,
    `tls-port ${tls}`,
    `tls-cert-file ${certs}/cert.pem`,
    `tls-key-file ${certs}/key.pem`,
    "tls-auth-clients no",
    "bind 127.0.0.1",
    `dir ${folder}`,
    "appendonly yes",
    "appendfsync always",
    'save ""',
    `requirepass "${PASSWORD}"`,
  ];
  await Deno.writeTextFile(join(folder, "redis.conf"), config.join("\n") + "\n");
  let process: Deno.ChildProcess | undefined;
  const server: Server = {
    kind: "redis",
    port,
    url: (other = port) => `redis://:${secret}@127.0.0.1:${other}`,
    secureUrl: `rediss://:${secret}@127.0.0.1:${tls}`,
    async stop() {
      process?.kill("SIGTERM");
      await process?.status;
      process = undefined;
    },
    async start() {
      process = new Deno.Command(REDIS, { args: [join(folder, "redis.conf")], stdout: "null", stderr: "null" }).spawn();
      await until("Redis", () => isOpen(port));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  await server.start();
  return server;
}

/** Starts PostgreSQL, which does not run as root: it becomes the user `nobody` there. */
export async function startPostgres(folder: string, certs: string): Promise<Server> {
  const bin = postgresFolder()!, data = join(folder, "data"), port = freePort(), secret = encodeURIComponent(PASSWORD);
  const isRoot = Deno.uid() === 0;
  const asUser = (words: readonly string[]): [string, string[]] => {
    if (!isRoot) return [words[0], words.slice(1)];
    return ["setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", ...words]];
  };
  for (const file of ["cert.pem", "key.pem"]) await Deno.copyFile(join(certs, file), join(folder, file));
  await Deno.chmod(join(folder, "key.pem"), 0o600);
  await Deno.writeTextFile(join(folder, "password"), PASSWORD);
  if (isRoot) await run("chown", ["-R", "65534:65534", folder]);
  const login = ["-U", "patchloom", "-A", "scram-sha-256", `--pwfile=${join(folder, "password")}`];
  await run(...asUser([join(bin, "initdb"), "-D", data, "-N", "--locale=C", "-E", "UTF8", ...login]));
  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ssl: "on",
    ssl_cert_file: join(folder, "cert.pem"),
    ssl_key_file: join(folder, "key.pem"),
    shared_buffers: "16MB",
  };
  let process: Deno.ChildProcess | undefined;
  const server: Server = {
    kind: "postgres",
    port,
    url: (other = port) => `postgres://patchloom:${secret}@127.0.0.1:${other}/postgres`,
    secureUrl: `postgres://patchloom:${secret}@127.0.0.1:${port}/postgres?sslmode=verify-full`,
    async stop() {
      process?.kill("SIGINT"); // does not wait for its clients
      await process?.status;
      process = undefined;
    },
    async start() {
      const words = [
        join(bin, "postgres"),
        "-D",
        data,
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ];
      const [name, args] = asUser(words);
      process = new Deno.Command(name, { args, stdout: "null", stderr: "null" }).spawn();
      const ready = ["-q", "-h", "127.0.0.1", "-p", String(port)];
      await until(
        "PostgreSQL",
        async () => (await new Deno.Command(join(bin, "pg_isready"), { args: ready }).output()).success,
      );
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  await server.start();
  return server;
}

/** Asks a server something with its own program: words of `redis-cli`, or a query of `psql`. */
async function asked(server: Server, ...words: string[]): Promise<string> {
  const { password, port } = new URL(server.url());
  const isRedis = server.kind === "redis", name = isRedis ? "redis-cli" : join(postgresFolder()!, "psql");
  const args = isRedis ? ["-p", port, ...words] : ["-Atc", ...words, server.url()];
  const env = { REDISCLI_AUTH: decodeURIComponent(password) };
  const { success, stdout } = await new Deno.Command(name, { args, env }).output();
  assert(success, words.join(" "));
  return new TextDecoder().decode(stdout).trim();
}

/** Gives workers jobs again that they have, as who writes to the queue can. */
export async function giveAgain(server: Server, ids: readonly string[]): Promise<void> {
  if (server.kind === "redis") {
    await asked(server, "RPUSH", "patchloom:parts:wait", ...ids);
    await asked(server, "ZADD", "patchloom:parts:marker", "0", "0");
    return;
  }
  const which = ids.map((id) => `'${id}'`).join(", ");
  await asked(server, `UPDATE patchloom.job SET state = 'waiting' WHERE id IN (${which})`);
  await asked(server, "SELECT pg_notify('bullmq_jobs', 'parts')");
}

/** Loses a job that waits; in Redis only its data or its entry in the list. */
export async function loseJob(server: Server, id: string, what: string): Promise<void> {
  if (server.kind === "postgres") return void await asked(server, `DELETE FROM patchloom.job WHERE id = '${id}'`);
  if (what === "data") await asked(server, "DEL", `patchloom:parts:${id}`);
  else await asked(server, "LREM", "patchloom:parts:wait", "0", id);
}

/** Writes fields of jobs: an id, a field, and a text, or what SQL makes of it. */
export async function spoil(server: Server, fields: readonly (readonly [string, string, string])[]): Promise<void> {
  if (server.kind === "postgres") {
    const of = ([id, field, value]: readonly string[]) =>
      `UPDATE patchloom.job SET ${field} = ${value} WHERE id = '${id}'`;
    return void await asked(server, fields.map(of).join("; "));
  }
  for (const [id, field, value] of fields) await asked(server, "HSET", `patchloom:parts:${id}`, field, value);
}

/** Adds a job that ends no run. */
export async function forgeEnd(server: Server, id: string): Promise<void> {
  if (server.kind === "redis") {
    const fields = [
      "name",
      "end",
      "data",
      "{}",
      "opts",
      '{"attempts":4}',
      "timestamp",
      "1",
      "delay",
      "0",
      "priority",
      "0",
    ];
    await asked(server, "HSET", `patchloom:parts:${id}`, ...fields);
    return await giveAgain(server, [id]);
  }
  const columns = "queue, id, seq, name, state, opts, added_at_ms";
  const values = `'parts', '${id}', nextval('patchloom.job_seq'), 'end', 'waiting', '{"attempts":4}', 1`;
  await asked(server, `INSERT INTO patchloom.job (${columns}) VALUES (${values})`);
  await giveAgain(server, [id]);
}

/** How often workers have taken a job that has not ended. */
export async function timesTaken(server: Server, id: string): Promise<number> {
  if (server.kind === "redis") return Number(await asked(server, "HGET", `patchloom:parts:${id}`, "ats"));
  return Number(await asked(server, `SELECT attempts_started FROM patchloom.job WHERE id = '${id}'`));
}

/** How many jobs a server has given to workers and knows no end of. */
export async function activeJobs(server: Server): Promise<number> {
  if (server.kind === "redis") return Number(await asked(server, "LLEN", "patchloom:parts:active"));
  return Number(await asked(server, "SELECT count(*) FROM patchloom.job WHERE state = 'active'"));
}

/** A way to a server that can be cut: what is sent then waits, as in a network without a cable. */
export interface Way extends Disposable {
  readonly port: number;
  cut(): void;
  mend(): void;
}

/** Opens a way to a port. */
export function wayTo(port: number): Way {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), open = new Set<Deno.Conn>();
  let mended = Promise.withResolvers<void>();
  mended.resolve();
  const isMended = async () => {
    for (;;) {
      const last = mended;
      await last.promise;
      if (last === mended) return;
    }
  };
  const pass = async (from: Deno.Conn, to: Deno.Conn) => {
    try {
      const bytes = new Uint8Array(65536);
      for (let read; (read = await from.read(bytes)) !== null;) {
        await isMended();
        for (let at = 0; at < read;) at += await to.write(bytes.subarray(at, read));
      }
    } catch {
      // One of both is closed.
    }
    for (const conn of [from, to]) {
      open.delete(conn);
      try {
        conn.close();
      } catch {
        // It was closed.
      }
    }
  };
  (async () => {
    for await (const client of listener) {
      open.add(client);
      await isMended();
      const server = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (!server) {
        open.delete(client);
        client.close();
        continue;
      }
      open.add(server);
      pass(client, server);
      pass(server, client);
    }
  })();
  return {
    port: listener.addr.port,
    cut() {
      mended.resolve(); // what a cut before this one holds back is held back by this one: it looks again
      mended = Promise.withResolvers();
    },
    mend: () => mended.resolve(),
    [Symbol.dispose]() {
      mended.resolve();
      listener.close();
      for (const conn of open) conn.close();
    },
  };
}
