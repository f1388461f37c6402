/** How much of a quilt is done. */
import type { Progress } from "../../core/steps.ts";

/** How much was done since the last time: a part of the work, 0..1. */
export type QuiltProgress = Progress & { readonly part: number };
