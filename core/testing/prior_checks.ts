/** The conformance suite of priors. */
import { borrowing, type Kernels } from "../kernels.ts";
import type { Values } from "../plugin.ts";
import { said } from "../plugin_error.ts";
import { Z_STEPS } from "../profile.ts";
import { isSteps } from "../steps.ts";
import { BATCH, createPrior, type DrawRequest, drawRequests, priorFixture, where } from "./prior_fixture.ts";
import { withoutChance } from "./chance.ts";
import {
  type Check,
  difference,
  expect,
  formChecks,
  type KernelCheck,
  onKernels,
  optionChecks,
  type PluginOf,
  runners,
  sameOnBoth,
  titled,
} from "./check.ts";
import { engineCheck } from "./engine_check.ts";
import { drawChecks, type PriorCheckOptions } from "./prior_draws.ts";
import type { LayerData } from "../types.ts";
import { blobs } from "./small_images.ts";

/**
 * The checks that every prior must pass, whatever its distribution: each draw depends only on the random numbers of its image,
 * fills the output and changes nothing else, comes nearer to the measurements R_i X + u_i for a larger rho, and follows the
 * plugin's options.
 *
 * @example
 * ```ts
 * import { builtins } from "@patchloom/patchloom";
 * import { priorChecks } from "@patchloom/patchloom/testing";
 *
 * const plugin = builtins.find("prior", "local-nn"); // or your own
 * for (const [title, check] of priorChecks(plugin)) {
 *   await check(); // in a test file: Deno.test(title, check)
 *   console.log(`ok: ${title}`);
 * }
 * ```
 */
export function* priorChecks(plugin: PluginOf<"prior">, options: PriorCheckOptions = {}): Iterable<Check> {
  const checks: KernelCheck[] = [
    ...keyChecks(plugin),
    ...drawChecks(plugin, options),
    ...memoryChecks(plugin),
    ...createPrior(plugin).parts ? partChecks(plugin) : [],
    ...pauseChecks(plugin),
    ...createPrior(plugin).cost ? costChecks(plugin) : [],
    engineCheck(plugin),
  ];
  const [[, onTwin]] = runners();
  yield* titled(plugin, formChecks(plugin, "prior"));
  yield* titled(plugin, onKernels(checks, options.module));
  yield* titled(
    plugin,
    optionChecks(plugin, (values) => onTwin((kernels) => drawAll(plugin, kernels, values)), options),
  );
  yield* titled(plugin, sameOnBoth(plugin, options.module, (kernels) => drawAll(plugin, kernels)));
}

/** Many draws of one prior, as text. */
function drawAll(plugin: PluginOf<"prior">, kernels: Kernels, values?: Values): string {
  const { drawTexts } = priorFixture(plugin, kernels, {}, createPrior(plugin, values));
  return drawRequests(BATCH, { h: 10 }).map((request) => drawTexts(request).join("; ")).join("\n");
}

/** Checks that a draw depends on the random numbers of its image alone. */
function keyChecks(plugin: PluginOf<"prior">): KernelCheck[] {
  const sameDraws = (wanted: string, request: DrawRequest, before: string, now: string) => {
    expect(before === now, plugin, wanted, `other numbers ${where(request)}: ${difference(before, now)}`);
  };
  return [
    ["draws for an image the same alone, among others and in any order", (kernels) => {
      const all = [
        ...drawRequests(BATCH),
        ...drawRequests(BATCH, { zStep: "map" }),
        ...drawRequests(BATCH, { zStep: "mean" }),
      ];
      const together = priorFixture(plugin, kernels);
      const draws = all.map(together.drawTexts);
      const [a, b, ...rest] = BATCH;
      for (const group of [...BATCH.map((image) => [image]), BATCH.toReversed(), [b, a], rest]) {
        const { drawTexts } = priorFixture(plugin, kernels);
        all.forEach((request, n) => {
          drawTexts({ ...request, images: group }).forEach((text, i) => {
            const before = draws[n][BATCH.indexOf(group[i])];
            sameDraws("an image's draw to be the same in any batch", request, before, text);
          });
        });
      }
    }],
    ["draws the same whatever was drawn before", (kernels) => {
      const others = [5, 9, 2, 11, 4];
      const used = priorFixture(plugin, kernels);
      // Other images of the same number lie at the same addresses: only their key tells.
      const own = drawRequests(BATCH), history = [...own, ...drawRequests(others), ...own.toReversed()];
      const fresh = new Map<DrawRequest, string>();
      for (const request of history) {
        const text = used.drawTexts({ ...request, look: true }).join("; ");
        const alone = fresh.get(request) ??
          borrowing(kernels, () => priorFixture(plugin, kernels).drawTexts(request).join("; "));
        fresh.set(request, alone);
        sameDraws("a draw to be the same whatever was drawn or looked at before", request, alone, text);
      }
    }],
    ["fitted twice, draws as if each were alone", (kernels) => {
      const prior = createPrior(plugin);
      const settings = [{}, { training: blobs(17, 4), window: 1, context: [] }];
      const alone = settings.map((setting) => {
        return borrowing(kernels, () => drawRequests(BATCH).map(priorFixture(plugin, kernels, setting).drawTexts));
      });
      const both = settings.map((setting) => priorFixture(plugin, kernels, setting, prior));
      drawRequests(BATCH).forEach((request, n) => {
        both.forEach(({ drawTexts }, which) => {
          const [before, now] = [alone[which][n], drawTexts(request)].map((texts) => texts.join("; "));
          sameDraws("two fits side by side not to disturb each other", request, before, now);
        });
      });
    }],
    ["uses no random numbers but those it gets, and no clock", (kernels) => {
      withoutChance(plugin, () => {
        const { drawTexts } = priorFixture(plugin, kernels);
        drawRequests(BATCH).forEach(drawTexts);
      });
    }],
  ];
}

/** What a prior must leave alone. */
function memoryChecks(plugin: PluginOf<"prior">): KernelCheck[] {
  return [
    ["writes only to its output", (kernels) => {
      const { wrote, draw } = priorFixture(plugin, kernels);
      expect(wrote === undefined, plugin, "fit not to write to its inputs", `a change of ${wrote}`);
      for (const request of [...drawRequests(BATCH), ...drawRequests([2])]) {
        const { wrote } = draw(request);
        expect(wrote === undefined, plugin, "draw to write to `out` only", `a change of ${wrote} ${where(request)}`);
      }
    }],
    ["takes its kernel memory in fit, none in draw", (kernels) => {
      const { draw } = priorFixture(plugin, kernels);
      for (const request of drawRequests(BATCH)) {
        const { grew } = draw(request);
        expect(
          grew === undefined,
          plugin,
          "draw to work in the memory that fit allocated",
          `${grew} ${where(request)}`,
        );
      }
    }],
    ["can be disposed of twice, without harm to a fit beside it", (kernels) => {
      const [left, kept] = [priorFixture(plugin, kernels), priorFixture(plugin, kernels)];
      const before = kept.drawTexts(drawRequests(BATCH)[0]);
      left.drawTexts(drawRequests(BATCH)[0]);
      for (let time = 0; time < 2; time++) left.fitted.dispose?.();
      const after = kept.drawTexts(drawRequests(BATCH)[0]);
      const [wanted, found] = [before, after].map((texts) => texts.join("; "));
      expect(wanted === found, plugin, "dispose to leave other fits alone", difference(wanted, found));
    }],
    ["does nothing for a batch of no images", (kernels) => {
      const { draw, drawTexts } = priorFixture(plugin, kernels);
      const before = drawTexts(drawRequests(BATCH)[0]).join("; ");
      for (const request of drawRequests([])) {
        const { wrote = "nothing", grew = "nothing" } = draw(request);
        const did = wrote !== "nothing" ? `a change of ${wrote}` : grew;
        expect(did === "nothing", plugin, "a draw for no images to do nothing", did);
      }
      const after = drawTexts(drawRequests(BATCH)[0]).join("; ");
      expect(before === after, plugin, "a draw for no images to change no later draw", difference(before, after));
    }],
  ];
}

/** What a prior must do that is fitted in parts. */
function partChecks(plugin: PluginOf<"prior">): KernelCheck[] {
  const inParts = (kernels: Kernels, change: (parts: Uint8Array[]) => Uint8Array[] = (parts) => parts) => {
    const prior = createPrior(plugin);
    const fit = (layer: LayerData) => {
      const parts: Uint8Array[] = new Array(prior.parts!.count(layer));
      // The last one first, each by a prior of its own, as workers would.
      for (let part = parts.length - 1; part >= 0; part--) {
        const height = kernels.mark();
        parts[part] = createPrior(plugin).parts!.fit(layer, part);
        const kept = kernels.mark() - height;
        expect(kept === 0, plugin, "a part's fit to give back its kernel memory", `${kept} bytes more in use`);
      }
      return prior.parts!.load(layer, change(parts.map((bytes) => bytes.slice())));
    };
    return priorFixture(plugin, kernels, {}, { fit });
  };
  return [
    ["draws the same where it was fitted in parts", (kernels) => {
      const [whole, parts] = [priorFixture(plugin, kernels), inParts(kernels)].map(({ drawTexts }) => {
        return drawRequests(BATCH).map((request) => drawTexts(request).join("; ")).join("\n");
      });
      const found = difference(whole, parts);
      expect(whole === parts, plugin, "the same draws after `fit` and after `load` of all parts", found);
    }],
    ["refuses to load what is no fit of its own", (kernels) => {
      const changes: [what: string, change: (parts: Uint8Array[]) => Uint8Array[]][] = [
        ["no parts at all", () => []],
        ["a part too many", (parts) => [...parts, parts[0]]],
        ["an empty part", ([, ...rest]) => [new Uint8Array(0), ...rest]],
        ["a part that is cut short", ([one, ...rest]) => [one.subarray(0, -4), ...rest]],
        ["a part that is too long", ([one, ...rest]) => [new Uint8Array([...one, 0, 0, 0, 0]), ...rest]],
        ["a part of other bytes", ([one, ...rest]) => [one.map((byte) => byte ^ 0xff), ...rest]],
      ];
      for (const [what, change] of changes) {
        let refused = false;
        try {
          borrowing(kernels, () => inParts(kernels, change));
        } catch (error) {
          refused = true;
          if (said(error).includes("give back its kernel memory")) throw error;
        }
        expect(refused, plugin, `load to refuse ${what}`, "no error");
      }
    }],
  ];
}

/** Checks of the estimate of a prior's work. */
function costChecks(plugin: PluginOf<"prior">): KernelCheck[] {
  return [["estimates a work above 0 that is finite", (kernels) => {
    const prior = createPrior(plugin);
    priorFixture(plugin, kernels, {}, {
      fit(layer) {
        const costs = Z_STEPS.map((zStep) => prior.cost!(layer, { zStep, patches: 9, batch: BATCH.length }));
        const draws = costs.map(({ draw }) => draw("nothing"));
        const fits = costs.map(({ fit }) => fit);
        const isWork = draws.every((one) => Number.isFinite(one) && one > 0) &&
          fits.every((one) => Number.isFinite(one) && one >= 0);
        expect(isWork, plugin, "cost to be finite, of a draw above 0", [...draws, ...fits].join(", "));
        return prior.fit(layer);
      },
    });
  }]];
}

/** Checks of a prior whose fit can pause. */
function pauseChecks(plugin: PluginOf<"prior">): KernelCheck[] {
  return [["can be closed in a pause of its fit, without harm to a later one", (kernels) => {
    const whole = drawAll(plugin, kernels);
    priorFixture(plugin, kernels, {}, {
      fit(layer) {
        const fit = createPrior(plugin).fit(layer);
        if (!isSteps(fit)) return fit;
        fit.next();
        fit.return(undefined as never);
        return createPrior(plugin).fit(layer);
      },
    });
    const later = drawAll(plugin, kernels);
    expect(whole === later, plugin, "the same draws after a fit that was closed", difference(whole, later));
  }]];
}
