/** What `assess` finds, before it is written down. */
import type { Plan } from "../../../core/plan.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import type { MetricScore } from "../workers/run_metrics.ts";
import type { ImageSet } from "../data/read_image_set.ts";

/** What was judged and what was found. */
export interface Assessment {
  readonly plan: Plan;
  readonly data: DataSet;
  readonly path: string;
  readonly set: ImageSet;
  /** The accuracy on held-out images of the classifier that gave the labels, where there were none. */
  readonly classified?: number;
  readonly classes: readonly (number | undefined)[];
  readonly measured: readonly MetricScore[];
  /** The same metrics on as many held-out test images: what a score is read against. */
  readonly baseline?: readonly MetricScore[];
  readonly seconds: number;
}

/** Four significant digits, as many decimals as that needs. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return value.toFixed(Math.max(0, 3 - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)))));
}
