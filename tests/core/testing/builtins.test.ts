/** Every plugin that comes along passes the suite of its kind, on the twin and on the WebAssembly. */
import { contextChecks, metricChecks, priorChecks } from "@patchloom/patchloom/testing";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";

const module = compiled("kernels.wasm");

for (const plugin of builtins.plugins) {
  for (const [title, check] of checksOf(plugin)) Deno.test(title, check);
}

function checksOf(plugin: typeof builtins.plugins[number]) {
  if (plugin.kind === "prior") return priorChecks(plugin, { module });
  if (plugin.kind === "metric") return metricChecks(plugin, { module });
  return contextChecks(plugin);
}
