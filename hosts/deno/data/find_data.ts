import { basename, join, resolve } from "@std/path";
import { BUILTIN, isBuiltin } from "../../../datasets/procedural/builtin.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { cachedBuiltin } from "./builtin_cache.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { dataFolder, type Env, environment } from "./data_folder.ts";
import { readData } from "./read_data.ts";
import { trainImages } from "./read_idx.ts";

/** What `--data` says for the built-in data where there is other data too. */
export const BUILT_IN = "built-in";

/**
 * Finds a data set. The first of these is taken, and `origin` of what is returned tells which:
 * 1. `given`, the path that a user asked for, or "built-in" for 4;
 * 2. `$PATCHLOOM_DATA/<dataset>`;
 * 3. what `data pull` or `data import` put into the user's data folder;
 * 4. the built-in data, drawn by rule.
 *
 * A place that is not there is passed over unless it was asked for, but `$PATCHLOOM_DATA` itself must be there, where it is set.
 * One that is there but cannot be read is an error.
 *
 * @param dataset `mnist`, `faces` or another name of a folder in 2 or 3
 * @param channels 3 to read PNGs in colour
 * @throws one sentence where nothing is found or what is found is wrong
 */
export async function findData(
  dataset: string,
  given?: string,
  env: Env = environment(),
  channels: 1 | 3 = 1,
): Promise<DataSet> {
  if (given !== undefined && given !== BUILT_IN) return await fromPath(basename(resolve(given)), given, channels);
  const [place] = given === BUILT_IN ? [] : await dataSources(dataset, env);
  if (place) return await fromPath(dataset, place.path, channels);
  if (!isBuiltin(dataset)) {
    const builtin = Object.keys(BUILTIN).join(" and ");
    throw new Error(
      `There is no data set "${dataset}": expected --data, or a folder of that name in ${
        [env.PATCHLOOM_DATA ?? "$PATCHLOOM_DATA", dataFolder(env)].filter(Boolean).join(" or ")
      } (built in are ${builtin})`,
    );
  }
  const drawn = await cachedBuiltin(dataset, dataFolder(env)), { about, train, test } = BUILTIN[dataset];
  return { name: dataset, origin: `${train} + ${test} ${about}`, title: about, ...drawn };
}

/** A place where a data set lies. */
export interface DataSource {
  /** How it came to be looked at. */
  readonly kind: "PATCHLOOM_DATA" | "data folder";
  readonly path: string;
}

/** The places where a data set lies, the first of which is taken; none where only the built-in data is left. */
export async function dataSources(dataset: string, env: Env): Promise<DataSource[]> {
  const found: DataSource[] = [];
  if (env.PATCHLOOM_DATA) {
    const path = join(env.PATCHLOOM_DATA, dataset);
    await Deno.stat(env.PATCHLOOM_DATA).catch((cause) => {
      if (!(cause instanceof Deno.errors.NotFound)) return; // what is in it may still be read
      throw new Error(`There is no ${env.PATCHLOOM_DATA}, where PATCHLOOM_DATA says the data is`, { cause });
    });
    if (await Deno.stat(path).catch(() => undefined)) found.push({ kind: "PATCHLOOM_DATA", path });
  }
  const folder = dataFolder(env), path = folder && join(folder, dataset);
  // `data pull` fetches the training images last: until they are there, what is there is half a download.
  if (path && await trainImages(path)) found.push({ kind: "data folder", path });
  return found;
}

async function fromPath(name: string, path: string, channels: 1 | 3): Promise<DataSet> {
  const { heldOut, pack, ...read } = await readData(path, channels), { train, test } = read;
  if (pack) {
    return {
      name,
      origin: `${pack.origin}, and ${counted(pack.seeds.count, "seed image")}, from ${path}`,
      title: pack.origin,
      ...read,
    };
  }
  const title = name === "mnist" ? "MNIST" : name;
  const origin = `${title}, ${train.images.count} + ${test.images.count} images from ${path}`;
  return { name, title, origin: heldOut ? `${origin} (every tenth held out as test image)` : origin, ...read };
}
