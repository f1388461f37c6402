/** The conformance suite of metrics. */
import { numbersFrom } from "../numbers.ts";
import type { Kernels } from "../kernels.ts";
import { nameOf, said } from "../plugin_error.ts";
import { optionValues } from "../options.ts";
import type { MetricResult } from "../metric.ts";
import { checkedResult, checkNumbers } from "../metric_result.ts";
import { withoutChance } from "./chance.ts";
import {
  type Check,
  difference,
  expect,
  expectLine,
  formChecks,
  type KernelCheck,
  type KernelCheckOptions,
  onKernels,
  optionChecks,
  type PluginOf,
  runners,
  sameOnBoth,
  textOf,
  titled,
} from "./check.ts";
import { EMPTY, GOOD, HARD, labelled, metricFixture, part, resultOf, type Sets } from "./metric_fixture.ts";
import { noise } from "./small_images.ts";

/**
 * The checks that every metric must pass: its result is complete and reproducible, it releases its kernel memory and leaves
 * its input unchanged.
 *
 * @example
 * ```ts
 * import { builtins } from "@patchloom/patchloom";
 * import { metricChecks } from "@patchloom/patchloom/testing";
 *
 * const plugin = builtins.find("metric", "sharpness"); // or your own
 * for (const [title, check] of metricChecks(plugin)) {
 *   await check(); // in a test file: Deno.test(title, check)
 *   console.log(`ok: ${title}`);
 * }
 * ```
 */
export function* metricChecks(plugin: PluginOf<"metric">, options: KernelCheckOptions = {}): Iterable<Check> {
  const checks = [
    ...repeatChecks(plugin),
    ...[["good images", GOOD] as const, ...HARD].map(([title, sets]) => resultCheck(plugin, title, sets)),
    ...EMPTY.map(([title, sets]) => emptyCheck(plugin, title, sets)),
    ...memoryChecks(plugin),
    ...separableChecks(plugin),
    scoreCheck(plugin),
  ];
  const [[, onTwin]] = runners();
  // Without `settings`, which repeat the options.
  const numbers = ({ values, series }: MetricResult) => textOf({ values, series });
  yield* titled(plugin, formChecks(plugin, "metric"));
  yield* titled(plugin, onKernels(checks, options.module));
  yield* titled(
    plugin,
    optionChecks(plugin, (values) => onTwin((kernels) => numbers(resultOf(plugin, kernels, GOOD, values))), options),
  );
  yield* titled(plugin, sameOnBoth(plugin, options.module, (kernels) => textOf(resultOf(plugin, kernels, GOOD))));
}

function repeatChecks(plugin: PluginOf<"metric">): KernelCheck[] {
  return [
    ["gives the same result every time", (kernels) => {
      const wanted = textOf(resultOf(plugin, kernels, GOOD));
      const metric = plugin.create(optionValues(plugin, {}));
      // Other sets in between: nothing kept from them may change the result.
      for (const sets of [GOOD, HARD[0][1], GOOD, HARD[2][1], GOOD]) {
        const { result, error } = metricFixture(plugin, kernels, sets, { metric });
        if (!result) throw error;
        const found = textOf(result);
        expect(sets !== GOOD || found === wanted, plugin, "the same result every time", difference(wanted, found));
      }
    }],
    ["uses no random numbers and no clock", (kernels) => {
      withoutChance(plugin, () => void resultOf(plugin, kernels, GOOD));
    }],
  ];
}

/** Checks that a result is complete: one value an image, finite or NaN, and readable warnings. */
function resultCheck(plugin: PluginOf<"metric">, title: string, sets: Sets): KernelCheck {
  return [`scores ${title}`, (kernels) => {
    const { result, error } = metricFixture(plugin, kernels, sets);
    if (!result) throw error;
    const generated = sets.generated.images.count;
    const training = sets.training.images.count;
    const counts = { generated, training, both: generated + training };
    // The same as in a run: see `core/metric_result.ts`.
    try {
      checkNumbers(checkedResult(result, counts), counts);
    } catch (cause) {
      throw new Error(`${nameOf(plugin)}: ${said(cause)} for ${title}`, { cause });
    }
    const { values, of, series, warnings, standardError } = result;
    // With `of: "both"`, a series may be of one of the sets.
    const lengths = of === "both"
      ? [values.length, generated, training, Math.min(generated, training)]
      : [values.length];
    for (const [name, { length }] of Object.entries(series)) {
      const wanted = `series "${name}" to have one number a value, ${values.length}`;
      expect(lengths.includes(length), plugin, wanted, String(length));
    }
    const isError = standardError === undefined || (standardError >= 0 && Number.isFinite(standardError));
    expect(isError, plugin, "a standard error that is finite and at least 0, or none", `${standardError} for ${title}`);
    for (const warning of warnings) expectLine(plugin, "each warning", warning);
  }];
}

function emptyCheck(plugin: PluginOf<"metric">, title: string, sets: Sets): KernelCheck {
  return [`refuses ${title} in one sentence`, (kernels) => {
    const { error, kept } = metricFixture(plugin, kernels, sets);
    // An error that does not name the metric was not meant for its user.
    const found = error === undefined ? "a result" : said(error);
    const fits = error instanceof Error && error.message.includes(plugin.name) && !error.message.includes("\n");
    expect(fits, plugin, `an Error of one sentence that names the metric for ${title}`, found);
    expect(kept === 0, plugin, "its kernel memory to be released if it throws, too", `${kept} bytes kept`);
  }];
}

function memoryChecks(plugin: PluginOf<"metric">): KernelCheck[] {
  return [
    ["writes to memory of its own only", (kernels) => {
      const { wrote } = metricFixture(plugin, kernels, GOOD);
      expect(wrote === undefined, plugin, "inputs that are left as they were", `a change of ${wrote}`);
    }],
    ["releases its kernel memory", (kernels) => {
      const { kept } = metricFixture(plugin, kernels, GOOD);
      expect(kept === 0, plugin, "its kernel memory to be released", `${kept} bytes kept`);
    }],
    ["releases its kernel memory if a kernel fails", (kernels) => {
      const all = failing(kernels, Infinity);
      const wanted = "its kernel memory to be released if a kernel throws";
      metricFixture(plugin, kernels, GOOD, { given: all.kernels });
      // The first nine calls and about ten later ones: trying each of thousands would take too long.
      for (let call = 1; call <= all.calls(); call += call < 10 ? 1 : Math.ceil(all.calls() / 10)) {
        const { kept } = metricFixture(plugin, kernels, GOOD, { given: failing(kernels, call).kernels });
        expect(kept === 0, plugin, wanted, `${kept} bytes kept after call ${call} of ${all.calls()}`);
      }
    }],
  ];
}

const MEMORY = ["mark", "release", "u8", "i16", "i32", "u32", "f32", "f64"];

/** Kernels that throw at call number `last` of a kernel or of `allocate`, and the number of calls so far. */
function failing(kernels: Kernels, last: number): { kernels: Kernels; calls(): number } {
  let calls = 0;
  const entries = Object.entries(kernels).map(([name, member]) => {
    if (typeof member !== "function" || MEMORY.includes(name)) return [name, member];
    return [name, (...given: number[]) => {
      if (++calls === last) throw new Error("The kernels fail on purpose");
      return (member as (...given: number[]) => unknown)(...given);
    }];
  });
  return { kernels: Object.fromEntries(entries), calls: () => calls };
}

/** Checks of a separable metric: a host may split its generated images over several threads. */
function separableChecks(plugin: PluginOf<"metric">): KernelCheck[] {
  const images = numbersFrom(0, GOOD.generated.images.count);
  const valuesOf = (kernels: Kernels, numbers: readonly number[]) => {
    const { values, of } = resultOf(plugin, kernels, { ...GOOD, generated: part(GOOD.generated, numbers) });
    expect(of === "generated", plugin, "values of the generated images, being separable", `values of ${of}`);
    return [...values];
  };
  const check = (check: (kernels: Kernels) => void) => (kernels: Kernels) => {
    if (plugin.create(optionValues(plugin, {})).separable) check(kernels);
  };
  return [
    [
      "gives an image its value in any order, if it is separable",
      check((kernels) => {
        const numbers = images.map((i) => i * 5 % images.length);
        const values = valuesOf(kernels, images);
        const [wanted, found] = [numbers.map((i) => values[i]), valuesOf(kernels, numbers)].map((list) =>
          list.join(", ")
        );
        expect(found === wanted, plugin, "values in the order of the generated images", difference(wanted, found));
      }),
    ],
    [
      "gives an image its value in a part of the set, if it is separable",
      check((kernels) => {
        const wanted = valuesOf(kernels, images).join(", ");
        for (const at of [1, 5, images.length - 1]) {
          const parts = [images.slice(0, at), images.slice(at)];
          const found = parts.flatMap((numbers) => valuesOf(kernels, numbers)).join(", ");
          expect(
            found === wanted,
            plugin,
            `the same values where the set is split after ${at}`,
            difference(wanted, found),
          );
        }
      }),
    ],
  ];
}

function scoreCheck(plugin: PluginOf<"metric">): KernelCheck {
  return ["scores copies and noise differently", (kernels) => {
    const score = (generated: Sets["generated"]) => {
      const values = resultOf(plugin, kernels, { ...GOOD, generated }).values.filter((value) => !Number.isNaN(value));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const copies = score(GOOD.training);
    const noisy = score(labelled(noise(GOOD.generated.images.count)));
    const differ = Math.abs(copies - noisy) > 1e-9 * Math.max(Math.abs(copies), Math.abs(noisy));
    expect(differ, plugin, "copies of training images and noise to score differently", `${copies} and ${noisy}`);
  }];
}
