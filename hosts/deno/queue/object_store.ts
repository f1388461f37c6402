/** Object stores with the protocol of S3: the addresses of packs in them, signed with the keys of the worker's user. */
import { fileURLToPath } from "node:url";
import { askProgram } from "./ask_program.ts";

/** What `presigner.ts` gets on its standard input. */
export interface ObjectToSign {
  readonly url: string;
  readonly keys: StoreKeys;
}

/** The credentials and the address of the store that the environment names. */
export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

/** A store, and the keys to it. */
export interface ObjectStore {
  /** Its address, without a slash at the end. */
  readonly endpoint: string;
  readonly keys: StoreKeys;
}

/**
 * Reads the environment variables that the programs for S3 have in common.
 *
 * @throws {Error} if the keys are missing, or the address of the store is none
 */
export function readObjectStore(variable: (name: string) => string | undefined): ObjectStore {
  const needed = (name: string) => {
    const value = variable(name);
    if (value) return value;
    throw new Error(`Cannot fetch packs from s3:// addresses: expected the environment variable ${name}`);
  };
  const region = variable("AWS_REGION") || "us-east-1";
  const endpoint = (variable("AWS_ENDPOINT_URL") || `https://s3.${region}.amazonaws.com`).replace(/\/+$/, "");
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new Error("Cannot use AWS_ENDPOINT_URL: expected https://HOST, without a user or a query");
  }
  const keys = {
    accessKeyId: needed("AWS_ACCESS_KEY_ID"),
    secretAccessKey: needed("AWS_SECRET_ACCESS_KEY"),
    sessionToken: variable("AWS_SESSION_TOKEN") || undefined,
    region,
  };
  return { endpoint, keys };
}

/**
 * Returns the address at which anybody may read an object for an hour.
 *
 * @param address s3://BUCKET/KEY
 * @throws {Error} if it cannot be signed
 */
export async function signedAddress(address: string, { endpoint, keys }: ObjectStore): Promise<string> {
  const { host, pathname } = new URL(address), file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const flags = ["--no-config", "--frozen", `--lock=${file("engine.lock")}`, "--ignore-env"];
  const object: ObjectToSign = { url: `${endpoint}/${host}${pathname}`, keys };
  const { success, answer, error } = await askProgram([...flags, file("presigner.ts")], object);
  if (success) return answer.trim();
  throw new Error(`Cannot sign ${address}: ${error}`);
}
