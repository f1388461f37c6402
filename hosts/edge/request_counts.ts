/** Counts what a handler has answered, and writes it in Prometheus' text format. */
import type { QueueLoad } from "./turns.ts";

/** The media type of the text. */
export const COUNTS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** Upper bounds of the classes of times, in seconds: a digit takes some 0.05 s, a request at the limit of work some 2 s. */
const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, Infinity];

/** What was counted since the start of a handler. */
export interface RequestCounts {
  /**
   * Answers a request and counts it.
   *
   * @param route one of few names: each has series of its own
   */
  count(route: string, answer: () => Promise<Response>): Promise<Response>;
  /** Counts images that were made. */
  made(images: number): void;
  /** All of it as text, with how busy the queues are. */
  text(load: QueueLoad): string;
}

/** The times of a route's answers. */
interface Times {
  /** How many answers are in each class. */
  readonly classes: number[];
  sum: number;
}

/** @param now returns milliseconds */
export function openCounts(now: () => number = () => performance.now()): RequestCounts {
  const statuses = new Map<string, Map<number, number>>(), times = new Map<string, Times>();
  let images = 0;
  const add = (route: string, status: number, seconds: number) => {
    const ofRoute = statuses.get(route) ?? new Map<number, number>();
    statuses.set(route, ofRoute.set(status, (ofRoute.get(status) ?? 0) + 1));
    const time = times.get(route) ?? { classes: BOUNDS.map(() => 0), sum: 0 };
    times.set(route, time);
    time.classes[BOUNDS.findIndex((bound) => seconds <= bound)]++;
    time.sum += seconds;
  };
  return {
    async count(route, answer) {
      const before = now(), response = await answer();
      add(route, response.status, Math.max(0, (now() - before) / 1000));
      return response;
    },
    made: (more) => void (images += more),
    text: (load) => [...requestLines(statuses), ...timeLines(times), ...loadLines(load, images)].join("\n") + "\n",
  };
}

function requestLines(statuses: ReadonlyMap<string, ReadonlyMap<number, number>>): string[] {
  const lines = [...statuses].flatMap(([route, counts]) => {
    return [...counts].map(([status, count]) =>
      `patchloom_requests_total{route="${route}",status="${status}"} ${count}`
    );
  });
  return [...head("patchloom_requests_total", "counter", "Answered requests."), ...lines];
}

function timeLines(times: ReadonlyMap<string, Times>): string[] {
  const name = "patchloom_request_seconds";
  const lines = [...times].flatMap(([route, { classes, sum }]) => {
    let below = 0;
    const buckets = BOUNDS.map((bound, n) => {
      const le = bound === Infinity ? "+Inf" : bound;
      return `${name}_bucket{route="${route}",le="${le}"} ${below += classes[n]}`;
    });
    return [...buckets, `${name}_sum{route="${route}"} ${sum}`, `${name}_count{route="${route}"} ${below}`];
  });
  return [...head(name, "histogram", "Seconds until an answer is there, or a stream begins."), ...lines];
}

function loadLines({ working, waiting, openWork, doneWork }: QueueLoad, images: number): string[] {
  const one = (
    name: string,
    type: string,
    help: string,
    value: number,
  ) => [...head(name, type, help), `${name} ${value}`];
  return [
    ...one("patchloom_images_total", "counter", "Images of answers that were made.", images),
    ...one("patchloom_work_comparisons_total", "counter", "Work that was done, in comparisons.", doneWork),
    ...one("patchloom_open_work_comparisons", "gauge", "Work of the open requests, in comparisons.", openWork),
    ...one("patchloom_requests_working", "gauge", "Requests at work.", working),
    ...one("patchloom_requests_waiting", "gauge", "Requests that wait for a lane.", waiting),
  ];
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
