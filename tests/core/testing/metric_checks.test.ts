import { metricChecks } from "@patchloom/patchloom/testing";
import { assertEquals } from "@std/assert";
import type { PluginOf } from "../../../core/testing/check.ts";
import type { Metric, MetricInput, MetricResult } from "../../../core/metric.ts";
import { compiled } from "../../kernels_under_test.ts";
import { failures, type Fault, plainMetric, testFaults } from "./plain_plugins.ts";

/** The plain metric with something else around it; `spoil` is called once a `create`. */
function broken(
  spoil: (measure: Metric["measure"]) => Metric["measure"],
  more: Partial<Metric> = {},
): PluginOf<"metric"> {
  return {
    ...plainMetric,
    create(values: { step: number }) {
      const inner = plainMetric.create(values);
      return { ...inner, measure: spoil((input) => inner.measure(input)), ...more };
    },
  };
}

/** The plain metric with another result. */
function giving(change: (result: MetricResult, input: MetricInput) => object, more: Partial<Metric> = {}) {
  return broken((measure) => (input) => {
    const result = measure(input);
    return { ...result, ...change(result, input) };
  }, more);
}

const ONCE = { separable: false }, REPEATS = "gives the same result every time", SCORES = "scores ";
const BACK = "releases its kernel memory (", FAILS = "releases its kernel memory if a kernel fails";
const ORDER = "gives an image its value in any order", PART = "gives an image its value in a part";
const COUNT = /one value for each image of `of`, 12 .*, got 11 for good images/;
let calls = 0;

const faults: Fault<PluginOf<"metric">>[] = [
  ["another api", { ...plainMetric, api: 0 as 1 }, { "is a metric": /"far": expected api 1, got 0/ }],
  ["another result every time", giving(({ values }) => ({ values: values.map((value) => value + ++calls) })), {
    [REPEATS]: /the same result every time, got \.\.\./,
    [ORDER]: /./,
    [PART]: /./,
    "gives the same on the twin": /the same on the twin and on the WebAssembly kernels, got/,
  }],
  [
    "a result that hangs on the last one",
    broken((measure) => {
      let last = 0;
      return (input) => {
        const result = measure(input), values = result.values.map((value) => value + last);
        last = input.generated.count;
        return { ...result, values };
      };
    }),
    { [REPEATS]: /the same result every time/ },
  ],
  ["chance that changes nothing", giving(() => (Math.random(), {})), {
    "uses no random numbers": /a call of Math.random\(\)/,
  }],
  ["a value too few", giving(({ values }) => ({ values: values.subarray(1) }), ONCE), { [SCORES]: COUNT }],
  ["a value too many", giving(({ values }) => ({ values: Float64Array.of(1, ...values) }), ONCE), {
    [SCORES]: /values of at most 12 images, got 13 for good images/,
  }],
  ["values that are a list", giving(({ values }) => ({ values: [...values] }), ONCE), {
    [SCORES]: /values, a Float64Array, got \[.*\.\.\. for good images/,
  }],
  ["values of who knows what", giving(() => ({ of: "images" }), ONCE), {
    [SCORES]: /`of` to be generated, training or both, got images for good images/,
  }],
  [
    "fewer values without a word",
    giving(({ values }, { generated, training }) => ({
      values: values.subarray(0, Math.min(generated.count, training.count)),
    }), ONCE),
    { "scores more generated than training images": /12 \(or fewer and a warning/, "scores one training": /./ },
  ],
  ["an infinite value", giving(({ values }, { heldOut }) => heldOut ? {} : { values: values.map(() => Infinity) }), {
    "scores no held-out images": /finite, or NaN for an image without one, got Infinity for no held-out images/,
    "scores one image, which": /./,
  }],
  ["a series of another length", giving(() => ({ series: { away: new Float64Array(99) } })), {
    [SCORES]: /series "away" of at most 12 images, got 99/,
  }],
  ["a setting that is a list", giving(() => ({ settings: { counts: [1, 2] } })), {
    [SCORES]: /setting "counts" to be a finite number or a text, got \[1,2\]/,
  }],
  ["an empty warning", giving(() => ({ warnings: [""] })), { [SCORES]: /each warning to be one line of text, got ""/ }],
  [
    "an error for one image",
    broken((measure) => (input) => {
      if (input.generated.count === 1) throw new Error("too few");
      return measure(input);
    }, ONCE),
    { [SCORES]: /no error where it scores one generated image \(twin\), got: too few/, [REPEATS]: /too few/ },
  ],
  [
    "no error for no images",
    broken((measure) => (input) => {
      if (input.generated.count > 0) return measure(input);
      return { values: new Float64Array(), of: "generated", series: {}, settings: {}, warnings: [] };
    }),
    {
      "refuses no generated": /an Error of one sentence .* for no generated images, got a result/,
      "refuses no images": /./,
    },
  ],
  [
    "an accident in place of a sentence",
    broken((measure) => (input) => {
      if (input.training.count === 0) (undefined as unknown as MetricInput).patch.toFixed();
      return measure(input);
    }),
    { "refuses no training": /names the metric .*, got Cannot read properties of undefined/, "refuses no images": /./ },
  ],
  ["memory that is kept", giving((_, { kernels }) => (kernels.allocate(16), {})), {
    [BACK]: /its kernel memory to be released, got 80 bytes kept/,
  }],
  [
    "memory that is kept where a kernel throws",
    broken((measure) => (input) => {
      const mark = input.kernels.mark();
      input.kernels.allocate(16);
      const result = measure(input);
      input.kernels.release(mark);
      return result;
    }),
    {
      [FAILS]: /its kernel memory to be released if a kernel throws, got 80 bytes kept after call 2 of 2/,
      "refuses no": /its kernel memory to be released if it throws, too, got 80 bytes kept/,
    },
  ],
  ["inputs that are written", giving((_, { kernels, training }) => (kernels.u8(training.at, 1)[0] ^= 1, {})), {
    "writes to memory of its own": /inputs that are left as they were, got a change of the training images/,
  }],
  ["labels that are written", giving((_, { labels }) => (labels!.training[3] ^= 1, {}), { together: true }), {
    "writes to memory of its own": /a change of the labels/,
  }],
  ["separable, but sorted", giving(({ values }) => ({ values: values.toSorted() })), {
    [ORDER]: /values in the order of the generated images, got/,
    [PART]: /the same values where the set is split after 1, got/,
  }],
  [
    "separable, but relative to the others",
    giving(({ values }) => {
      const most = Math.max(...values);
      return { values: values.map((value) => value / most), warnings: most > 0 ? [] : ["all are equal"] };
    }),
    { [PART]: /the same values where the set is split after 1, got/ },
  ],
  ["separable, but of the training images", giving(() => ({ of: "training" })), {
    [ORDER]: /values of the generated images, being separable, got values of training/,
    [PART]: /./,
    [SCORES]: /./,
  }],
  [
    "the same score for anything",
    giving(({ values, settings }) => ({
      values: values.map(() => Number(settings.step)),
    })),
    { "scores copies and noise differently": /copies of training images and noise to score differently, got 1 and 1/ },
  ],
  [
    "no score",
    giving(({ values, settings }) => ({
      values: values.map(() => NaN),
      warnings: ["there is no score"],
      series: { step: values.map(() => Number(settings.step)) },
    })),
    { "scores copies and noise differently": /to score differently, got NaN and NaN/ },
  ],
  ["an option that shows in the settings only", {
    ...plainMetric,
    create: ({ step }: { step: number }) => ({
      separable: true,
      measure: (input) => ({ ...plainMetric.create({ step: 1 }).measure(input), settings: { step } }),
    }),
  }, { 'listens to option "step"': /option "step" to change the output, got the same output for 1, 2, 9/ }],
  [
    "other numbers on other kernels",
    giving(({ values }, { generated }) => ({
      values: values.map((value) => generated.at < 100 ? value : value + 1),
    })),
    { "gives the same on the twin": /the same on the twin and on the WebAssembly kernels, got/ },
  ],
];

const module = compiled("kernels.wasm");
testFaults(faults, (plugin) => metricChecks(plugin, { module }));

Deno.test("metricChecks: the plain metric passes, with and without a module", async () => {
  assertEquals(await failures(metricChecks(plainMetric)), new Map());
  assertEquals(await failures(metricChecks(plainMetric, { module })), new Map());
});

Deno.test("metricChecks: fewer values pass where a warning says so", async () => {
  const cut = giving(({ values }, { generated, training }) => ({
    values: values.subarray(0, Math.min(generated.count, training.count)),
    warnings: ["compares equally many"],
  }), ONCE);
  assertEquals(await failures(metricChecks(cut)), new Map());
});
