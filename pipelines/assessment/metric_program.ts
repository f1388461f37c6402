/** Measuring as a program of threads: a task is a metric on the images of one class, or on a part of them. */
import type { MetricResult } from "../../core/metric.ts";
import type { Program } from "../run/runner.ts";
import { type MetricJob, runMetricJob } from "./metric_job.ts";

/** Runs `MetricJob`s; each thread has kernels of its own, so that nothing is set up. */
export const metricProgram: Program<undefined, MetricJob, MetricResult> = {
  name: "metrics",
  prepare: ({ kernels, plugins }) =>
    // deno-lint-ignore require-yield
    function* (job) {
      try {
        return runMetricJob(kernels, job, plugins);
      } catch (cause) {
        // A third-party metric's error names it already.
        if (cause instanceof Error && cause.message.startsWith('metric "')) throw cause;
        throw new Error(`${job.metric}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      }
    },
};
