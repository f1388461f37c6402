/** Fetches data sets from mirrors, and verifies every file. */
import { join } from "node:path";
import { progress } from "../system/progress.ts";
import { reason } from "../system/reason.ts";
import { sha256 } from "../system/hashes.ts";
import type { Download, DownloadFile } from "./downloads.ts";

/**
 * Fetches files into a folder. It skips files that are complete, continues unfinished ones (`NAME.part`), and renames a file to
 * its name only if its hash is right, so that the folder never holds a wrong file.
 *
 * @param say gets lines about what was done and what failed
 * @param patience milliseconds without a byte after which to give up a server
 * @returns the number of files that were fetched; the others were complete
 * @throws {Error} with the failure of every mirror
 */
export async function pull(
  download: Download,
  folder: string,
  say: (line: string) => void,
  patience = 30_000,
): Promise<number> {
  await Deno.mkdir(folder, { recursive: true }).catch((cause) => {
    throw new Error(`Cannot make the folder ${folder}: ${cause.message}`, { cause });
  });
  let fetched = 0;
  for (const file of download.files) {
    if (await isRight(join(folder, file.name), file)) {
      say(`${file.name} is there already`);
      continue;
    }
    await fromMirrors(download.mirrors, file, folder, say, patience);
    say(`${file.name} fetched and verified`);
    fetched++;
  }
  return fetched;
}

async function isRight(path: string, file: DownloadFile): Promise<boolean> {
  if (await lengthOf(path) !== file.bytes) return false;
  return await sha256(await Deno.readFile(path)) === file.sha256;
}

async function lengthOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
}

async function fromMirrors(
  mirrors: readonly string[],
  file: DownloadFile,
  folder: string,
  say: (line: string) => void,
  patience: number,
): Promise<void> {
  const failures: string[] = [], part = join(folder, `${file.name}.part`);
  for (const mirror of mirrors) {
    const url = new URL(file.name, mirror.endsWith("/") ? mirror : `${mirror}/`), { href } = url;
    url.search = file.query ?? "";
    try {
      await fetchPart(url, part, file, patience);
      await Deno.rename(part, join(folder, file.name));
      return;
    } catch (error) {
      failures.push(`${href} ${reason(error).replaceAll(url.href, href)}`);
      if (failures.length < mirrors.length) say(`${failures.at(-1)}; trying the next mirror`);
    }
  }
  throw new Error(`Cannot fetch ${file.name}: ${failures.join("; ")}`);
}

/** Fetches the rest of `part` and verifies it. After a failure the part stays and can be continued, unless its bytes are wrong. */
async function fetchPart(url: URL, part: string, file: DownloadFile, patience: number) {
  if (await lengthOf(part) >= file.bytes && !await isRight(part, file)) await Deno.remove(part);
  if (await lengthOf(part) < file.bytes) await fetchRest(url, part, file, patience);
  const length = await lengthOf(part);
  if (length < file.bytes) throw new Error(`ended after ${length} of ${file.bytes} bytes; run again to continue`);
  if (await isRight(part, file)) return;
  const sum = await sha256(await Deno.readFile(part));
  await Deno.remove(part);
  throw new Error(`sent other bytes: expected SHA-256 ${file.sha256}, got ${sum}; they were deleted`);
}

async function fetchRest(url: URL, part: string, file: DownloadFile, patience: number) {
  const giveUp = new AbortController();
  const silence = () => giveUp.abort(new Error(`sent nothing for ${patience / 1000} s; run again to continue`));
  const bar = progress(file.name, false);
  let timer = setTimeout(silence, patience), had = await lengthOf(part);
  try {
    // Identity: a server that compresses the response would send other bytes than those of the file.
    const headers: Record<string, string> = { "accept-encoding": "identity" };
    if (had > 0) headers.range = `bytes=${had}-`;
    const response = await fetch(url, { headers, signal: giveUp.signal }).catch((cause) => {
      if (!(cause instanceof Deno.errors.NotCapable)) throw cause;
      if (Deno.permissions.querySync({ name: "net", host: url.host }).state === "granted") {
        throw new Error("answered with a redirection to a host that this command may not reach", { cause });
      }
      // The task may use the known mirrors only.
      const words =
        `deno run --allow-read --allow-write --allow-env --allow-net=${url.host} hosts/deno/main.ts data pull`;
      throw new Error(`may not connect to ${url.host}: run deno with --allow-net=${url.host}, as in ${words}`, {
        cause,
      });
    });
    const continued = response.status === 206;
    if (!continued) had = 0; // a server that cannot continue files sends all of it again
    const refused = refusal(response, had, file.bytes);
    if (refused || !response.body) {
      await response.body?.cancel();
      // A part that cannot be continued would block every later attempt.
      if (continued || response.status === 416) await Deno.remove(part).catch(() => {});
      throw new Error(refused ?? "answered with nothing");
    }
    using out = await Deno.open(part, { write: true, create: true, append: continued, truncate: !continued });
    for await (const bytes of response.body) {
      clearTimeout(timer);
      timer = setTimeout(silence, patience);
      await writeAll(out, bytes).catch((cause) => {
        throw new Error(`was not written to ${part}: ${reason(cause)}`, { cause });
      });
      had += bytes.length;
      bar.update(Math.min(1, had / file.bytes));
      if (had > file.bytes) break; // not this file: its hash will be wrong
    }
  } catch (error) {
    if (giveUp.signal.aborted) throw giveUp.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    bar.end();
  }
}

async function writeAll(out: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await out.write(bytes.subarray(written));
}

/** The reason why a response is not the rest of the file from byte `had` on; undefined if it may be. */
function refusal({ ok, status, statusText, headers }: Response, had: number, bytes: number): string | undefined {
  if (!ok) return `answered ${status} ${statusText}`.trimEnd();
  const range = headers.get("content-range"), offered = headers.get("content-length");
  if (status === 206 && !range?.startsWith(`bytes ${had}-`)) {
    return `continued at another place than byte ${had}: ${range}`;
  }
  if (offered !== null && had + Number(offered) !== bytes) {
    return `offers ${had + Number(offered)} bytes: expected ${bytes}`;
  }
}
