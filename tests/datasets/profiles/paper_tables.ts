/** The paper's tables of parameters, and how a profile is compared with one. */
import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { squareOf } from "../../../core/shape.ts";
import { builtins } from "../../../plugins/mod.ts";

/** A table, row by row, by the paper's names; l = 0, the finest layer, stands first. */
export interface PaperTable {
  readonly L: number;
  /** Sides of the images, from the seed image up. */
  readonly sizes: readonly number[];
  readonly n: number;
  readonly overlap: readonly number[];
  readonly K: readonly number[];
  readonly window: readonly number[];
  readonly h: readonly (readonly number[])[];
  readonly lambda: readonly (readonly number[])[];
  readonly rho: readonly (readonly number[])[];
  readonly offset: readonly (readonly (readonly number[])[])[];
}

/** Powers of two by their exponents, as the paper writes them. */
export const two = (...exponents: number[]): number[] => exponents.map((exponent) => 2 ** exponent);

/** Asserts that a profile has the parameters of a table, as many values as iterations in every list, and these plugins. */
export function assertPaperTable(profile: Profile, table: PaperTable, contexts: readonly string[]): void {
  const { layers } = profile, planned = plan(profile, builtins);
  assertEquals(layers.length, table.L);
  assertEquals(planned.sizes, table.sizes.toReversed().map(squareOf));
  assertEquals(profile.patch, table.n);
  assertEquals(layers.map(({ overlap }) => overlap), table.overlap);
  assertEquals(layers.map(({ iterations }) => iterations), table.K);
  assertEquals(layers.map(({ window }) => window), table.window);
  assertEquals(layers.map(({ h }) => h), table.h);
  assertEquals(layers.map(({ lambda }) => lambda), table.lambda);
  assertEquals(layers.map(({ rho }) => rho), table.rho);
  assertEquals(layers.map(({ offsets }) => offsets.map(([x, y]) => [x, y])), table.offset);
  for (const { iterations, h, lambda, rho, offsets } of layers) {
    assertEquals([h, lambda, rho, offsets].map((list) => list.length), new Array(4).fill(iterations));
  }
  assertEquals(planned.prior.plugin.name, "local-nn");
  assertEquals(planned.contexts.map(({ plugin }) => plugin.name), contexts);
}
