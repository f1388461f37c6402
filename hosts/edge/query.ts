/** From the query of an address to what shall be made, or to a `Problem` that names the parameter at fault. */
import type { Plan } from "../../core/plan.ts";
import type { Plugin, Values } from "../../core/plugin.ts";
import { optionValues, shown, suggestion } from "../../core/options.ts";
import type { Registry } from "../../core/registry.ts";
import {
  RequestError,
  type SynthesisProgress,
  type SynthesisRequest,
  type SynthesisResult,
  type Synthesizer,
} from "../../pipelines/synthesis/synthesizer.ts";
import { requestedPlan } from "../../pipelines/synthesis/request.ts";
import { Problem } from "./problem.ts";

/** The most that one request may ask for. */
export interface Limits {
  /** Images. */
  readonly count: number;
  /** Side of an image in pixels, where `set` makes it larger than the profile's. */
  readonly size: number;
  /** Neighbour window, where `set` makes it larger than the profile's: the search takes its square's time. */
  readonly window: number;
  /** Bytes of kernel memory that each profile's work may take. */
  readonly memory: number;
}

/** The parameters of `/synth`. */
export const PARAMETERS = {
  profile: { about: "which of the profiles that are served (the first)" },
  class: { about: "one class only; all: one model of all classes together (each class in turn)" },
  seed: { about: "random seed: the same seed gives the same bytes (1)" },
  image: { about: "number of the first image (0)" },
  count: { about: "how many images (1)" },
  prior: { about: "another prior than the profile's" },
  context: { about: "other contexts than the profile's; none: no context", many: true },
  zStep: { about: "what is taken from the posterior: sample, map or mean (the profile's)" },
  set: { about: "one value of the profile: prior.neighbours=50, layers.0.window=1", many: true },
} as const satisfies Record<string, { about: string; many?: true }>;

/** The name of one of them. */
export type Parameter = keyof typeof PARAMETERS;

/** A query, checked. */
export interface Query {
  readonly synthesizer: Synthesizer;
  readonly synthesisRequest: SynthesisRequest;
  /** The profile's plan with what the request changes. */
  readonly plan: Plan;
  /** A parameter that changes the profile, if any does. */
  readonly changedBy?: Parameter;
  /** Starts the work. */
  make(): Generator<SynthesisProgress, SynthesisResult>;
}

/** Images have numbers below this. */
const MOST_IMAGES = 2 ** 32;

/** Reads a query. Throws a `Problem` (400) that names the parameter at fault. */
export function readQuery(
  search: URLSearchParams,
  synthesizers: ReadonlyMap<string, Synthesizer>,
  plugins: Registry,
  limits: Limits,
): Query {
  const valid = Object.keys(PARAMETERS);
  for (const name of search.keys()) {
    if (!valid.includes(name)) bad(name, `There is no parameter ${shown(name)}${suggestion(name, valid)}`);
  }
  const one = (name: Parameter) => {
    const values = search.getAll(name);
    if (values.length > 1) bad(name, `Expected ${name} once, found it ${values.length} times`);
    return values.at(0);
  };
  const names = [...synthesizers.keys()], name = one("profile") ?? names[0], synthesizer = synthesizers.get(name);
  if (!synthesizer) bad("profile", `There is no profile ${shown(name)}${suggestion(name, names)}`);

  const count = whole("count", one("count") ?? "1", 1, limits.count);
  const first = whole("image", one("image") ?? "0", 0, MOST_IMAGES - count);
  const label = one("class"), prior = one("prior"), zStep = one("zStep");
  const contexts = search.getAll("context"), set = search.getAll("set");
  if (contexts.length > 1 && contexts.includes("none")) bad("context", `Expected "none" alone, found it among others`);
  const synthesisRequest: SynthesisRequest = {
    seed: whole("seed", one("seed") ?? "1", 0, Number.MAX_SAFE_INTEGER),
    images: Array.from({ length: count }, (_, i) => first + i),
    class: label === undefined || label === "all" ? label : whole("class", label, 0, 255),
    prior,
    contexts: contexts.length > 0 ? contexts.filter((name) => name !== "none") : undefined,
    zStep: zStep as SynthesisRequest["zStep"], // whether it is one is for the synthesizer to say
    set: set.length > 0 ? set : undefined,
  };
  try {
    const plan = requestedPlan(synthesizer.pack.profile, synthesisRequest, plugins);
    checkLimits(plan, synthesizer.plan, limits);
    const { plugin, values } = plan.prior,
      same = JSON.stringify(values) === JSON.stringify(synthesizer.plan.prior.values);
    if (fitsLong(plugin, values) && !(same && plugin === synthesizer.plan.prior.plugin)) {
      bad(prior === undefined ? "set" : "prior", `Expected a prior that needs no long fit, found ${plugin.name}`);
    }
    synthesizer.synthesize(synthesisRequest); // throws at once where the synthesisRequest is wrong, and begins nothing
    const changedBy = (["set", "prior", "context", "zStep"] as const).find((name) => search.has(name));
    return { synthesizer, synthesisRequest, plan, changedBy, make: () => synthesizer.synthesize(synthesisRequest) };
  } catch (error) {
    if (error instanceof RequestError) bad(PARAMETER_OF[error.parameter] ?? error.parameter, error.message);
    throw error;
  }
}

/** Whether a prior takes so long to fit that a request cannot wait for it: it would hold up all others meanwhile. */
export function fitsLong(prior: Plugin<"prior">, values: Values = optionValues(prior, {})): boolean {
  return prior.create(values).parts !== undefined;
}

/** What the entries of a request are called in a query, where it is not the same. */
const PARAMETER_OF: Partial<Record<keyof SynthesisRequest, Parameter>> = { contexts: "context", images: "image" };

function checkLimits(requested: Plan, own: Plan, limits: Limits): void {
  const side = ({ sizes: [{ height, width }] }: Plan) => Math.max(height, width);
  const most = Math.max(limits.size, side(own));
  if (side(requested) > most) bad("set", `Expected images of at most ${most} pixels a side, found ${side(requested)}`);
  requested.layers.forEach(({ window }, l) => {
    const most = Math.max(limits.window, own.layers[l].window);
    if (window > most) bad("set", `Expected layers.${l}.window to be at most ${most}, found ${window}`);
  });
}

/** Digits only: "1e3", " 7" and "0x10" are no numbers here. */
function whole(parameter: Parameter, text: string, low: number, high: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value >= low && value <= high) return value;
  bad(parameter, `Expected ${parameter} to be an integer from ${low} to ${high}, found ${shown(text)}`);
}

function bad(parameter: string, detail: string): never {
  throw new Problem(400, parameter, detail);
}
