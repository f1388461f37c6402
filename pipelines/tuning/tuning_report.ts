/** A search of settings as plain data, as a table of text and as a report. */
import type { Profile } from "../../core/profile.ts";
import { scatter } from "../report/charts.ts";
import { counted } from "../../core/counted.ts";
import type { Figure, Report } from "../report/report.ts";
import { significant } from "../report/numbers.ts";
import type { Experiment } from "../reproduction/experiment.ts";
import { textTable } from "../report/text_table.ts";
import type { Objective } from "./objectives.ts";
import type { Measured, Trial, TrialRound, Tuning } from "./tune.ts";

/** Returns the profile of a trial under a name of its own. */
export function tunedProfile({ number, profile }: Trial): Profile {
  return { ...profile, name: `${profile.name}-${number}` };
}

/** Returns the name of the file with the profile of a trial. */
export function tunedFile({ number }: Pick<Trial, "number">): string {
  return `profiles/trial-${number}.json`;
}

/** Describes the trials as plain data: entries of tune.json. */
export function tuningRecord({ objectives, trials, heldOut }: Tuning): object {
  const named = <T>(values: readonly T[]) => Object.fromEntries(objectives.map(({ name }, o) => [name, values[o]]));
  const recorded = ({ values, intervals }: Measured) => ({ ...named(values), intervals: named(intervals) });
  return {
    objectives: objectives.map(({ name, better }) => ({ name, better })),
    heldOut: recorded(heldOut),
    trials: trials.map((trial) => ({
      trial: trial.number,
      settings: trial.settings,
      rounds: trial.rounds.map(({ images, ...measured }) => ({ images, ...recorded(measured) })),
      front: trial.best,
      ...trial.best && trial.number > 0 && { profile: tunedFile(trial) },
    })),
  };
}

/** The trials that took part in the last round, and their rows: name, values, mark of the front, settings. */
function cellsOf({ objectives, trials, heldOut }: Tuning): { head: string[]; cells: string[][] } {
  const rounds = Math.max(...trials.map((trial) => trial.rounds.length));
  const cells = trials.filter((trial) => trial.rounds.length === rounds).map((trial) => [
    trial.number === 0 ? "the profile" : `trial ${trial.number}`,
    trial.best ? "yes" : "",
    ...valueTexts(trial.rounds[rounds - 1]),
    trial.settings.join(" "),
  ]);
  return {
    head: ["", "front", ...objectives.map(({ name }) => name), "settings"],
    cells: [["held-out images", "", ...valueTexts(heldOut), ""], ...cells],
  };
}

/** Writes each value with half the width of its interval, and marks those that differ from the profile's. */
function valueTexts({ values, intervals, differs }: Measured & Partial<Pick<TrialRound, "differs">>): string[] {
  return values.map((value, o) => {
    const [low, high] = intervals[o], half = (high - low) / 2, mark = differs?.[o] ? "*" : "";
    return Number.isFinite(half)
      ? `${significant(value)} \u00b1${half.toPrecision(2)}${mark}`
      : significant(value) + mark;
  });
}

/** Says what the marks of a table mean. */
const MARKS =
  "\u00b1: half the 95 % interval over images. *: differs from the profile's on the same images by more than chance explains (paired, 95 %: of 20 equal ones, one has it).";

/** Writes the lines of a table of text: the trials of the last round, after the held-out images. */
export function tuningTable(tuning: Tuning): string[] {
  const { head, cells } = cellsOf(tuning);
  // The settings, which are long, are flush left behind the numbers.
  const numbers = textTable(head.slice(0, -1), cells.map((row) => row.slice(0, -1)), 2);
  const width = Math.max(...numbers.map((line) => line.length));
  const lines = numbers.map((line, i) => `${line.padEnd(width)}  ${[head, ...cells][i].at(-1)}`.trimEnd());
  return [...lines, "", MARKS];
}

/** Makes the report, with a chart of every pair of objectives. */
export async function tuningReport(
  { plan: { profile }, data, seed, runner }: Experiment,
  tuning: Tuning,
  { command, images, seconds }: { readonly command: string; readonly images: number; readonly seconds: number },
): Promise<Report> {
  const { objectives, trials } = tuning, { head, cells } = cellsOf(tuning), charts: Figure[] = [];
  for (const [o, x] of objectives.entries()) {
    for (const y of objectives.slice(o + 1)) charts.push(await pairChart(tuning, x, y));
  }
  const front = trials.filter(({ best }) => best);
  const names = front.map((trial) => trial.number === 0 ? "the profile as it is" : `trial ${trial.number}`);
  return {
    title: `Settings of "${profile.name}", searched`,
    lead: [
      `${
        counted(trials.length - 1, "random setting")
      }, measured in rounds: half of them go on to the next round, which makes twice as many images. Seed images are made of training images that were held out. Test images take no part.`,
      `On the Pareto front, where no other trial is better in every objective: ${names.join(", ")}.`,
    ].join("\n\n"),
    command,
    settings: [
      ["data", data.origin],
      ["images of a trial in the last round", String(images)],
      ["objectives", objectives.map(objectiveText).join(", ")],
      ["random seed", String(seed)],
      ["threads", String(runner.threads)],
      ["time", `${seconds.toFixed(0)} s`],
    ],
    sections: [
      {
        title: "The last round",
        figures: [{ kind: "table", caption: `The trials of the last round. ${MARKS}`, columns: head, rows: cells }],
      },
      ...charts.length > 0 ? [{ title: "Pareto front", figures: charts }] : [],
      { title: "All trials", figures: [allTrials(tuning)] },
    ],
  };
}

function objectiveText({ name, better }: Objective): string {
  return better === "like" ? `${name} (as of held-out images)` : `${name} (${better})`;
}

/** Draws two objectives of the last round against each other. */
async function pairChart({ objectives, trials, heldOut }: Tuning, x: Objective, y: Objective): Promise<Figure> {
  const rounds = Math.max(...trials.map((trial) => trial.rounds.length)),
    at = [x, y].map((one) => objectives.indexOf(one));
  const last = trials.filter((trial) => trial.rounds.length === rounds), [ax, ay] = at;
  const set = (name: string, values: readonly (readonly number[])[]) => {
    return { name, x: values.map((one) => one[ax]), y: values.map((one) => one[ay]) };
  };
  const valuesOf = (some: readonly Trial[]) => some.map((trial) => trial.rounds[rounds - 1].values);
  const [unchanged, ...random] = last;
  const sets = [
    set("front", valuesOf(random.filter(({ best }) => best))),
    set("other trials", valuesOf(random.filter(({ best }) => !best))),
    set(unchanged.best ? "the profile (front)" : "the profile", valuesOf([unchanged])),
    set("held-out images", [heldOut.values]),
  ].filter((one) => one.x.length > 0);
  return {
    kind: "chart",
    caption: `${objectiveText(x)} and ${objectiveText(y)} of the trials of the last round.`,
    ...await scatter(sets, { x: x.name, y: y.name, diagonal: false }),
  };
}

function allTrials({ objectives, trials }: Tuning): Figure {
  return {
    kind: "table",
    caption: "All trials, with their values in the last round that they took part in.",
    columns: ["trial", "images", ...objectives.map(({ name }) => name), "settings"],
    rows: trials.map(({ number, rounds, settings }) => {
      const last = rounds.at(-1)!;
      return [String(number), last.images, ...valueTexts(last), settings.join(" ") || "the profile"];
    }),
  };
}
