/** The flags of commands that use an engine. */
import { ENGINE_VARIABLE, readEngine } from "../../queue/engine_url.ts";
import type { EngineAddress } from "../../queue/messages.ts";
import { UsageError } from "./flags.ts";
import { readSmallFile } from "../../system/small_file.ts";
import { needed } from "../../system/needed.ts";

/** `--engine`, `--engine-ca` and `--engine-key`. */
export const engineFlags = {
  engine: {
    value: "URL|env",
    about:
      `address of the queue: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE; env: the address in ${ENGINE_VARIABLE}`,
  },
  "engine-ca": {
    value: "FILE",
    about: "file (PEM) with the certificates of the authorities to trust (those of the system)",
  },
  "engine-key": {
    value: "FILE",
    about:
      "file with a key of 32 characters or more: synth signs its jobs with it, and workers with it take signed jobs only (none)",
  },
} as const;

/** `--pack-url` of `synth`. */
export const packUrlFlag = {
  "pack-url": {
    value: "URL",
    about: "with --engine: address that workers fetch the pack from if they do not see its path",
  },
} as const;

/**
 * Reads the values of `--engine` and `--engine-ca`.
 *
 * @throws {RequestError} if the address is wrong; another error if the file is
 */
export async function readEngineFlags(engine: string, ca: string | undefined): Promise<EngineAddress> {
  const pem = ca === undefined ? undefined : await readSmallFile(ca, `use --engine-ca ${ca}`);
  if (pem !== undefined && !pem.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error(`Cannot use --engine-ca ${ca}: expected certificates in PEM`);
  }
  return readEngine(engine, variable(), pem);
}

/**
 * Reads `--engine` of `synth`.
 *
 * @throws {UsageError} if another flag names what workers on other machines do not have
 */
export async function readSynthEngine(given: {
  readonly engine?: string;
  readonly "engine-ca"?: string;
  readonly "engine-key"?: string;
  readonly "pack-url"?: string;
  readonly shard?: string;
  readonly from?: string;
}): Promise<EngineAddress | undefined> {
  const { engine, "engine-ca": ca, "pack-url": packUrl, shard, from } = given;
  if (engine === undefined) {
    const other = (["engine-ca", "engine-key", "pack-url"] as const).find((name) => given[name] !== undefined);
    if (other) throw new UsageError(`Cannot use --${other} without --engine`);
    return undefined;
  }
  if (shard !== undefined) {
    throw new UsageError("Cannot use --shard with --engine, which divides the run among workers");
  }
  const { SEED_SOURCES } = await needed<typeof import("../../../../core/profile.ts")>("../../core/profile.ts");
  if (from !== undefined && !(SEED_SOURCES as readonly string[]).includes(from)) {
    throw new UsageError(
      `Cannot use --from ${from} with --engine: expected ${
        SEED_SOURCES.join(" or ")
      }, because workers do not see other files`,
    );
  }
  if (
    packUrl !== undefined && !(await needed<typeof import("../../queue/jobs.ts")>("queue/jobs.ts")).isPackUrl(packUrl)
  ) {
    throw new UsageError(
      "Cannot use --pack-url: expected https://HOST/PATH/NAME.loom or s3://BUCKET/PATH/NAME.loom, without a user or a query",
    );
  }
  return await readEngineFlags(engine, ca);
}

/**
 * Reads `--engine-key`.
 *
 * @throws {Error} if the file cannot be read, or if its key is too short
 */
export async function readKeyFlag(path: string | undefined): Promise<CryptoKey | undefined> {
  if (path === undefined) return undefined;
  const { readEngineKey } = await needed<typeof import("../../queue/job_signature.ts")>("queue/job_signature.ts");
  return await readEngineKey(path);
}

function variable(): string | undefined {
  try {
    return Deno.env.get(ENGINE_VARIABLE);
  } catch {
    return undefined;
  }
}
