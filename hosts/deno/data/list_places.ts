/** Lists the places that hold data sets. */
import { BUILTIN_DATA, type BuiltinName } from "../../../datasets/procedural/builtin_data.ts";
import { textTable } from "../../../pipelines/report/text_table.ts";
import { type Env, environment } from "../system/environment.ts";
import { dataSources, missingNotes } from "./find_data.ts";
import { readData } from "./read_data.ts";

/** A place that holds a data set. `train`, `test`, `height` and `width` are missing if it cannot be read. */
export interface Place {
  readonly name: string;
  readonly place: "PATCHLOOM_DATA" | "data folder" | "built-in";
  readonly where: string;
  readonly train?: number;
  readonly test?: number;
  readonly height?: number;
  readonly width?: number;
  readonly inEffect: boolean;
  readonly error?: string;
}

/** Lists all places that hold the data sets that are also built in. The first place of each is in effect without `--data`. */
export async function listPlaces(env: Env = environment()): Promise<Place[]> {
  const names = Object.keys(BUILTIN_DATA) as BuiltinName[];
  return (await Promise.all(names.map((name) => placesOf(name, env)))).flat();
}

async function placesOf(name: BuiltinName, env: Env): Promise<Place[]> {
  const places: Place[] = [], { about, train, test, side, channels } = BUILTIN_DATA[name];
  for (const { kind, path } of await dataSources(name, env)) {
    const place = { name, place: kind, where: path, inEffect: places.length === 0 };
    try {
      const { train, test } = await readData(path, { channels }), { height, width } = train.images;
      places.push({ ...place, train: train.images.count, test: test.images.count, height, width });
    } catch (error) {
      places.push({ ...place, error: (error as Error).message });
    }
  }
  const inEffect = places.length === 0;
  return [...places, { name, place: "built-in", where: about, train, test, height: side, width: side, inEffect }];
}

/** Says which of these data sets the folder of `PATCHLOOM_DATA` lacks, a line for each. */
export async function missingLines(env: Env = environment()): Promise<string[]> {
  const names = Object.keys(BUILTIN_DATA), notes = await Promise.all(names.map((name) => missingNotes(name, env)));
  return notes.flat();
}

/** The places as the lines of a table. */
export function placesTable(listed: readonly Place[]): string[] {
  const head = ["name", "in effect", "images", "pixels", "place", ""];
  const rows = listed.map(({ name, inEffect, train, test, height, width, place, where, error }) => {
    const counts = error === undefined ? [`${train} + ${test}`, `${width}x${height}`] : ["unreadable", ""];
    return [name, inEffect ? "yes" : "no", ...counts, place, error ?? where];
  });
  return textTable(head, rows, head.length);
}
