/** The settings of a run of many images: all that its images depend on. Shards of equal settings are parts of one data set. */
import { type StatedLimits, statedLimits } from "../run/finished_limits.ts";
import { codesOf, describePlan } from "../synthesis/run_record.ts";
import type { SynthesisInput } from "../synthesis/synthesize_images.ts";
import type { FormatName } from "./formats.ts";

/** Settings as plain data. Two runs with the same JSON of it make the same images and the same columns. */
export interface Settings extends ReturnType<typeof describePlan> {
  /** The SHA-256 of the code of third-party plugins, by kind and name. */
  readonly plugins?: Readonly<Record<string, string>>;
  /** The random seed. */
  readonly seed: number;
  /** How many images the whole run has. */
  readonly count: number;
  /** Width, height and channels of an image. */
  readonly shape: readonly [width: number, height: number, channels: number];
  /** The classes in turn: image i is of class i modulo their number; [null] where classes do not count. */
  readonly classes: readonly (number | null)[];
  /** The names of the classes, if they have names. */
  readonly classNames?: readonly string[];
  /** What images must be like; they are drawn again until they are, `MAX_TRIES` times at most. */
  readonly limits: StatedLimits;
  /** Whether the likelihood of images is measured. */
  readonly ll: boolean;
  /** Where seed images come from: "test", "model", "quilt", or the SHA-256 of given images. */
  readonly from: string;
  /** The SHA-256 of the training data: of the sorted SHA-256 of its files. */
  readonly data: string;
  /** Flags that change how the data is read. */
  readonly reading: Readonly<Record<string, string | boolean>>;
  /** The SHA-256 of the kernels that all hosts share. */
  readonly kernels: string;
  /** The hash of the program's code, where it can be read. */
  readonly code?: string;
  readonly format: FormatName;
  /** Given if files say which training images each image depends on. */
  readonly dependencies?: true;
}

/** What a host knows of a run beside its input. */
type HostSettings = Pick<Settings, "data" | "from" | "reading" | "kernels" | "code" | "format">;

/** Puts the settings of a run together. */
export function settingsOf(input: SynthesisInput, host: HostSettings): Settings {
  const { plan, size: { width, height }, seed, count, classes, data, minLl, dependencies } = input;
  return plain({
    ...describePlan(plan),
    plugins: codesOf(plan),
    seed,
    count,
    shape: [width, height, plan.channels],
    classes: classes.map((label) => label ?? null),
    classNames: data.classes,
    limits: statedLimits(plan, minLl),
    ll: minLl !== undefined,
    ...host,
    ...dependencies && { dependencies: true as const },
  });
}

/** The same value without entries that are undefined, which JSON does not keep. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** The names of the settings in which two differ, such as `seed`. */
export function differences(one: Settings, other: Settings): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Settings>;
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
