/** The files of a whole run in parts that describe it. */
import { CARD, dataSetCard } from "../../../pipelines/shards/card.ts";
import { MANIFEST, type Manifest } from "../../../pipelines/shards/manifest.ts";
import { jsonBytes } from "../../../pipelines/shards/part.ts";

/** Returns the manifest, and the card of the data set for people. */
export function manifestFiles(manifest: Manifest): [name: string, bytes: Uint8Array<ArrayBuffer>][] {
  return [[MANIFEST, jsonBytes(manifest)], [CARD, new TextEncoder().encode(dataSetCard(manifest))]];
}
