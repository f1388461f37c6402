/** Checks of what a prior draws: complete patches, true sources, random where they should be, near to the measurements. */
import { copiedFrom } from "../draw_guard.ts";
import type { Kernels } from "../kernels.ts";
import { numbersFrom } from "../numbers.ts";
import { lengthOf } from "../shape.ts";
import type { ContextPixel, Images, ZStep } from "../types.ts";
import {
  AREA,
  BATCH,
  type DrawOutcome,
  drawRequests,
  LOCATIONS,
  PATCH,
  type PriorFixture,
  priorFixture,
  type PriorFixtureOptions,
  where,
} from "./prior_fixture.ts";
import { expect, expectReason, type KernelCheck, type KernelCheckOptions, type PluginOf } from "./check.ts";
import { blobs, pick, SIDE } from "./small_images.ts";

/** Options of `priorChecks`. A reason for an exemption that the prior does not need fails, too. */
export interface PriorCheckOptions extends KernelCheckOptions {
  /** Why it draws the same for every seed. */
  readonly deterministic?: string;
  /** Why a larger rho does not draw nearer to the measured patch. */
  readonly ignoresRho?: string;
  /** Why it draws the same with any context: the LR image does not guide it, or by other pixels than those of contexts. */
  readonly ignoresContext?: string;
  /** Why it draws at random even if `step.zStep` is map or mean. */
  readonly samplesOnly?: string;
  /** Why its patches differ from the training image at the source that it names. */
  readonly transforms?: string;
}

/** The checks of what is drawn. */
export function drawChecks(plugin: PluginOf<"prior">, reasons: PriorCheckOptions) {
  return [
    ...SETTINGS.map((setting) => fillCheck(plugin, setting, reasons.transforms)),
    ...COPIES.map((setting) => copyCheck(plugin, setting)),
    candidatesCheck(plugin),
    seedCheck(plugin, reasons.deterministic),
    rhoCheck(plugin, reasons.ignoresRho),
    contextCheck(plugin, reasons.ignoresContext),
    modeCheck(plugin, reasons),
  ];
}

/** The pixels of the patch's mirror position. */
const MIRRORED: readonly ContextPixel[] = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([dy, dx]) => {
  return { dy, dx, weight: 0.25, mirrored: true };
});

/**
 * Training sets, windows and contexts that every prior must support. Where all examples are alike, what a prior makes of several may
 * be equal to each of them.
 */
const SETTINGS: readonly [title: string, setting: PriorFixtureOptions, examples?: "alike"][] = [
  ["24 training images", {}],
  ["one training image", { training: blobs(1) }, "alike"],
  ["equal training images", { training: pick(blobs(1), numbersFrom(0, 6).map(() => 0)) }, "alike"],
  ["black training images", { training: { ...blobs(3), pixels: new Uint8Array(3 * SIDE * SIDE) } }, "alike"],
  ["no context and no window", { training: blobs(16), window: 0, context: [] }],
  ["a mirrored context", { context: MIRRORED }],
  ["a window of 3", { training: blobs(17), window: 3 }],
  ["images in colour that are not square", { training: blobs(12, 1, { height: SIDE, width: 24, channels: 3 }) }],
];

function fillCheck(
  plugin: PluginOf<"prior">,
  [title, setting, examples]: typeof SETTINGS[number],
  transforms?: string,
): KernelCheck {
  const named = transforms === undefined ? title : `${title}; patches are no copies: ${transforms}`;
  return [`fills every patch and names its source (${named})`, (kernels) => {
    const on = priorFixture(plugin, kernels, setting);
    let copies = 0;
    let others = 0;
    const modes = [...drawRequests(BATCH, { zStep: "map" }), ...drawRequests(BATCH, { zStep: "mean" })];
    for (const request of [...drawRequests(BATCH), ...drawRequests([7]), ...drawRequests([]), ...modes]) {
      const { patches, sources } = on.draw(request);
      const wrong = patches.find((value) => !(value >= 0 && value <= 1));
      const found = Number.isNaN(wrong) ? "unfilled ones or NaN" : String(wrong);
      expect(wrong === undefined, plugin, "all of out.patches to be numbers in [0, 1]", `${found} ${where(request)}`);
      request.images.forEach((_, b) => {
        const [image, y, x] = sources.subarray(3 * b, 3 * b + 3);
        if (image === -1) return;
        const area = on.layer.channels * AREA;
        const wrong = checkSource(plugin, on, [image, y, x], patches.subarray(b * area, (b + 1) * area), kernels);
        if (wrong === undefined) copies++;
        else others++;
        const found = `the patch at its source (${image}, ${y}, ${x}), the source -1, or a reason as \`transforms\``;
        expect(wrong === undefined || transforms !== undefined, plugin, found, wrong!);
      });
    }
    if (transforms === undefined) return;
    expectReason(plugin, "its patches are no copies", transforms);
    if (examples === "alike") return;
    expect(others > 0, plugin, "patches that differ from their source, as `transforms` says", `${copies} copies`);
  }];
}

/** Checks that a source lies in the training images. Returns where the patch differs from what is there, if it does. */
function checkSource(
  plugin: PluginOf<"prior">,
  { layer: { hr } }: PriorFixture,
  [image, y, x]: readonly number[],
  patch: Float32Array,
  kernels: Kernels,
): string | undefined {
  const inside = (value: number, end: number) => value >= 0 && value < end;
  const rows = hr.height - PATCH + 1;
  const columns = hr.width - PATCH + 1;
  const found = `(${image}, ${y}, ${x})`;
  const valid = inside(image, hr.count) && inside(y, rows) && inside(x, columns);
  expect(valid, plugin, `sources to be -1 or (image, y, x) below (${hr.count}, ${rows}, ${columns})`, found);
  const length = lengthOf(hr);
  const pixels = kernels.u8(hr.at + image * length, length);
  for (const [p, value] of patch.entries()) {
    const channel = Math.floor(p / AREA);
    const row = y + Math.floor(p % AREA / PATCH);
    const byte = pixels[(channel * hr.height + row) * hr.width + x + p % PATCH];
    if (!(Math.abs(value * 255 - byte) < 1e-3)) return `${value * 255} where the training image has ${byte}`;
  }
  return undefined;
}

/** Each of three images eight times, with another pixel changed: what is made of several patches often equals some of them. */
function alikeImages(): Images {
  const images = pick(blobs(3), numbersFrom(0, 24).map((i) => i % 3));
  for (const i of numbersFrom(0, 24)) images.pixels[i * SIDE * SIDE + (37 * i) % (SIDE * SIDE)] ^= 64;
  return images;
}

/** Training sets in which copies are looked for. */
const COPIES: readonly [title: string, setting: PriorFixtureOptions][] = [
  ["names the source of each copy", {}],
  ["names the source of each copy (equal training images)", {
    training: pick(blobs(1), numbersFrom(0, 6).map(() => 0)),
  }],
  ["names the source of each copy (training images that are alike)", { training: alikeImages() }],
];

/** Checks that copies have sources, as a run does. Means are left out: that of patches that are alike may be one of them. */
function copyCheck(plugin: PluginOf<"prior">, [title, setting]: typeof COPIES[number]): KernelCheck {
  return [title, (kernels) => {
    const on = priorFixture(plugin, kernels, setting);
    for (const request of [...drawRequests(BATCH), ...drawRequests(BATCH, { zStep: "map" })]) {
      const { patches, sources } = on.draw(request);
      request.images.forEach((_, b) => {
        if (sources[3 * b] !== -1) return;
        const copied = copiedFrom(kernels, patches.subarray(b * AREA, (b + 1) * AREA), request.at, on.layer.hr, PATCH);
        const source = `(${copied}, ${request.at.y}, ${request.at.x})`;
        expect(copied === undefined, plugin, `the source ${source} of a copied patch`, `-1 ${where(request)}`);
      });
    }
  }];
}

function candidatesCheck(plugin: PluginOf<"prior">): KernelCheck {
  return ["draws one of its candidates, if it lists them", (kernels) => {
    const on = priorFixture(plugin, kernels);
    for (const request of drawRequests(BATCH)) {
      const { sources, candidates } = on.draw({ ...request, look: true });
      candidates.forEach((told, b) => {
        const count = told.logT.length;
        const drawn = String(sources.subarray(3 * b, 3 * b + 3));
        const found = `${told.sources.length} numbers and ${count}`;
        expect(told.sources.length === 3 * count, plugin, "a source (image, y, x) and one logT a candidate", found);
        const wrong = told.logT.find((value) => Number.isNaN(value) || value === Infinity);
        expect(wrong === undefined, plugin, "logT of candidates below Infinity", String(wrong));
        const listed = numbersFrom(0, count).some((c) => String(told.sources.subarray(3 * c, 3 * c + 3)) === drawn);
        expect(listed, plugin, "the drawn patch among its candidates", `a patch from (${drawn}) ${where(request)}`);
      });
    }
  }];
}

function seedCheck(plugin: PluginOf<"prior">, deterministic?: string): KernelCheck {
  const title = deterministic === undefined
    ? "draws something else for another seed"
    : `draws the same for every seed: ${deterministic}`;
  return [title, (kernels) => {
    const { drawTexts, layer: { hr: { count } } } = priorFixture(plugin, kernels);
    const draws = (seed: number) =>
      drawRequests(BATCH, { seed, rho: 0.01, h: 10 }).map((request) => drawTexts(request).join()).join();
    const [one, ...others] = [1, 2, 2 ** 40].map(draws);
    const same = others.filter((other) => other === one).length;
    if (deterministic === undefined) {
      const found = `the same: from ${count} training images, does it take the best of all by its default options?`;
      expect(same === 0, plugin, "other draws for another seed (or `deterministic` with a reason)", found);
    } else {
      expectReason(plugin, "it is deterministic", deterministic);
      expect(same === 2, plugin, "the same draws for every seed, as `deterministic` says", "others");
    }
  }];
}

/** Checks that the likeliest patch and the mean do not depend on chance. */
function modeCheck(plugin: PluginOf<"prior">, { deterministic, samplesOnly }: PriorCheckOptions): KernelCheck {
  const title = samplesOnly === undefined
    ? "draws the likeliest patch and the mean without chance"
    : `draws samples even if the likeliest patch or the mean is requested: ${samplesOnly}`;
  return [title, (kernels) => {
    const { drawTexts } = priorFixture(plugin, kernels);
    const draws = (zStep: ZStep, seed: number) =>
      drawRequests(BATCH, { zStep, seed, rho: 0.01, h: 10 }).map((request) => drawTexts(request).join()).join();
    const chancy = (["map", "mean"] as const).filter((zStep) => draws(zStep, 1) !== draws(zStep, 2));
    if (samplesOnly === undefined) {
      const wanted = "the same draws for every seed where `step.zStep` is map or mean (or `samplesOnly` with a reason)";
      expect(chancy.length === 0, plugin, wanted, `others for ${chancy.join(" and ")}`);
    } else {
      expectReason(plugin, "it takes samples only", samplesOnly);
      const found = "the same ones for every seed";
      expect(chancy.length > 0 || deterministic !== undefined, plugin, "random draws, as `samplesOnly` says", found);
    }
  }];
}

/** Chance alone moves a mean by so many of its standard errors once in a thousand times. */
const CLEARLY = 3.1;

/** Checks that draws are clearly nearer to the measurements for a large rho: two draws from the same random numbers for each image and location. */
function rhoCheck(plugin: PluginOf<"prior">, ignoresRho?: string): KernelCheck {
  const title = ignoresRho === undefined
    ? "draws nearer to the measured patch for a larger rho"
    : `does not draw nearer for a larger rho: ${ignoresRho}`;
  return [title, (kernels) => {
    const images = numbersFrom(0, 24);
    const { draw } = priorFixture(plugin, kernels, { batch: images.length });
    const gains = LOCATIONS.flatMap((at) => {
      const [far, near] = [0.01, 100].map((rho) => distances(draw({ images, at, rho, h: 10 })));
      return images.map((_, b) => far[b] - near[b]);
    });
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1);
    const clearly = mean > CLEARLY * Math.sqrt(variance / gains.length);
    const found = `a mean squared distance that is less by ${mean.toFixed(4)} over ${gains.length} draws`;
    if (ignoresRho === undefined) {
      expect(clearly, plugin, "draws clearly nearer to the measured patch for rho 100 than for 0.01", found);
    } else {
      expectReason(plugin, "it ignores rho", ignoresRho);
      expect(!clearly, plugin, "draws no nearer for a larger rho, as `ignoresRho` says", found);
    }
  }];
}

/** Checks that draws depend on the pixels of contexts: without them, a user's `--context` would do nothing. */
function contextCheck(plugin: PluginOf<"prior">, ignoresContext?: string): KernelCheck {
  const title = ignoresContext === undefined
    ? "listens to contexts"
    : `draws the same with any context: ${ignoresContext}`;
  return [title, (kernels) => {
    const draws = (setting: PriorFixtureOptions) => {
      const { drawTexts } = priorFixture(plugin, kernels, setting);
      const parameters = [{ h: 0.1 }, { h: 10 }, { h: 0.1, zStep: "map" as const }];
      return parameters.flatMap((more) => drawRequests(BATCH, { rho: 0.01, ...more }).flatMap(drawTexts)).join("; ");
    };
    const listens = draws({}) !== draws({ context: [] });
    if (ignoresContext === undefined) {
      const wanted = "other draws with a context than without (`lrDistance` compares LR patches with their contexts; " +
        "or `ignoresContext` with a reason)";
      expect(listens, plugin, wanted, "the same");
    } else {
      expectReason(plugin, "it ignores contexts", ignoresContext);
      expect(!listens, plugin, "the same draws with any context, as `ignoresContext` says", "others");
    }
  }];
}

/** Squared distance of each image's draw to its measured patch. */
function distances({ patches, measured }: DrawOutcome): number[] {
  return numbersFrom(0, patches.length / AREA).map((b) => {
    return numbersFrom(0, AREA).reduce((sum, p) => sum + (patches[b * AREA + p] - measured[b * AREA + p]) ** 2, 0);
  });
}
