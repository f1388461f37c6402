/** Measures what synthetic images are worth as training images of classifiers, in draws that threads share. */
import { plan } from "../../core/plan.ts";
import type { DataSet, LabelledImages } from "../../datasets/data_set.ts";
import { classText, knownClasses, numbersOfClass } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { type ClassifierName, CLASSIFIERS, partOf, readMethod, REAL } from "./names.ts";
import { type Interval, intervalOf } from "../report/intervals.ts";
import { ONLY, worthProgram, type WorthResult, type WorthSetUp, type WorthTask } from "./worth_program.ts";

/** What to measure. */
export interface WorthRequest extends Omit<WorthSetUp, "train" | "test" | "alone"> {
  /** Numbers of real images of each class to learn from. */
  readonly each: readonly number[];
  /** Synthetic images that are measured alone; 0: none. */
  readonly only: number;
  /** How often everything is repeated with other real images and other random numbers. */
  readonly draws: number;
}

/** Keeps the results of tasks, so that interrupted work can be resumed. */
interface WorthStore {
  readonly kept: ReadonlyMap<string, WorthResult>;
  add(name: string, result: WorthResult): Promise<void>;
}

/** The accuracy of a classifier that learned from some images: in percent, over the draws. */
export interface WorthRow {
  /** Real images of a class; undefined where synthetic images are measured alone. */
  readonly each?: number;
  readonly method: string;
  readonly classifier: ClassifierName;
  readonly accuracy: Interval;
  /** The paired difference from the real images alone. */
  readonly overReal?: Interval;
  /** The paired difference from the method's part that would be used without Patchloom (`partOf`), if that was measured. */
  readonly overPart?: Interval;
}

/** All that was measured. */
export interface Worth {
  readonly rows: readonly WorthRow[];
  /** One accuracy, in percent, of one draw. */
  readonly cells: readonly WorthCell[];
  /** See `WorthResult`, over all draws. */
  readonly leastQuotient?: number;
}

/** A row of the CSV file. */
export interface WorthCell {
  readonly draw: number;
  readonly each?: number;
  readonly method: string;
  readonly classifier: ClassifierName;
  readonly accuracy: number;
}

/** The most images that a classifier learns from: their distances to each other, in three tables, take 1.7 GB. */
const MAX_TRAINED = 12_000;

/** The data that classifiers learn from and are tested on. */
interface WorthData extends DataSet {
  /** Synthetic images with classes to learn from alone: each draw takes others of them. Without them they are made. */
  readonly alone?: LabelledImages;
}

/**
 * Checks that the data has what the request needs.
 *
 * @throws {RangeError} with one sentence
 */
export function checkWorth(data: WorthData, { each, added, only }: WorthRequest): void {
  const { train, test, alone, classes, name } = data;
  const fail = (expected: string, got: string) => {
    throw new RangeError(`Cannot measure what images of ${name} are worth: expected ${expected}, got ${got}`);
  };
  if (!train.labels) fail("training images with classes", "images without");
  if (test.images.count === 0 || !test.labels) fail("test images with classes", "none");
  const known = knownClasses(train.labels!);
  if (known.length < 2) fail("at least two classes", "one");
  const alien = knownClasses(test.labels!).find((label) => !known.includes(label));
  if (alien !== undefined) fail("test images of the training images' classes", `class ${classText(classes, alien)}`);
  const trained = Math.max(only, known.length * (Math.max(0, ...each) + added));
  if (trained > MAX_TRAINED) {
    throw new RangeError(
      `Cannot train classifiers on ${trained} images: expected at most ${MAX_TRAINED}, choose fewer for each class`,
    );
  }
  const most = Math.max(0, ...each, Math.ceil(only / known.length));
  for (const label of known) {
    const { length } = numbersOfClass(train.labels, label, train.images.count);
    if (length < most) fail(`at least ${most} training images of class ${classText(classes, label)}`, String(length));
  }
  if (alone) checkAlone(alone, known, data, Math.ceil(only / known.length));
}

/** Checks that there are enough synthetic images of each class. */
function checkAlone({ images, labels }: LabelledImages, known: number[], { classes }: DataSet, wanted: number): void {
  const fail = (expected: string, got: string) => {
    throw new RangeError(`Cannot learn from these images alone: expected ${expected}, got ${got}`);
  };
  if (wanted === 0) fail("--only with their number", "none");
  if (!labels) return fail("images with classes", "images without");
  const alien = knownClasses(labels).find((label) => !known.includes(label));
  if (alien !== undefined) fail("images of the training images' classes", `class ${classText(classes, alien)}`);
  for (const label of known) {
    const { length } = numbersOfClass(labels, label, images.count);
    if (length < wanted) fail(`at least ${wanted} of class ${classText(classes, label)}`, String(length));
  }
}

/**
 * Measures what the request asks for. Results that the store has are not measured again.
 *
 * @throws {RangeError} as `checkWorth`, and if a method is unknown
 * @throws {Error} if the profile is not one of aligned images, or if the runner is stopped
 */
export async function measureWorth(
  runner: Runner,
  data: WorthData,
  request: WorthRequest,
  store: WorthStore,
): Promise<Worth> {
  checkWorth(data, request);
  const { each, only, draws, ...rest } = request, { profile } = rest;
  const measured = new Map(store.kept);
  if (!plan(profile, runner.plugins).aligned) {
    throw new Error(
      `Cannot measure what images of profile "${profile.name}" are worth: expected one of aligned images`,
    );
  }
  const tasks = Array.from({ length: draws }, (_, draw): WorthTask[] => {
    return [...each.map((each) => ({ draw, each })), ...only > 0 ? [{ draw, only }] : []];
  }).flat();
  const open = tasks.filter((task) => !measured.has(nameOf(task))), parts = new Float64Array(open.length);
  const bar = runner.progress(`Measuring ${tasks.length} draws`), resumed = tasks.length - open.length;
  const report = (task: number, part: number) => {
    parts[task] = Math.min(part, 1);
    bar.update((resumed + parts.reduce((sum, one) => sum + one, 0)) / tasks.length);
  };
  const { train, test, alone } = data, setUp = { ...rest, train, test, alone };
  try {
    for await (const event of runner.run(worthProgram, { setUp, tasks: open })) {
      const { task } = event;
      report(task, event.type === "result" ? 1 : parts[task] + event.part);
      if (event.type !== "result") continue;
      measured.set(nameOf(open[task]), event.result);
      await store.add(nameOf(open[task]), event.result);
    }
  } finally {
    bar.end();
  }
  if (tasks.some((task) => !measured.has(nameOf(task)))) throw new Error("Stopped before all draws were measured");
  const results = tasks.map((task) => ({ task, result: measured.get(nameOf(task))! }));
  const quotients = results.flatMap(({ result }) => result.leastQuotient ?? []);
  const cells = results.flatMap(({ task, result }) => cellsOf(task, result));
  return {
    rows: rowsOf(request, cells),
    cells,
    leastQuotient: quotients.length > 0 ? quotients.reduce((a, b) => Math.min(a, b)) : undefined,
  };
}

/** The name of a task in the store. */
function nameOf(task: WorthTask): string {
  return "each" in task ? `draw ${task.draw}, ${task.each} of each class` : `draw ${task.draw}, ${task.only} alone`;
}

function cellsOf(task: WorthTask, { accuracies }: WorthResult): WorthCell[] {
  const { draw } = task, each = "each" in task ? task.each : undefined;
  return Object.entries(accuracies).flatMap(([method, byClassifier]) =>
    Object.entries(byClassifier).map(([classifier, accuracy]) => {
      return { draw, each, method, classifier: classifier as ClassifierName, accuracy: 100 * accuracy };
    })
  );
}

/** Averages over draws: methods in their order for each number of real images, then the synthetic images alone. */
function rowsOf({ each, only, methods, classifiers }: WorthRequest, cells: readonly WorthCell[]): WorthRow[] {
  const rowOf = (classifier: ClassifierName, method: string, base: string, each?: number): WorthRow => {
    const values = (of: string) => {
      return cells.filter((cell) => cell.each === each && cell.method === of && cell.classifier === classifier)
        .map(({ accuracy }) => accuracy);
    };
    const ofMethod = values(method);
    const over = (of: string | undefined) => {
      if (of === undefined || of === method || values(of).length !== ofMethod.length) return undefined;
      const others = values(of);
      return intervalOf(ofMethod.map((value, i) => value - others[i]));
    };
    const overPart = over(each === undefined ? undefined : partOf(readMethod(method)));
    return { each, method, classifier, accuracy: intervalOf(ofMethod), overReal: over(base), overPart };
  };
  const names = Object.keys(CLASSIFIERS) as ClassifierName[],
    chosen = names.filter((name) => classifiers.includes(name));
  return chosen.flatMap((classifier) => [
    ...each.flatMap((each) => methods.map((method) => rowOf(classifier, method, REAL, each))),
    ...only > 0 ? Object.values(ONLY).map((name) => rowOf(classifier, name, ONLY.real)) : [],
  ]);
}
