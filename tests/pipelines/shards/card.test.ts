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
    for (const format of ["idx", "npy"] as const) {
      const [name] = partNames(format, { first: 0, end: 3 }, 3, { channels, isLabelled: false });
      const card = dataSetCard(manifestOf(format, channels));
      assert(card.includes(`"${name.replace("000000-000002", "RANGE")}"`), card);
    }
    assert(dataSetCard(manifestOf("webdataset", channels)).includes('data_files="data/*.tar"'));
  }
  assert(dataSetCard(manifestOf("idx", 1)).includes(".reshape(-1, 4, 5)"));
});

Deno.test("dataSetCard: says what images from noise are, and counts near copies", () => {
  const manifest = manifestOf("idx", 1), { settings } = manifest, patches = "every pixel comes from a patch of a";
  assert(dataSetCard(manifest).includes(patches) && !dataSetCard(manifest).includes("Near copies"));
  const noisy = { ...manifest, settings: { ...settings, denoiser: { name: "local-score" } } };
  const card = dataSetCard({ ...noisy, copies: { near: 2, leastOriginality: 0.1, fromNearest: 1, largestShare: 0.8 } });
  assert(card.includes("| `tries` |") && !dataSetCard(manifest).includes("| `tries` |"), card);
  assert(!card.includes(patches) && card.includes("the denoiser local-score estimates images"), card);
  assert(card.includes("- Near copies: 2 images of an `originality` below 0.6, 1 with a share above 0.5"), card);
});

Deno.test("dataSetCard: the name of a foreign profile adds no lines, marks or HTML", () => {
  const manifest = manifestOf("idx", 1), { settings } = manifest, name = "a\n# <svg onload=alert(1)>\u001b[31m `b`";
  const card = dataSetCard({ ...manifest, settings: { ...settings, profile: { ...settings.profile, name } } });
  const [, text] = card.split(/^---$/m).filter((part) => part.trim() !== "");
  assert(!/[<`]/.test(text.split("- Images:")[0]) && !card.includes("\u001b"), card);
  assert(card.includes("images by the profile a &#35; &#60;svg onload=alert"), card);
});
