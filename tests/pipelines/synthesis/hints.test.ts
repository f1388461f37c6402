import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Plan, plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { withSetting, withSettings } from "../../../core/profile_changes.ts";
import { colourFaces } from "../../../datasets/profiles/colour_faces.ts";
import {
  copiesHint,
  equalHint,
  exemplarHint,
  fewProfile,
  limitHints,
  mixedHint,
  neighboursHint,
  shareHint,
  tilingHint,
} from "../../../pipelines/synthesis/hints.ts";
import { nearCopies, totalNearCopies } from "../../../pipelines/run/near_copies.ts";
import { periodsOf } from "../../../pipelines/quilting/structure_length.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs, small } from "../../small_world.ts";

const planned = plan(small, builtins);
/** The warning of images of these originalities. */
const copied = (of: Plan, originalities: readonly number[], training: number) => {
  const copies = nearCopies(originalities.map((originality) => ({ originality, sources: [] })));
  return copiesHint(of, copies, originalities.length, training);
};

Deno.test("copiesHint: nothing to say of images that are as new as training images, or of exemplars", () => {
  assertEquals(copied(planned, [0.61, 1, 2], 500), undefined);
  assertEquals(nearCopies([{ sources: [] }, { sources: [] }]), undefined);
});

Deno.test("copiesHint: how many, how near, the likely cause, and what to try", () => {
  const few = copied(planned, [0.41, 1, 0.5], 20)!;
  assertStringIncludes(
    few,
    "Warning: 2 of 3 images are much nearer to a training image than training images are to each",
  );
  assertStringIncludes(few, "(least originality 0.41): there are 20 training images");
  assertStringIncludes(few, "--min-originality 0.8");
  const limited = { ...planned, layers: [{ ...planned.layers[0], minOriginality: 0.8 }] };
  assert(!copied(limited, [0.41], 20)!.includes("--min-originality"), "the limit that they were drawn with");
  const many = copied(planned, [0, 1], 500)!;
  assertStringIncludes(many, "Warning: 1 of 2 images is much nearer");
  assertStringIncludes(many, "least originality 0.00): the patches of an image come from few training images");
  const [fine, coarse] = small.layers, whole = plan({ ...small, layers: [fine, { ...coarse, patch: 8 }] }, builtins);
  const patched = copied(whole, [0.1], 500)!;
  assertStringIncludes(patched, "a patch of layer 1 is the whole image there; try --set layers.1.patch=4");
});

Deno.test("limitHints: one warning where near images are among those that missed a limit, two elsewhere", () => {
  const hints = (minOriginality: number, originalities: number[]) => {
    const limited = { ...planned, layers: [{ ...planned.layers[0], minOriginality }] };
    const copies = nearCopies(originalities.map((originality) => ({ originality, sources: [] })));
    return limitHints(limited, "Warning: 2 of 3 images missed", copies, originalities.length, 500);
  };
  const [one, ...others] = hints(0.6, [0.5, 0.59, 1]);
  assertEquals(others, []);
  assertMatch(one, /^Warning: 2 of 3 images missed\. 2 of them are much nearer to a training image /);
  assertMatch(hints(0.8, [0.5, 0.7, 1])[0], /^Warning: 2 of 3 images missed\. 1 of them is much nearer /);
  assertEquals(hints(0.6, [1, 1, 1]), ["Warning: 2 of 3 images missed"]);
  assertEquals(hints(0.3, [0.2, 0.25, 1]).length, 2);
});

Deno.test("copiesHint: more neighbours are no advice where they are many of a class, or chosen", () => {
  const warning = (setting: string) => copied(plan(withSetting(small, setting), builtins), [0.1], 50)!;
  assertMatch(warning("prior.neighbours=10"), /try more neighbours \(--set prior\.neighbours=\.\.\.\), or draw /);
  for (const setting of ["prior.neighbours=11", "prior.neighbours=auto"]) {
    assertMatch(warning(setting), /come from few training images; draw such images again with --min-originality 0\.8$/);
  }
});

Deno.test("copiesHint: from noise, windows are advice for the denoiser that has them, another denoiser for the others", () => {
  const warning = (noise: Profile["noise"], originality: number) => {
    return copied(
      plan({ ...small, from: "noise", noise: { layer: 0, steps: 2, ...noise } }, builtins),
      [originality],
      500,
    )!;
  };
  const limits = { windows: [5, 3], minOriginality: 0.3, maxStructure: 1 };
  const again = "draw such images again with --min-originality 0.8";
  assertStringIncludes(
    warning(limits, 0.4),
    `windows are wide for these images; try --set noise.windows=auto, or ${again}`,
  );
  const other = warning({ ...limits, denoiser: "wiener" }, 0.4);
  assertStringIncludes(other, `"wiener" comes near to them; try --set noise.denoiser=local-score, or ${again}`);
  assertMatch(
    warning({ ...limits, denoiser: "wiener" }, 0),
    /=local-score$/,
    "images that missed a limit in all tries",
  );
});

Deno.test("shareHint: how many images of parts come from their nearest training image, and what to try", () => {
  const from = (image: number, share: number, nearest: number) => ({
    nearest: { image: nearest },
    sources: [{ image, share }],
  });
  const images = [from(1, 0.51, 1), from(2, 0.7, 2), from(1, 0.5, 1), from(1, 0.9, 2), from(-1, 0.9, -1)];
  const parts = [images.slice(0, 1), images.slice(1, 3), images.slice(3)].map((part) => ({ copies: nearCopies(part) }));
  const hint = shareHint(planned, totalNearCopies(parts), images.length)!;
  assertMatch(
    hint,
    /^Warning: 2 of 5 images take more than half of their pixels .* \(largest share 0\.70\)\. Such images /,
  );
  assertMatch(hint, /first of `sources` has a share above 0\.5 and is `nearest`\. Try --from noise/);
  assertEquals(shareHint(planned, nearCopies(images.slice(2)), 3), undefined);
  assertEquals(
    shareHint({ ...planned, morph: 3 }, nearCopies(images), 5),
    undefined,
    "half of a morph is a quarter of each",
  );
});

Deno.test("exemplarHint: where images have more than 16 times the area of all exemplars", () => {
  const train = (count: number) => ({ images: { count, height: 20, width: 40, pixels: new Uint8Array(count * 800) } });
  const size = { height: 160, width: 160 };
  const hint =
    "Hint: exemplars of 40x20 pixels are small for images of 160x160: what they show repeats about 32 times; " +
    "larger exemplars give more variety";
  assertEquals(exemplarHint({ train: train(1) }, size), hint);
  assertEquals(exemplarHint({ train: train(2) }, size), undefined);
  const [whole] = [{ ...train(1).images, height: 80, pixels: new Uint8Array(3200) }];
  assertEquals(exemplarHint({ train: train(3), exemplars: { images: [whole], crops: [] } }, size), undefined);
});

Deno.test("mixedHint: where several exemplars have no classes, whether they were cut into crops or not", () => {
  const images = (count: number) => ({ count, height: 2, width: 2, pixels: new Uint8Array(count * 4) });
  assertMatch(mixedHint({ train: { images: images(3) } })!, /^Hint: 3 exemplars are taken together: .*--per-class 1/);
  assertEquals(mixedHint({ train: { images: images(1) } }), undefined);
  assertEquals(mixedHint({ train: { images: images(2), labels: Uint8Array.of(0, 1) } }), undefined);
  const cut = (count: number) => ({ images: Array.from({ length: count }, () => images(1)), crops: [] });
  assertMatch(mixedHint({ train: { images: images(9) }, exemplars: cut(2) })!, /^Hint: 2 exemplars /);
  assertEquals(mixedHint({ train: { images: images(9) }, exemplars: cut(1) }), undefined);
});

Deno.test("neighboursHint: where the neighbours of a layer exceed a fifth of the images of a class", () => {
  const images = blobs(60), labels = Uint8Array.from({ length: 60 }, (_, i) => i < 18 ? 1 : 0);
  const hint = (setting: string, classes: (number | undefined)[], names?: string[]) => {
    return neighboursHint(
      plan(withSetting(small, setting), builtins),
      { train: { images, labels }, classes: names },
      classes,
    );
  };
  assertEquals(hint("prior.neighbours=12", [undefined]), undefined);
  const tail = "blur the images; --set prior.neighbours=auto takes fewer";
  assertEquals(hint("prior.neighbours=13", [undefined]), `Hint: 13 neighbours of 60 training images ${tail}`);
  assertEquals(
    hint("layers.1.prior.neighbours=3", [0, 1], ["cats", "dogs"]),
    `Hint: 10 neighbours of 18 training images of class dogs ${tail}`,
  );
  assertEquals(hint("prior.neighbours=auto", [0, 1]), undefined);
  const ofLayer = hint("layers.1.prior.neighbours=13", [undefined]);
  assertEquals(
    ofLayer,
    "Hint: 13 neighbours of 60 training images blur the images; --set layers.1.prior.neighbours=auto takes fewer",
  );
  const both = plan(withSettings(small, ["prior.neighbours=20", "layers.1.prior.neighbours=13"]), builtins);
  assertEquals(
    neighboursHint(both, { train: { images } }, [undefined]),
    "Hint: 20 neighbours of 60 training images blur the images; " +
      "--set prior.neighbours=auto --set layers.1.prior.neighbours=auto takes fewer",
  );
  const art = { ...plan(withSetting(small, "prior.neighbours=13"), builtins), pixelArt: true };
  assertEquals(neighboursHint(art, { train: { images, labels } }, [undefined]), undefined);
});

/** Lines of 12 pixels, as in text. */
const LINES = {
  count: 1,
  height: 108,
  width: 40,
  pixels: Uint8Array.from({ length: 108 * 40 }, (_, p) => 128 + 90 * Math.sin(2 * Math.PI * Math.floor(p / 40) / 12)),
};

Deno.test("tilingHint: names the nearest size that holds whole lines, where the size does not", () => {
  const hint = (height: number, tile: "x" | "y" | "both") =>
    tilingHint(periodsOf(LINES), { height, width: 128 }, tile, 4);
  assertMatch(
    hint(128, "both")!,
    /every 12\.0 pixels in y: a height of 132 holds 11\.0 repetitions, .* than 10\.7, and tiles better/,
  );
  assertMatch(hint(124, "y")!, /a height of 120 /);
  assertEquals([hint(120, "both"), hint(132, "y"), hint(128, "x")], [undefined, undefined, undefined]);
});

Deno.test("tilingHint: none for exemplars that do not repeat themselves, and where no size near fits", () => {
  const flat = { count: 1, height: 40, width: 40, pixels: new Uint8Array(1600).fill(9) };
  assertEquals(tilingHint(periodsOf(flat), { height: 50, width: 50 }, "both", 4), undefined);
  assertEquals(tilingHint(periodsOf(LINES), { height: 16, width: 16 }, "both", 16), undefined);
});

Deno.test("fewProfile: photographs are few from some number on; what is drawn by rule is not", () => {
  const pixels = new Uint8Array(2 * 16), train = { images: { count: 2, height: 4, width: 4, pixels } };
  const profile = { ...colourFaces, few: { ...colourFaces.few!, below: 3 } };
  assertEquals(fewProfile(profile, { train })?.morph, colourFaces.few!.morph);
  assertEquals(fewProfile(profile, { train, isDrawn: true }), undefined);
  assertEquals(fewProfile({ ...profile, few: { ...profile.few, below: 2 } }, { train }), undefined);
});

Deno.test("equalHint: names images that are equal to an earlier one", () => {
  const images = (...values: number[]) => values.map((value, number) => ({ number, pixels: Uint8Array.of(value, 7) }));
  assertEquals(equalHint(images(1, 2, 3)), undefined);
  const tail = "; other examples or settings give more variety";
  assertEquals(equalHint(images(1, 2, 1)), `Warning: 1 image is equal to another image of the run: 2 (0)${tail}`);
  assertEquals(
    equalHint(images(1, 2, 1, 1, 2)),
    `Warning: 3 images are equal to another image of the run: 2 (0), 3 (0), 4 (1)${tail}`,
  );
});
