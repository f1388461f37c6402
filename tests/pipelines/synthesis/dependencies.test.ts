/** What images depend on, compared with what changes when each training image is taken away. */
import { finish } from "../../../core/steps.ts";
import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { withPrior, withSetting } from "../../../core/profile_changes.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import { pick } from "../../../datasets/data_set.ts";
import { dependsOnAll, numberText } from "../../../pipelines/synthesis/dependencies.ts";
import { hasImage, imagesIn } from "../../../pipelines/run/image_bits.ts";
import type { Job } from "../../../pipelines/run/job.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import type { TracedImage } from "../../../pipelines/run/synthesized_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, colouredBlobs, small, smallColour } from "../../small_world.ts";

const NUMBERS = [0, 1, 2, 3, 4, 5], COUNT = 14;

/** Training images of which two are equal, so that distances are, too. */
function withTwins(images: Images): Images {
  const length = lengthOf(images), pixels = images.pixels.slice();
  for (const [from, to] of [[2, 5], [2, 9], [7, 3]]) pixels.copyWithin(to * length, from * length, (from + 1) * length);
  return { ...images, pixels };
}

const GREY = withTwins(blobs(COUNT)), COLOUR = withTwins(colouredBlobs(COUNT));

/** Makes the images from training images, with what they depend on. */
function make(profile: Profile, training: Images): TracedImage[] {
  const mark = kernels.mark(), planned = plan(profile, builtins);
  try {
    const unseen = training.channels === 3 ? colouredBlobs(6, planned.sizes[0], 2) : blobs(6, 16, 2);
    const seeds = seedImages(kernels, unseen, planned.sizes, NUMBERS);
    const group = { training: finish(trainingPyramid(kernels, training, planned.sizes)), numbers: NUMBERS };
    const job: Job = {
      plan: planned,
      seed: 5,
      batch: 4,
      traced: "dependencies",
      groups: [{ ...group, seedImages: seeds }],
    };
    return [...runHere(kernels, job)].flatMap((event) => event.type === "image" ? [event.image] : []);
  } finally {
    kernels.release(mark);
  }
}

/** All that is written of an image, with training images named by `numbers`. */
function text({ pixels, nearest, contributors, correction, tries }: TracedImage, numbers: readonly number[]): string {
  const named = contributors.map(({ image, share }) => [numbers[image], share]);
  const own = nearest && [numbers[nearest.image], nearest.distance, nearest.trainingDistance];
  return JSON.stringify([[...pixels], own, named, correction, tries]);
}

const few = ["prior.neighbours=2", "layers.0.window=0"].reduce(withSetting, small);
const set = (...settings: string[]) => settings.reduce(withSetting, few);

const WORLDS: Record<string, [Profile, Images]> = {
  "local-nn": [few, GREY],
  "local-nn with a window": [set("layers.0.window=2"), GREY],
  "local-nn, a projection": [set("layers.0.projection=2"), GREY],
  "local-nn, map": [{ ...few, zStep: "map" }, GREY],
  "local-nn, mean": [{ ...few, zStep: "mean" }, GREY],
  "local-nn, images drawn again": [set("layers.0.minOriginality=0.9", "layers.1.minOriginality=0.8"), GREY],
  "local-nn, pixel art": [{ ...smallColour, ...set(), channels: 3, size: [24, 16], pixelArt: true }, COLOUR],
  "pixel art without copies": [
    { ...withPrior(few, "tangent-plane", builtins), channels: 3, size: [24, 16], pixelArt: true },
    COLOUR,
  ],
  "tangent-plane": [withPrior(few, "tangent-plane", builtins), GREY],
  "spatially-invariant": [withPrior({ ...few, contexts: [] }, "spatially-invariant", builtins), GREY],
  "detail": [withPrior(few, "detail", builtins), GREY],
  "detail, swept in pieces": [{
    ...few,
    prior: ["detail", { neighbours: 1, maxShare: 0.2, bonus: 2 }],
    layers: few.layers.map((layer) => ({ ...layer, order: "sweep" as const, feather: 2 })),
  }, GREY],
};

for (const [name, [profile, training]] of Object.entries(WORLDS)) {
  Deno.test(`dependencies: ${name}: an image changes only without a training image that it depends on`, () => {
    const all = [...Array(COUNT).keys()], whole = make(profile, training), planned = plan(profile, builtins);
    let changed = 0, unseen = 0, earlier = 0;
    // Where images depend on all training images, some will do.
    for (const left of name === "pixel art without copies" ? [0, 6] : all) {
      const numbers = all.filter((number) => number !== left), { images } = pick({ images: training }, numbers);
      assertEquals(numberText(planned, images, COUNT - 1), numberText(planned, images, COUNT));
      make(profile, images).forEach((image, i) => {
        const before = whole[i], isSame = text(image, numbers) === text(before, all);
        assert(
          isSame || hasImage(before.lineage!.dependsOn, left),
          `image ${i} changed without training image ${left}`,
        );
        if (isSame) return;
        changed++;
        if (!before.contributors.some(({ image }) => image === left)) unseen++;
      });
    }
    const depends = whole.reduce((sum, { lineage }) => sum + imagesIn(lineage!.dependsOn).length, 0);
    for (const { provenance: { sources }, lineage } of whole) {
      const last = new Set(sources.filter((image, i) => i % 3 === 0 && image >= 0)),
        drawn = imagesIn(lineage!.drawnFrom);
      // Earlier layers and iterations drew from others, too.
      assert([...last].every((image) => drawn.includes(image)));
      earlier += drawn.length - last.size;
      assert(drawn.every((image) => hasImage(lineage!.dependsOn, image)));
    }
    assert(earlier > 0 || profile.prior[0] === "detail", `${earlier}`);
    // Training images that no pixel came from matter, too.
    assert(
      changed > 0 && unseen > 0 && changed <= depends,
      `${changed} of ${depends} changed, ${unseen} without a pixel`,
    );
  });
}

Deno.test("dependencies: what depends on all training images is said", () => {
  const say = (settings: readonly string[], seedSource: "test" | "model" | "quilt" = "test", minLl?: number) => {
    return dependsOnAll({ plan: plan(settings.reduce(withSetting, small), builtins), seedSource, minLl }, GREY, COUNT);
  };
  assertEquals(say([]), undefined);
  assertEquals(say(["prior.hubPenalty=1"]), 'the prior "local-nn" is fitted to all training images (hubPenalty 1)');
  assertEquals(say(["layers.1.prior.hubPenalty=1"])?.slice(0, 20), 'the prior "local-nn"');
  for (
    const [said, phrase] of [
      [say(["relativeH=true"]), "relativeH"],
      [say([], "model"), "--from model"],
      [say([], "quilt"), "--from quilt"],
      [say([], "test", -90), "--min-ll"],
    ]
  ) assert(said?.includes(phrase!), `${said}`);
  const gmm = plan(withPrior(small, "gmm", builtins), builtins);
  assertEquals(
    dependsOnAll({ plan: gmm, seedSource: "test" }, GREY, COUNT),
    'the prior "gmm" is fitted to all training images',
  );
});

Deno.test("dependencies: a number of neighbours that follows from the number of training images is seen", () => {
  const auto = plan(withSetting(small, "prior.neighbours=auto"), builtins);
  assertEquals(numberText(auto, GREY, 40), numberText(auto, GREY, 39));
  assert(numberText(auto, GREY, 45) !== numberText(auto, GREY, 44));
  assertEquals(numberText(auto, GREY, 700), numberText(auto, GREY, 600));
  const drawn = plan(withSetting(small, "layers.0.minOriginality=1"), builtins);
  assert(numberText(drawn, GREY, 3) !== numberText(drawn, GREY, 2));
});
