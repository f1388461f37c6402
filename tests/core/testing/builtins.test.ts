/** Every plugin that comes along passes the suite of its kind, on the twin and on the WebAssembly. */
import {
  contextChecks,
  denoiserChecks,
  metricChecks,
  type PriorCheckOptions,
  priorChecks,
} from "@patchloom/patchloom/testing";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";

const module = compiled("kernels.wasm");

/** What built-in priors are excused from. */
const REASONS: Readonly<Record<string, PriorCheckOptions>> = {
  detail: { transforms: "an example's detail is put on top of the LR image itself" },
};

/** A metric of what a record says of images: their pixels tell it nothing. */
const OF_RECORDS = { metric: "share", excused: "scores copies and noise differently" };

for (const plugin of builtins.plugins) {
  for (const [title, check] of checksOf(plugin)) Deno.test(title, check);
}

function checksOf(plugin: typeof builtins.plugins[number]) {
  if (plugin.kind === "prior") return priorChecks(plugin, { module, ...REASONS[plugin.name] });
  if (plugin.kind === "metric") {
    const { metric, excused } = OF_RECORDS;
    return [...metricChecks(plugin, { module })].filter(([title]) =>
      plugin.name !== metric || !title.includes(excused)
    );
  }
  if (plugin.kind === "denoiser") return denoiserChecks(plugin, { module });
  return contextChecks(plugin);
}
