/** The conformance suite of denoisers. */
import { borrowing, type Kernels } from "../kernels.ts";
import type { Values } from "../plugin.ts";
import { withoutChance } from "./chance.ts";
import {
  type Check,
  difference,
  expect,
  formChecks,
  type KernelCheck,
  type KernelCheckOptions,
  onKernels,
  optionChecks,
  type PluginOf,
  runners,
  sameOnBoth,
  titled,
} from "./check.ts";
import {
  DENOISED_BATCH,
  type DenoiseOutcome,
  denoiserFixture,
  LEVELS,
  setText,
  TRAINING_SETS,
} from "./denoiser_fixture.ts";
import type { Images } from "../types.ts";

/**
 * The checks that every denoiser must pass: an image's estimate depends on that image and its random numbers alone, is filled in
 * for grey and colour images of any size, comes nearer to the image behind the noise, and nothing else changes.
 *
 * @example
 * ```ts
 * import { builtins } from "@patchloom/patchloom";
 * import { denoiserChecks } from "@patchloom/patchloom/testing";
 *
 * const plugin = builtins.find("denoiser", "local-score"); // or your own
 * for (const [title, check] of denoiserChecks(plugin)) {
 *   await check(); // in a test file: Deno.test(title, check)
 *   console.log(`ok: ${title}`);
 * }
 * ```
 */
export function* denoiserChecks(plugin: PluginOf<"denoiser">, options: KernelCheckOptions = {}): Iterable<Check> {
  const outcomes = outcomesOf(plugin);
  const checks = [...keyChecks(plugin), ...estimateChecks(plugin, outcomes), ...memoryChecks(plugin, outcomes)];
  const [[, onTwin]] = runners();
  yield* titled(plugin, formChecks(plugin, "denoiser"));
  yield* titled(plugin, onKernels(checks, options.module));
  yield* titled(
    plugin,
    optionChecks(plugin, (values) => onTwin((kernels) => denoiseAll(plugin, kernels, values)), options),
  );
  yield* titled(plugin, sameOnBoth(plugin, options.module, (kernels) => denoiseAll(plugin, kernels)));
}

/** What a plugin made for some training images: what `fit` changed, if anything, and the batch at each level. */
interface Outcomes {
  readonly wrote?: string;
  readonly atLevels: readonly DenoiseOutcome[];
}

/** Returns a function that gives the outcomes on some kernels. They are made once, for all checks that look at them. */
function outcomesOf(plugin: PluginOf<"denoiser">): (kernels: Kernels, training: Images) => Outcomes {
  const made = new WeakMap<Kernels, Map<Images, Outcomes>>();
  return (kernels, training) => {
    const own = made.get(kernels) ?? new Map<Images, Outcomes>();
    made.set(kernels, own);
    const make = () => {
      const { wrote, denoise } = denoiserFixture(plugin, kernels, training);
      return { wrote, atLevels: LEVELS.map((noise) => denoise(DENOISED_BATCH, noise)) };
    };
    if (!own.has(training)) own.set(training, borrowing(kernels, make));
    return own.get(training)!;
  };
}

/** The estimates of a batch at all levels, as text. */
function denoiseAll(plugin: PluginOf<"denoiser">, kernels: Kernels, values?: Values): string {
  const { texts } = denoiserFixture(plugin, kernels, TRAINING_SETS[0], values);
  return LEVELS.map((noise) => texts(DENOISED_BATCH, noise).join("; ")).join("\n");
}

/** Checks that an estimate depends on its image and level alone. */
function keyChecks(plugin: PluginOf<"denoiser">): KernelCheck[] {
  const same = (wanted: string, before: string, now: string) => {
    expect(before === now, plugin, wanted, difference(before, now));
  };
  return [
    ["denoises an image the same alone, among others and in any order", (kernels) => {
      const { texts } = denoiserFixture(plugin, kernels);
      const [a, b, ...rest] = DENOISED_BATCH;
      for (const noise of LEVELS) {
        const together = texts(DENOISED_BATCH, noise);
        for (const group of [[a], [b, a], rest, DENOISED_BATCH.toReversed()]) {
          texts(group, noise).forEach((text, i) => {
            same("the same estimate in any batch", together[DENOISED_BATCH.indexOf(group[i])], text);
          });
        }
      }
    }],
    ["denoises the same whatever was denoised before", (kernels) => {
      const used = denoiserFixture(plugin, kernels);
      const others = [5, 9, 2, 11, 4];
      const alone = LEVELS.map((noise) => {
        return borrowing(kernels, () => denoiserFixture(plugin, kernels).texts(DENOISED_BATCH, noise).join("; "));
      });
      for (const noise of [...LEVELS, ...LEVELS.toReversed()]) {
        used.denoise(others, LEVELS[(noise.step + 2) % LEVELS.length]);
        const now = used.texts(DENOISED_BATCH, noise).join("; ");
        same("the same estimate whatever was denoised before", alone[LEVELS.indexOf(noise)], now);
      }
    }],
    ["fitted twice, denoises as if each were alone", (kernels) => {
      const [grey, colour] = TRAINING_SETS;
      const noise = LEVELS[2];
      const alone = [grey, colour].map((training) => {
        return borrowing(kernels, () => denoiserFixture(plugin, kernels, training).texts(DENOISED_BATCH, noise));
      });
      const both = [grey, colour].map((training) => denoiserFixture(plugin, kernels, training));
      both.forEach(({ texts }, i) => {
        const now = texts(DENOISED_BATCH, noise).join("; ");
        same("two fits side by side not to disturb each other", alone[i].join("; "), now);
      });
    }],
    ["uses no random numbers but those it gets, and no clock", (kernels) => {
      withoutChance(plugin, () => {
        const { denoise } = denoiserFixture(plugin, kernels);
        for (const noise of LEVELS) denoise(DENOISED_BATCH, noise);
      });
    }],
  ];
}

/** The mean squared difference of two images. */
function meanSquare(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length;
}

/** Checks of what a denoiser estimates. */
function estimateChecks(plugin: PluginOf<"denoiser">, outcomes: ReturnType<typeof outcomesOf>): KernelCheck[] {
  const ofSets = (title: string, check: (outcome: DenoiseOutcome, where: string) => void): KernelCheck[] => {
    return TRAINING_SETS.map((training) => [`${title}, for ${setText(training)}`, (kernels) => {
      outcomes(kernels, training).atLevels.forEach((outcome, i) => check(outcome, `at step ${LEVELS[i].step}`));
    }]);
  };
  return [
    ...ofSets("fills all values with finite numbers", ({ images }, where) => {
      const wrong = images.find((value) => !Number.isFinite(value));
      expect(wrong === undefined, plugin, "finite numbers in all of out.images", `${wrong} ${where}`);
    }),
    ...ofSets("says what a pixel consists of in weights that sum to 1, if it says so", ({ weights }, where) => {
      for (const shares of weights) {
        const sum = shares.reduce((all, share) => all + share, 0);
        const fits = shares.every((share) => share >= 0);
        const wanted = "a weight of at least 0 for each training image, which sum to 1";
        expect(fits && Math.abs(sum - 1) < 1e-4, plugin, wanted, `a sum of ${sum} ${where}`);
      }
    }),
    ["comes nearer to the image behind much noise", (kernels) => {
      const { images, clean, scaled } = outcomes(kernels, TRAINING_SETS[0]).atLevels[1];
      const [before, after] = [scaled, images].map((estimate) => meanSquare(estimate, clean));
      const wanted = `a mean squared error below that of the noisy image, ${before.toFixed(4)}`;
      expect(after < before, plugin, wanted, after.toFixed(4));
    }],
  ];
}

/** What a denoiser must leave alone. */
function memoryChecks(plugin: PluginOf<"denoiser">, outcomes: ReturnType<typeof outcomesOf>): KernelCheck[] {
  return [
    ["writes only to its output", (kernels) => {
      for (const training of TRAINING_SETS) {
        const { wrote, atLevels } = outcomes(kernels, training);
        expect(wrote === undefined, plugin, "fit not to write to its inputs", `a change of ${wrote}`);
        for (const { wrote } of atLevels) {
          expect(wrote === undefined, plugin, "denoise to write to `out` only", `a change of ${wrote}`);
        }
      }
    }],
    ["takes its kernel memory in fit, none in denoise", (kernels) => {
      for (const { grew } of outcomes(kernels, TRAINING_SETS[0]).atLevels) {
        expect(grew === undefined, plugin, "denoise to work in the memory that fit allocated", String(grew));
      }
    }],
    ["can be disposed of twice, without harm to a fit beside it", (kernels) => {
      const [left, kept] = [denoiserFixture(plugin, kernels), denoiserFixture(plugin, kernels)];
      const before = kept.texts(DENOISED_BATCH, LEVELS[1]).join("; ");
      for (let time = 0; time < 2; time++) left.fitted.dispose?.();
      const after = kept.texts(DENOISED_BATCH, LEVELS[1]).join("; ");
      expect(before === after, plugin, "dispose to leave other fits alone", difference(before, after));
    }],
    ["does nothing for a batch of no images", (kernels) => {
      const { denoise, texts } = denoiserFixture(plugin, kernels);
      const before = texts(DENOISED_BATCH, LEVELS[1]).join("; ");
      for (const noise of LEVELS) {
        const { wrote = "nothing", grew = "nothing" } = denoise([], noise);
        const did = wrote !== "nothing" ? `a change of ${wrote}` : grew;
        expect(did === "nothing", plugin, "denoising no images to do nothing", did);
      }
      const after = texts(DENOISED_BATCH, LEVELS[1]).join("; ");
      expect(before === after, plugin, "denoising no images to change nothing later", difference(before, after));
    }],
  ];
}
