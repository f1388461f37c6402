/** Which finished images keep the limits of a run, and what is said of those that miss them. */
import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import {
  keepsLimits,
  measuredOf,
  missedHint,
  statedLimits,
  unmetHint,
} from "../../../pipelines/run/finished_limits.ts";
import { builtins } from "../../../plugins/mod.ts";
import { small } from "../../small_world.ts";

const measured = (originality: number, correlation: number, ll: number) => ({
  originality,
  structure: { correlation },
  ll,
});

Deno.test("keepsLimits: an image at a limit keeps it, and so does what was not measured", () => {
  const limits = { minOriginality: 0.8, maxStructure: 0.5, minLl: -80 };
  const kept = [
    measured(0.8, 0.5, -80),
    {},
    measured(0.79, 0.5, -80),
    measured(0.8, 0.51, -80),
    measured(0.8, 0.5, -81),
  ];
  assertEquals(kept.map((image) => keepsLimits(limits, image)), [true, true, false, false, false]);
  const copy = { image: 0, distance: 0, trainingDistance: 1, other: 1 };
  assertEquals([measuredOf({ nearest: copy }), measuredOf({})].map((image) => keepsLimits(limits, image)), [
    false,
    true,
  ]);
});

Deno.test("statedLimits: limits that every image keeps are left out", () => {
  const planned = plan(small, builtins), [finest] = planned.layers;
  assertEquals(statedLimits(planned), {});
  const limited = { ...planned, layers: [{ ...finest, minOriginality: 0.7, maxStructure: 0.4 }] };
  assertEquals(statedLimits(limited, -Infinity), { minOriginality: 0.7, maxStructure: 0.4 });
  assertEquals(statedLimits(planned, -80), { minLl: -80 });
});

Deno.test("missedHint: how many of how many, the limit, and the best value of those; nothing where all are kept", () => {
  const images = [measured(2.19, 0.3, -90), measured(1.5, 0.02, -70)],
    tail = "in all tries: the best try of each was kept";
  assertEquals(missedHint({ minOriginality: 1.5, maxStructure: 0.3, minLl: -90 }, images), undefined);
  assertEquals(
    missedHint({ minOriginality: 9 }, images, { minOriginality: 9 }),
    `Warning: 2 of 2 images missed --min-originality 9 (greatest 2.19) ${tail}`,
  );
  assertEquals(
    missedHint({ minOriginality: 0.6 }, [measured(0.5983, 0, 0), measured(0.59961, 0, 0), measured(0.7, 0, 0)]),
    `Warning: 2 of 3 images missed the profile's limit minOriginality 0.6 (greatest 0.5996) ${tail}`,
  );
  const flags = { maxStructure: 0.01, minLl: -80 };
  assertEquals(
    missedHint(flags, images, flags),
    `Warning: 2 of 2 images missed --max-structure 0.01 (least 0.02); 1 of 2 images missed --min-ll -80 (greatest -90.00) ${tail}`,
  );
  assertEquals([unmetHint(0, 9), unmetHint(1, 9)], [undefined, `Warning: 1 of 9 images missed a limit ${tail}`]);
});
