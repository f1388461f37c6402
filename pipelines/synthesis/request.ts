/** Requests for images, and their checks, for every host. */
import { type Plan, plan } from "../../core/plan.ts";
import { type Profile, withPrior, withSetting } from "../../core/profile.ts";
import type { Registry } from "../../core/registry.ts";
import { shown, suggestion } from "../../core/options.ts";
import type { ZStep } from "../../core/types.ts";
import { classesInTurn, knownClasses } from "../../datasets/groups.ts";

/** A request for images: plain data, which can be posted to a worker or read from a URL. */
export interface SynthesisRequest {
  /** One class only; "all": one model of all classes together; by default each class in turn where the profile is class-wise. */
  readonly class?: number | "all";
  /** The random seed, 0 .. 2^53 - 1. */
  readonly seed: number;
  /** The images' numbers, each 0 .. 2^32 - 1, as `synth` counts them. */
  readonly images: readonly number[];
  /** Another prior than the profile's. */
  readonly prior?: string;
  /** Other contexts than the profile's; [] for none. Contexts of the profile keep their options. */
  readonly contexts?: readonly string[];
  /** What the z-step takes: "sample", "map" or "mean". */
  readonly zStep?: ZStep;
  /** Values of the profile: "prior.neighbours=50". */
  readonly set?: readonly string[];
  /** Seed images to use in place of the pack's: one for each of `images`, in their order, values in [0, 1]. */
  readonly seedImages?: Float32Array;
}

/** Thrown where an entry of a request is wrong: its name, what was expected, and what was found. The message is one sentence. */
export class RequestError extends Error {
  /** Distinguishes it from other errors. */
  override readonly name = "RequestError";
  /** Describes a wrong entry. `sentence` replaces the message. */
  constructor(
    readonly parameter: keyof SynthesisRequest,
    readonly wanted: string,
    readonly found: unknown,
    sentence = `Cannot use ${parameter}: expected ${wanted}, got ${shown(found)}`,
  ) {
    super(sentence);
  }
}

/** The entries that change a profile. */
export type ProfileRequest = Pick<SynthesisRequest, "prior" | "contexts" | "zStep" | "set">;

/** Makes the plan of a profile as requested. @throws a `RequestError` where the request is wrong, a plain error where the profile is */
export function requestedPlan(profile: Profile, request: ProfileRequest, plugins: Registry): Plan {
  const { prior, contexts, zStep, set } = request;
  const texts = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === "string");
  if (prior !== undefined && typeof prior !== "string") throw new RequestError("prior", "the name of a prior", prior);
  if (contexts !== undefined && !texts(contexts)) throw new RequestError("contexts", "a list of names", contexts);
  if (set !== undefined && !texts(set)) throw new RequestError("set", "a list of NAME=VALUE", set);
  const blaming = <T>(parameter: keyof ProfileRequest, wanted: string, found: unknown, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new RequestError(parameter, wanted, found, (error as Error).message);
    }
  };
  let requested = profile;
  if (prior !== undefined) {
    requested = blaming("prior", "the name of a prior", prior, () => withPrior(requested, prior, plugins));
  }
  for (const name of contexts ?? []) {
    blaming("contexts", "names of contexts", contexts, () => plugins.find("context", name));
  }
  if (contexts !== undefined) {
    if (new Set(contexts).size < contexts.length) throw new RequestError("contexts", "each context once", contexts);
    const nameOf = (choice: Profile["contexts"][number]) => typeof choice === "string" ? choice : choice[0];
    const own = (name: string) => profile.contexts.find((choice) => nameOf(choice) === name);
    requested = { ...requested, contexts: contexts.map((name) => own(name) ?? name) };
  }
  if (zStep !== undefined) {
    requested = blaming("zStep", "a z-step", zStep, () => plan({ ...requested, zStep }, plugins).profile);
  }
  if (!set || set.length === 0) return plan(requested, plugins);
  plan(requested, plugins); // an error without the settings is not theirs
  return blaming("set", "values that the profile takes", set, () => plan(set.reduce(withSetting, requested), plugins));
}

/** The classes that take turns; [undefined] where classes do not count. `name` names the images in errors. */
export function requestedClasses(
  profile: Profile,
  labels: Uint8Array | undefined,
  wanted: SynthesisRequest["class"],
  name: string,
): (number | undefined)[] {
  if (wanted === undefined) return classesInTurn(profile, labels);
  if (wanted === "all") return [undefined];
  if (!whole(wanted, 255)) throw new RequestError("class", `an integer from 0 to 255, or "all"`, wanted);
  if (!labels) {
    throw new RequestError(
      "class",
      "no class",
      wanted,
      `Cannot use class ${wanted}: the images of ${name} have no labels`,
    );
  }
  const known = knownClasses(labels);
  if (known.includes(wanted)) return [wanted];
  const among = `one of ${known.join(", ")}`;
  throw new RequestError(
    "class",
    among,
    wanted,
    `Class ${wanted} has no training images (classes: ${known.join(", ")})`,
  );
}

const ENTRIES: readonly (keyof SynthesisRequest)[] = [
  ...["class", "seed", "images", "prior", "contexts", "zStep", "set", "seedImages"] as const,
];

/** Checks what does not depend on a profile or on images: the entries' names, the random seed and the images' numbers. */
export function checkRequest(request: SynthesisRequest): void {
  if (typeof request !== "object" || request === null) throw new Error(`Expected a request, got ${shown(request)}`);
  for (const entry of Object.keys(request) as (keyof SynthesisRequest)[]) {
    if (ENTRIES.includes(entry)) continue;
    const sentence = `A request has no entry "${entry}"${suggestion(entry, ENTRIES)}`;
    throw new RequestError(entry, ENTRIES.join(" or "), request[entry], sentence);
  }
  const { seed, images } = request;
  if (!whole(seed, Number.MAX_SAFE_INTEGER)) {
    throw new RequestError("seed", `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`, seed);
  }
  if (!Array.isArray(images) || images.length === 0) {
    throw new RequestError("images", "a list of the numbers of the images", images);
  }
  const wrong = images.find((image) => !whole(image, 2 ** 32 - 1));
  if (wrong !== undefined) throw new RequestError("images", `integers from 0 to ${2 ** 32 - 1}`, wrong);
  if (new Set(images).size < images.length) throw new RequestError("images", "each number once", images);
}

function whole(value: unknown, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= high;
}
