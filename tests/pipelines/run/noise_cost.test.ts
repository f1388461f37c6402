/** What servers rely on where clients set entries of `noise`: their work is counted before it runs, and no step is long. */
import { assert, assertEquals } from "@std/assert";
import { NOISE } from "../../../core/noise_entries.ts";
import { stream } from "../../../core/random.ts";
import { MIN_STEP } from "../../../core/steps.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { openSynthesizer } from "../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels } from "../../datasets/formats/packs.ts";

/** Images of bars at random places, of the size of the profile. */
function bars(count: number, side = 32): Pack {
  const random = stream(1), pixels = new Uint8Array(count * side * side);
  for (let i = 0; i < count; i++) {
    const [x, y] = [random.next(), random.next()].map((value) => Math.floor(value * (side - 4)));
    for (let p = 0; p < side; p++) {
      pixels.fill(200, (i * side + y + p % 3) * side + x, (i * side + y + p % 3) * side + x + 3);
    }
  }
  const seeds = { count: 1, height: 4, width: 4, channels: 1, images: new Float32Array(16).fill(0.5) } as const;
  return { profile: digits, origin: "bars", train: { images: { count, height: side, width: side, pixels } }, seeds };
}

/** For each entry its cheapest and its dearest value, with what it needs. No setting states regions: by default the whole image counts. */
const VALUES: Record<Exclude<keyof typeof NOISE, "likelyIn">, readonly [cheapest: string, dearest: string]> = {
  layer: ["3", "0"],
  denoiser: ["local-score", "local-score"], // servers refuse others
  schedule: ["linear", "cosine"],
  steps: ["1", "4"], // with windows that are searched
  windows: ["1,1", "31,31"],
  saturation: ["1", "4"],
  whiteBalance: ["false", "true"],
  solver: ["ddim", "2m"],
  eta: ["0", "1"],
  minOriginality: ["0", "10"],
  maxStructure: ["1", "0"],
  minTypicality: ["0", "1"],
  minMutualInformation: ["0", "1"],
  minLikelihood: ["0", "1"],
  tries: ["1 noise.minOriginality=10", "64 noise.minOriginality=10"],
};
/** 7 to 30 ms. */
const LONGEST = 2 ** 26;
/** What the other entries are. */
const OTHERS = ["noise.steps=2", "noise.windows=5,3"];

Deno.test("workOf: no client's setting of images from noise takes more than is counted, or a long step", () => {
  assertEquals(Object.keys(VALUES), Object.keys(NOISE).filter((name) => name !== "likelyIn"));
  const synthesizer = openSynthesizer(newKernels(), bars(96), builtins), { counter } = synthesizer;
  for (const [name, values] of Object.entries(VALUES)) {
    for (const value of values) {
      const others = name === "steps" ? ["noise.windows=auto"] : name === "windows" ? OTHERS.slice(0, 1) : OTHERS;
      const set = [...others, ...`noise.${name}=${value}`.split(" ")];
      const request = { seed: 1, images: [0], from: "noise" as const, set };
      const { total } = synthesizer.workOf(request), start = counter.workDone();
      let before = start, longest = 0;
      const step = () => {
        longest = Math.max(longest, counter.workDone() - before);
        before = counter.workDone();
      };
      for (const _ of synthesizer.synthesize(request)) step();
      step();
      const done = counter.workDone() - start;
      assert(longest <= LONGEST, `${set.join(" ")}: a step of ${longest}`);
      assert(done < 2 * total + 20 * MIN_STEP, `${set.join(" ")}: ${done} of ${total}`);
    }
  }
});
