import { createFrom } from "../../core/create_plugin.ts";
import { stepWork } from "../../core/kernel_work.ts";
import type { PlanNoise } from "../../core/plan.ts";
import type { Shape } from "../../core/shape.ts";

/** Estimates the work of one step of a plan's denoiser on one image of `shape`, with `count` training images. */
export function denoiserWork({ plugin, values }: PlanNoise, count: number, shape: Shape): number {
  return createFrom(plugin, values).stepWork?.(count, shape) ?? stepWork(count, shape);
}
