/** What servers rely on for every setting that a client may send: its work is counted before it runs, and no step is long. */
import { assert, assertEquals } from "@std/assert";
import type { EntryShape, Table } from "../../../core/entries.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import { PROFILE } from "../../../core/profile.ts";
import { withSetting } from "../../../core/profile_changes.ts";
import type { Option } from "../../../core/plugin.ts";
import { MIN_STEP } from "../../../core/steps.ts";
import {
  openSynthesizer,
  RequestError,
  type SynthesisRequest,
  type Synthesizer,
} from "../../../pipelines/synthesis/synthesizer.ts";
import { requestWork } from "../../../pipelines/run/cost.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

/** What servers refuse: long fits, denoisers of long steps, more than 50 iterations. */
const REFUSED = ["prior=gmm", "denoiser=pca-locality", "denoiser=wiener", "iterations=65535"];
/** Dearer requests are not run: a server refuses them at a seventh of its usual limit, or this test takes long. */
const DEAR = 3e9;
/** The longest step: the draw that servers allow. */
const LONGEST = 2 ** 27;
/** Where an entry has no bounds of its own. */
const LEAST = 1e-3, MOST = 1e6;

/** The cheapest and the dearest values of an entry, as a setting writes them. */
function extremes(shape: EntryShape): string[] {
  switch (shape.type) {
    case "boolean":
      return ["true", "false"];
    case "choice":
      return shape.choices.map(String);
    case "integer":
      return [shape.min, shape.max].map((value) => {
        const isOdd = value % 2 !== 0, wanted = shape.parity === "odd" ? true : shape.parity === "even" ? false : isOdd;
        return String(isOdd === wanted ? value : value - 1);
      });
    case "number":
      return [shape.min ?? (shape.above ?? 0) + LEAST, shape.max ?? MOST].map(String);
    case "pair":
      return extremes(shape.of).map((value) => `${value},${value}`);
    case "list":
      return extremes(shape.of);
    case "either":
      return shape.of.flatMap(extremes);
    case "plugin":
      return builtins.plugins.filter(({ kind }) => kind === shape.kind).map(({ name }) => name);
    default:
      return [];
  }
}

/** Settings of all entries of a table. */
function settingsOf(table: Table, at = ""): string[] {
  return Object.entries(table).flatMap(([key, entry]) => {
    if (entry.type === "object") return settingsOf(entry.entries, `${at}${key}.`);
    if (entry.type === "objects") return settingsOf(entry.entries, `${at}${key}.0.`);
    return extremes(entry).map((value) => `${at}${key}=${value}`);
  });
}

/** The least and the greatest value of an option, or all that it may have. */
function extremesOf({ default: usual, min, max, choices }: Option): string[] {
  if (typeof usual === "boolean") return ["true", "false"];
  return typeof usual === "number" ? [min ?? usual, max ?? MOST].map(String) : [...choices ?? []];
}

/** Requests that give each option of each built-in plugin its least and its greatest value. */
function requestsOfOptions(): Partial<SynthesisRequest>[] {
  return builtins.plugins.flatMap(({ kind, name, options }) => {
    const request = (at: string, more: Partial<SynthesisRequest>) => {
      return Object.entries(options as Record<string, Option>).flatMap(([key, option]) => {
        return extremesOf(option).map((value) => ({ ...more, set: [`${at}.${key}=${value}`] }));
      });
    };
    if (kind === "prior" && name !== "gmm") return request("prior", { prior: name });
    if (kind === "context") return request(name, { contexts: [name] });
    if (kind === "denoiser" && name === "local-score") return request("noise.denoiser", { from: "noise" });
    return [];
  });
}

/** The work of a request as it is counted; undefined where it is refused. */
function totalOf({ workOf }: Synthesizer, request: SynthesisRequest): number | undefined {
  try {
    return workOf(request).total;
  } catch (error) {
    assert(error instanceof RequestError, `${request.set}: ${error}`);
  }
}

Deno.test("workOf: every entry of a profile, and every option of a plugin, at its least and its greatest value takes no more than is counted, and no long step", () => {
  const synthesizer = openSynthesizer(newKernels(), smallPack(), builtins), { counter } = synthesizer;
  // Pixels that no copy covers are looked up among the colours of all training images.
  const pixelArt = ["sample", "map", "mean"].map((zStep) => ({ set: ["pixelArt=true", `zStep=${zStep}`] }));
  let run = 0;
  const ofEntries = settingsOf(PROFILE).filter((setting) => !REFUSED.some((end) => setting.endsWith(end))).map(
    (setting) => {
      return { set: [setting], ...setting.startsWith("noise.") && { from: "noise" as const } };
    },
  );
  for (const changes of [...ofEntries, ...pixelArt, ...requestsOfOptions()]) {
    const request = { seed: 1, images: [0], class: 2, ...changes }, total = totalOf(synthesizer, request);
    if (total === undefined || total > DEAR) continue;
    const start = counter.workDone();
    let before = start, longest = 0;
    const step = () => {
      longest = Math.max(longest, counter.workDone() - before);
      before = counter.workDone();
    };
    for (const _ of synthesizer.synthesize(request)) step();
    step();
    const done = before - start;
    assert(
      done < 2 * total + 20 * MIN_STEP && longest <= LONGEST,
      `${JSON.stringify(changes)}: ${done} of ${total}, a step of ${longest}`,
    );
    run++;
  }

  assert(run > 100, `only ${run} settings were run`);
});

/** Entries that decide nothing of how often the limits of an image are missed. */
const DECIDES_NOTHING = /^(name|about|dataset|classwise|restoredAs|few\.|noise\.)/;

Deno.test("requestWork: each setting that changes how images are drawn counts with all tries, as nobody measured how often limits are missed then", () => {
  const small = smallPack(), [finest, ...others] = small.profile.layers;
  const limited = { ...small.profile, layers: [{ ...finest, minOriginality: 0.6 }, ...others] };
  const own = plan(limited, builtins), { images } = small.train, seen = new Set<string>();
  const total = (changed: Plan, own?: Plan) => requestWork(changed, images, [[20, 1]], own).total;
  const drawnBy = ({ profile: _, ...drawn }: Plan) => JSON.stringify(drawn);
  assertEquals(total(own, own), total(own), "as it is, an image takes the tries that were measured");
  for (const setting of settingsOf(PROFILE)) {
    let changed: Plan;
    try {
      changed = plan(withSetting(limited, setting), builtins);
    } catch {
      continue; // refused
    }
    if (DECIDES_NOTHING.test(setting) || drawnBy(changed) === drawnBy(own)) continue;
    // Without a limit there are no further tries, and with one that nothing keeps there are always all.
    const isSure = changed.layers.every(({ minOriginality: least }) => least === 0 || least > 1);
    assert(isSure || total(changed, own) > total(changed), setting);
    seen.add(setting.replace(/[.=].*/, ""));
  }
  for (const entry of ["pixelArt", "zStep", "seedNoise", "relativeH", "prior", "layers"]) {
    assert(seen.has(entry), entry);
  }
});
