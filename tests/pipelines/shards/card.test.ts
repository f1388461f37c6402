import { assert } from "@std/assert";
import { dataSetCard } from "../../../pipelines/shards/card.ts";
import { type FormatName, partNames } from "../../../pipelines/shards/formats.ts";
import type { Manifest } from "../../../pipelines/shards/manifest.ts";

/** A manifest, as far as a card says of it. */
function manifestOf(format: FormatName, channels: number): Manifest {
  const settings = {
    profile: { name: "mine" },
    shape: [5, 4, channels],
    classes: [null],
    seed: 1,
    data: "",
    format,
    limits: {},
  };
  return { settings, settingsSha256: "", count: 3, parts: [] } as unknown as Manifest;
}

Deno.test("dataSetCard: says how the images are read, by the names that the files have", () => {
  for (const channels of [1, 3]) {
    const [name] = partNames("idx", { first: 0, end: 3 }, 3, { channels, isLabelled: false });
    const card = dataSetCard(manifestOf("idx", channels));
    assert(card.includes(`"${name.replace("000000-000002", "RANGE")}"`), card);
    assert(dataSetCard(manifestOf("webdataset", channels)).includes('data_files="data/*.tar"'));
  }
  assert(dataSetCard(manifestOf("idx", 1)).includes(".reshape(-1, 4, 5)"));
});
