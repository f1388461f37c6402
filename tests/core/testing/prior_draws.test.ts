import { type PriorCheckOptions, priorChecks } from "@patchloom/patchloom/testing";
import { assert, assertEquals } from "@std/assert";
import { readPatch } from "../../../core/patches.ts";
import type { PluginOf } from "../../../core/testing/check.ts";
import { after, asked, broken, plainPrior } from "./plain_prior.ts";
import { failures, type Fault, testFaults } from "./plain_plugins.ts";

const FILLS = "fills every patch and names its source", CANDIDATES = "draws one of its candidates";
const BATCH = "draws for an image the same alone", ENGINE = "synthesizes an image the same in any batch";

/** Its uniform number is always the same. */
const fixed = asked((
  at,
  measurements,
  step,
  _random,
  out,
) => [at, measurements, step, { uniforms: (to) => void to.fill(0.5) }, out]);
/** Its rho is always the same. */
const blind = asked((at, measurements, step, random, out) => [at, measurements, { ...step, rho: 1 }, random, out]);

/** It names no source of a patch that two training images have: as a middle of several patches, which often is one of them. */
const shared = after((out, at, _, layer) => {
  const area = layer.channels * layer.patch ** 2, other = new Float64Array(area);
  for (let b = 0; 3 * b < out.sources.length; b++) {
    const image = (out.sources[3 * b] + 3) % layer.hr.count;
    if (out.sources[3 * b] < 0 || image === out.sources[3 * b]) continue;
    readPatch(layer, image, at, other);
    if (other.every((value, p) => Math.fround(value) === out.patches[b * area + p])) out.sources[3 * b] = -1;
  }
});

/** Its layers have no context. */
const deaf: PluginOf<"prior"> = {
  ...plainPrior,
  create: (values: { most: number }) => ({ fit: (layer) => plainPrior.create(values).fit({ ...layer, context: [] }) }),
};

const faults: Fault<PluginOf<"prior">>[] = [
  ["patches left unfilled", after((out, _, measurements) => out.patches.fill(NaN, 16 * (measurements.batch - 1))), {
    [FILLS]: /all of out.patches to be numbers in \[0, 1\], got unfilled ones or NaN at \(0, 0\)/,
    [ENGINE]: /left a patch unfilled/,
    [BATCH]: /./,
    "draws nearer": /./,
  }],
  [
    "a number that is none",
    after((out, at) => out.patches[3] = at.x === 5 ? NaN : out.patches[3]),
    {
      [FILLS]: /unfilled ones or NaN at \(5, 12\)/,
      [BATCH]: /./,
      "draws nearer": /./,
    },
  ],
  [
    "a number out of range",
    after((out, _, measurements) => {
      for (let b = 0; b < measurements.batch; b++) out.patches[16 * b] = 1.5;
      out.sources.fill(-1);
    }),
    {
      [FILLS]: /numbers in \[0, 1\], got 1.5 at \(0, 0\)/,
      [ENGINE]: /drew 1.5 in draw at \(0, 0\), layer 1: expected/,
    },
  ],
  [
    "sources of other patches",
    after((out, at, measurements) => {
      for (let b = 0; b < measurements.batch; b++) out.sources[3 * b + 1] = at.y ^ 1;
    }),
    {
      [FILLS]:
        /the patch at its source \(\d, 1, 0\), the source -1, or a reason as `transforms`, got [\d.]+ where the training image has \d+/,
      [ENGINE]: /named a wrong source in draw at/,
    },
  ],
  [
    "sources outside of the images",
    after((out, _, measurements) => {
      for (let b = 0; b < measurements.batch; b++) out.sources.set([24, 13, 0], 3 * b);
    }),
    {
      [FILLS]: /sources to be -1 or \(image, y, x\) below \(24, 13, 13\), got \(24, 13, 0\)/,
      [ENGINE]: /named a wrong source in draw at .* below \(24, 5, 5\), got \(24, 13, 0\)/,
    },
  ],
  [
    "another source than any candidate",
    broken(() => ({
      candidates: () => ({ sources: new Int32Array([0, 1, 2]), logT: new Float64Array(1) }),
    })),
    { [CANDIDATES]: /the drawn patch among its candidates, got a patch from \(\d+,\d+,\d+\) at/ },
  ],
  [
    "candidates without their weights",
    broken(() => ({
      candidates: () => ({ sources: new Int32Array(6), logT: new Float64Array(1) }),
    })),
    { [CANDIDATES]: /\(image, y, x\) and one logT a candidate, got 6 numbers and 1/ },
  ],
  [
    "a weight that is no number",
    broken(() => ({
      candidates: () => ({ sources: new Int32Array(3), logT: Float64Array.of(NaN) }),
    })),
    { [CANDIDATES]: /logT of candidates below Infinity, got NaN/ },
  ],
  [
    "one channel of three",
    broken(({ patch, channels }, draw) => ({
      draw(at, measurements, step, random, out) {
        draw(at, measurements, step, random, out);
        const own = patch * patch;
        for (let b = 0; b < measurements.batch && channels > 1; b++) {
          out.patches.fill(NaN, (b * channels + 1) * own, (b + 1) * channels * own);
        }
      },
    })),
    {
      [`${FILLS} (images in colour that are not square)`]:
        /all of out.patches to be numbers in .*, got unfilled ones or NaN/,
    },
  ],
  [
    "rows and columns mixed up",
    after((out, at, measurements, { hr }) => {
      for (let b = 0; b < measurements.batch && hr.height !== hr.width; b++) {
        if (out.sources[3 * b] >= 0) out.sources.set([at.x, at.y], 3 * b + 1);
      }
    }),
    { [`${FILLS} (images in colour that are not square)`]: /the patch at its source/ },
  ],
  [
    "an error for one training image",
    broken(({ hr }) => {
      if (hr.count < 2) throw new Error("too few");
      return {};
    }),
    { [`${FILLS} (one training image)`]: /no error where it fills .*, got: too few/ },
  ],
  [
    "numbers that are none among equal images",
    after((out, _at, _now, { hr }) => {
      if (hr.count === 6) out.patches.fill(NaN);
    }),
    { [`${FILLS} (equal training images)`]: /unfilled ones or NaN/ },
  ],
  [
    "the same for every seed",
    fixed,
    { "draws something else": /other draws for another seed \(or `deterministic` with a reason\), got the same/ },
  ],
  ["the same for every rho", blind, {
    "draws nearer":
      /clearly nearer .* for rho 100 than for 0.01, got a mean squared distance that is less by 0\.0000 over 192 draws/,
  }],
  [
    "farther for a larger rho",
    asked((at, measurements, step, random, out) => [at, measurements, { ...step, rho: 1 / step.rho }, random, out]),
    {
      "draws nearer": /a mean squared distance that is less by -1\.\d+ over 192 draws/,
    },
  ],
  ["the same for any context", deaf, {
    "listens to contexts":
      /other draws with a context than without \(`lrDistance` .* or `ignoresContext` with a reason\), got/,
  }],
  ["copies without their source", after((out) => out.sources.fill(-1)), {
    "names the source of each copy": /the source \(\d+, 0, 0\) of a copied patch, got -1 at \(0, 0\)/,
  }],
  ["copies of what several images show, without their source", shared, {
    "names the source of each copy (equal": /the source \(0, 0, 0\) of a copied patch, got -1 at \(0, 0\)/,
    "names the source of each copy (training images that are alike)":
      /the source \(\d+, \d+, \d+\) of a copied patch, got -1 at/,
  }],
  [
    "samples where the likeliest is asked for",
    asked((at, measurements, step, random, out) => {
      return [at, measurements, { ...step, zStep: step.zStep === "map" ? "sample" : step.zStep }, random, out];
    }),
    { "draws the likeliest patch": /expected the same draws for every seed where .*, got others for map$/ },
  ],
];

testFaults(faults, priorChecks);

Deno.test("priorChecks: excuses need a reason, and to be needed", async () => {
  /** The sentences of all checks, or of those whose titles have some words: each takes a while. */
  const sentences = async (plugin: PluginOf<"prior">, options: PriorCheckOptions, words = "") => {
    const checks = [...priorChecks(plugin, options)].filter(([title]) => title.includes(words));
    assert(checks.length > 0, words);
    return [...await failures(checks)].map(([, sentence]) => sentence);
  };
  assertEquals(await sentences(fixed, { deterministic: "it takes the middle one" }), []);
  assertEquals(await sentences(blind, { ignoresRho: "it draws from the LR images alone" }), []);
  assertEquals(await sentences(fixed, { deterministic: "" }, "every seed"), [
    'prior "plain": expected a reason, in one line, why it is deterministic, got ""',
  ]);
  assertEquals(await sentences(plainPrior, { deterministic: "so I think" }, "every seed"), [
    'prior "plain": expected the same draws for every seed, as `deterministic` says, got others',
  ]);
  const [said, ...more] = await sentences(plainPrior, { ignoresRho: "so I think" });
  assertEquals(
    said.split(", got ")[0],
    'prior "plain": expected draws no nearer for a larger rho, as `ignoresRho` says',
  );
  assertEquals(more, []);
  assertEquals(await sentences(deaf, { ignoresContext: "the LR image does not guide it" }), []);
  assertEquals(await sentences(deaf, { ignoresContext: "" }, "any context"), [
    'prior "plain": expected a reason, in one line, why it ignores contexts, got ""',
  ]);
  assertEquals(await sentences(plainPrior, { ignoresContext: "so I think" }, "any context"), [
    'prior "plain": expected the same draws with any context, as `ignoresContext` says, got others',
  ]);
  const sampling = asked((
    at,
    measurements,
    step,
    random,
    out,
  ) => [at, measurements, { ...step, zStep: "sample" }, random, out]);
  assertEquals(await sentences(sampling, { samplesOnly: "it knows no mean" }), []);
  assertEquals(await sentences(sampling, { samplesOnly: "" }, "draws samples"), [
    'prior "plain": expected a reason, in one line, why it takes samples only, got ""',
  ]);
  assertEquals(await sentences(plainPrior, { samplesOnly: "so I think" }, "draws samples"), [
    'prior "plain": expected random draws, as `samplesOnly` says, got the same ones for every seed',
  ]);
  const darker = after((out) => out.patches.forEach((value, p) => out.patches[p] = 0.9 * value));
  // Black is no darker by night.
  assertEquals(await sentences(darker, { transforms: "it draws by night" }), []);
  for (
    const [given, wanted] of [["", "a reason, in one line, why its patches are no copies"], ["so I think", "differ"]]
  ) {
    const all = await sentences(plainPrior, { transforms: given }, "no copies");
    assertEquals([all.length > 0, all.every((sentence) => sentence.includes(wanted))], [true, true]);
  }
});
