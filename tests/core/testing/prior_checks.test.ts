import { finish } from "../../../core/steps.ts";
import { priorChecks } from "@patchloom/patchloom/testing";
import { assertEquals } from "@std/assert";
import type { PluginOf } from "../../../core/testing/check.ts";
import type { PriorParts } from "../../../core/types.ts";
import { compiled } from "../../kernels_under_test.ts";
import { failures, type Fault, testFaults } from "./plain_plugins.ts";
import { after, asked, broken, plainPrior } from "./plain_prior.ts";

const BATCH = "draws for an image the same alone", HISTORY = "draws the same whatever was drawn before";
const TWICE = "fitted twice", CHANCE = "uses no random numbers", WRITES = "writes only to its output";
const GROWS = "takes its kernel memory in fit", EMPTY = "does nothing for a batch of no images";
const PARTS = "draws the same where it was fitted in parts";
const ENGINE = "synthesizes an image the same in any batch";
const DISPOSED = "can be disposed of twice";
let shared = 0, gone = false;

/** The plain prior in one part that holds its option; where it is loaded, with `rho` more; trusting: whatever is loaded. */
function inParts({ rho = 0, trusting = false } = {}): PluginOf<"prior"> {
  const create = (values: { most: number }) => {
    const inner = plainPrior.create(values), bytes = Uint8Array.of(1, 2, 3, 4, values.most);
    const parts: PriorParts = {
      count: () => 1,
      fit: () => bytes.slice(),
      load(layer, parts) {
        if (!trusting && (parts.length !== 1 || String(parts[0]) !== String(bytes))) throw new Error("other parts");
        const { draw } = finish(inner.fit(layer));
        return {
          draw: (at, measurements, step, ...more) => draw(at, measurements, { ...step, rho: step.rho + rho }, ...more),
        };
      },
    };
    return { ...inner, parts };
  };
  return { ...plainPrior, create };
}

const faults: Fault<PluginOf<"prior">>[] = [
  ["another api", { ...plainPrior, api: 2 as 1 }, {
    "is a prior": /"plain": expected api 1, got 2/,
    [ENGINE]: /Cannot register/,
  }],
  ["a bad name", { ...plainPrior, name: "Plain" as "plain" }, {
    "has a name": /"Plain": expected a name of lower case/,
    [ENGINE]: /Cannot register prior "Plain"/,
  }],
  ["Math.random in draw, with the same result", after(() => void Math.random()), {
    [CHANCE]: /no random numbers but those it gets, and no clock, got a call of Math.random\(\)/,
  }],
  [
    "performance.now in fit, its error caught",
    broken(() => {
      try {
        performance.now();
      } catch { /* as a careless author would */ }
      return {};
    }),
    { [CHANCE]: /got a call of performance.now\(\)/ },
  ],
  ["the time of day", after(() => void new Date()), { [CHANCE]: /got a call of new Date\(\)/ }],
  ["a random number of the host's", after(() => void crypto.randomUUID()), {
    [CHANCE]: /call of crypto.randomUUID\(\)/,
  }],
  [
    "a draw that hangs on its place in the batch",
    asked((at, measurements, step, random, out) => {
      const uniforms = (to: Float64Array) => (random.uniforms(to), to.fill(to[0]));
      return [at, measurements, step, { uniforms }, out];
    }),
    {
      [BATCH]: /an image's draw to be the same in any batch, got other numbers at \(0, 0\)/,
      [ENGINE]: /the same images in one batch and in two, got \d+ and \d+ at/,
    },
  ],
  [
    "a draw that hangs on the last one",
    broken((_, draw) => {
      let kept: Float32Array | undefined;
      return {
        draw(at, measurements, step, random, out) {
          draw(at, measurements, step, random, out);
          if (kept?.length === out.patches.length && step.iteration > 0) {
            out.patches.set(kept);
            out.sources.fill(-1);
          }
          kept = out.patches.map((value) => 0.99 * value); // no copies, so without a source
        },
      };
    }),
    { [HISTORY]: /a draw to be the same whatever was drawn or looked at before, got other numbers/ },
  ],
  [
    "draws that are kept for other LR images",
    broken((_, draw) => {
      const kept = new Map<string, { patches: Float32Array; sources: Int32Array }>();
      return {
        draw(at, measurements, step, random, out) {
          draw(at, measurements, step, random, out);
          // Of the LR images nothing but their address tells.
          const key = `${at.y} ${at.x} ${step.iteration} ${measurements.batch} ${measurements.lr.byteOffset}`,
            before = kept.get(key);
          if (before) out.patches.set(before.patches);
          if (before) out.sources.set(before.sources);
          kept.set(key, { patches: out.patches.slice(), sources: out.sources.slice() });
        },
      };
    }),
    {
      [HISTORY]: /a draw to be the same whatever was drawn/,
      "draws something else": /./,
      "draws nearer": /./,
    },
  ],
  [
    "candidates that disturb later draws",
    broken((_, draw) => {
      let looked = 0;
      return {
        draw: (at, measurements, step, random, out) =>
          draw(at, measurements, { ...step, rho: step.rho * 10 ** looked }, random, out),
        candidates: (at) => ({ sources: new Int32Array([looked++ % 2, at.y, at.x]), logT: new Float64Array(1) }),
      };
    }),
    { [HISTORY]: /whatever was drawn or looked at before/, "draws one of its candidates": /./ },
  ],
  [
    "a state that two fits share",
    broken((_, draw) => {
      const mine = ++shared;
      return {
        draw: (at, measurements, step, random, out) =>
          draw(at, measurements, { ...step, rho: mine === shared ? 0.1 : 100 }, random, out),
      };
    }),
    {
      [TWICE]: /two fits side by side not to disturb each other, got other numbers/,
      [HISTORY]: /./,
      "draws nearer": /./,
    },
  ],
  ["writing the LR images", after((_, _at, measurements) => measurements.lr[0] += 1), {
    [WRITES]: /`out` only, got a change of measurements.lr at \(0, 0\)/,
    [ENGINE]: /./,
  }],
  ["writing the measured patches", after((_, _at, measurements) => measurements.patches[0] += 1), {
    [WRITES]: /a change of measurements.patches/,
  }],
  ["writing the training rows", after((_, _at, _now, { kernels, hr }) => kernels.u8(hr.at, 9)[8] ^= 1), {
    [WRITES]: /a change of the training rows/,
  }],
  ["writing the training planes in fit", broken(({ kernels, lr }) => (kernels.u8(lr.at, 1)[0] ^= 1, {})), {
    [WRITES]: /fit not to write to its inputs, got a change of the training planes/,
  }],
  [
    "writing behind the patches",
    after(({ patches }, _at, _now, { kernels }) => {
      kernels.u8(patches.byteOffset + patches.byteLength, 1)[0] = 1;
    }),
    { [WRITES]: /a change of the memory behind out.patches/ },
  ],
  [
    "writing sources of more images than there are",
    broken(({ kernels }, draw) => ({
      draw(at, measurements, step, random, out) {
        draw(at, measurements, step, random, out);
        kernels.i32(out.sources.byteOffset, 3 * measurements.batch + 3)[3 * measurements.batch] = 7;
      },
    })),
    {
      [WRITES]: /a change of the memory behind out.sources/,
      [EMPTY]: /to do nothing, got a change of the memory behind/,
    },
  ],
  [
    "what two fits share, disposed of by one",
    broken((_, draw) => {
      gone = false;
      return {
        draw(at, measurements, step, random, out) {
          draw(at, measurements, step, random, out);
          if (gone) out.sources.fill(-1);
        },
        dispose: () => void (gone = true),
      };
    }),
    { [DISPOSED]: /expected dispose to leave other fits alone, got / },
  ],
  [
    "an error where it is disposed of again",
    broken(() => {
      let left = false;
      return {
        dispose() {
          if (left) throw new Error("closed twice");
          left = true;
        },
      };
    }),
    { [DISPOSED]: /got: closed twice/ },
  ],
  [
    "memory taken in draw and given back",
    after((_, _at, _now, { kernels }) => {
      const mark = kernels.mark();
      kernels.allocate(100);
      kernels.release(mark);
    }),
    { [GROWS]: /draw to work in the memory that fit allocated, got a call of allocate\(100\) at \(0, 0\)/ },
  ],
  ["memory that draw makes grow", after((_, _at, _now, { kernels }) => void kernels.memory.grow(1)), {
    [GROWS]: /got a larger memory/,
    [ENGINE]: /grew kernel memory in draw/,
  }],
  [
    "memory given back that is not its own",
    after((_, _at, _now, { kernels }) => kernels.release(kernels.mark() - 16)),
    {
      [GROWS]: /-16 bytes more in use/,
    },
  ],
  [
    "an error for no images",
    broken((_, draw) => ({
      draw(at, measurements, ...more) {
        if (measurements.batch === 0) throw new Error("none");
        draw(at, measurements, ...more);
      },
    })),
    { [EMPTY]: /no error where it does nothing for a batch of no images, got: none/, "fills every patch": /got: none/ },
  ],
  ["parts whose draws are others", inParts({ rho: 10 }), {
    [PARTS]: /the same draws after `fit` and after `load` of all parts, got /,
  }],
  ["parts that nobody looks at", inParts({ trusting: true }), {
    "refuses to load": /load to refuse no parts at all, got no error/,
  }],
  ["an option that does nothing", { ...plainPrior, create: () => plainPrior.create({ most: 12 }) }, {
    'listens to option "most"': /option "most" to change the output, got the same output for 12, 24, 6, 13/,
  }],
];

testFaults(faults, priorChecks);

Deno.test("priorChecks: the plain prior passes, with and without a module", async () => {
  assertEquals(await failures(priorChecks(plainPrior)), new Map());
  assertEquals(await failures(priorChecks(plainPrior, { module: compiled("kernels.wasm") })), new Map());
});

Deno.test("priorChecks: a prior in parts passes", async () => {
  assertEquals(await failures(priorChecks(inParts())), new Map());
});

Deno.test("priorChecks: a prior that the two sets of kernels differ for", async () => {
  // What lies where tells the two apart: the module's own data comes first.
  const telling = broken(({ hr }, draw) => ({
    draw: (at, measurements, step, random, out) =>
      draw(at, measurements, { ...step, rho: step.rho + (hr.at < 100 ? 0 : 10) }, random, out),
  }));
  const found = await failures(priorChecks(telling, { module: compiled("kernels.wasm") }));
  const said = found.get("gives the same on the twin and on the WebAssembly kernels")!;
  assertEquals(said.split(", got ")[0], 'prior "plain": expected the same on the twin and on the WebAssembly kernels');
});

Deno.test("priorChecks: chance and clocks are back afterwards", async () => {
  const before = [Math.random, Date, Date.now, performance.now, crypto.randomUUID];
  await failures(priorChecks(faults.find(([what]) => what.startsWith("Math.random"))![1]));
  assertEquals([Math.random, Date, Date.now, performance.now, crypto.randomUUID], before);
  assertEquals([Object.hasOwn(performance, "now"), Object.hasOwn(crypto, "randomUUID")], [false, false]);
});
