/** Faults of plugins in a handler of one's own: they are the server's, name the plugin, and are logged. */
import { assertEquals } from "@std/assert";
import { definePlugin } from "../../../core/plugin.ts";
import type { FittedPrior, Prior } from "../../../core/types.ts";
import { writePack } from "../../../datasets/formats/pack.ts";
import { handler } from "../../../hosts/edge/handler.ts";
import { builtins } from "../../../plugins/mod.ts";
import { smallPack } from "../../datasets/formats/packs.ts";
import { compiled } from "../../kernels_under_test.ts";

const kernels = compiled("kernels.wasm"), packs = [writePack(smallPack())];
const grey: FittedPrior = { draw: (_location, _measurements, _step, _random, out) => void out.patches.fill(0.5) };
const fail = () => {
  throw new Error("no luck");
};

/** The answers to a request with a prior, as a picture and as events, and what was logged. */
async function answered(
  prior: () => Prior,
): Promise<{ status: number; detail: string; last: string; logged: unknown[] }> {
  const mine = definePlugin({ api: 1, kind: "prior", name: "mine", about: "a prior", options: {}, create: prior });
  const answer = handler({ kernels, packs, plugins: builtins.with(mine) }), logged: unknown[] = [], log = console.error;
  console.error = (...values) => void logged.push(...values);
  try {
    const [picture, events] = await Promise.all(["/synth", "/synth/stream"].map(async (path) => {
      const response = await answer(new Request(`http://localhost${path}?prior=mine&class=5`));
      const text = response.headers.get("Content-Type") === "image/png" ? "{}" : await response.text();
      return { status: response.status, text };
    }));
    const { detail, parameter } = JSON.parse(picture.text);
    assertEquals(parameter, undefined); // no part of the request is at fault
    await new Promise((resolve) => setTimeout(resolve, 10)); // what a plugin leaves behind comes later
    return { status: picture.status, detail, last: events.text, logged };
  } finally {
    console.error = log;
  }
}

Deno.test("handler: what a plugin throws is the server's fault, names the plugin and is logged", async () => {
  const faults: readonly (readonly [() => Prior, string])[] = [
    [fail, "failed in create: no luck"],
    [() => ({ fit: fail }), "failed in fit, layer 0: no luck"],
    [() => ({ fit: () => Promise.resolve(grey) as never }), "failed in fit, layer 0: expected a result, got a promise"],
    [() => ({ fit: () => ({ draw: fail }) }), "failed in draw at (0, 0), layer 1: no luck"],
    [() => ({ fit: () => ({ draw: () => {} }) }), "left a patch unfilled or not a number in draw at (0, 0), layer 1"],
    [() => ({ fit: () => ({ ...grey, dispose: fail }) }), "failed in dispose: no luck"],
  ];
  for (const [prior, what] of faults) {
    const sentence = `prior "mine" ${what}`, { status, detail, last, logged } = await answered(prior);
    assertEquals([status, detail], [500, `Cannot answer: ${sentence}`]);
    assertEquals(logged.map((error) => (error as Error).message), [sentence, sentence]);
    assertEquals(last.includes(JSON.stringify(detail)), true, last);
  }
  assertEquals((await answered(() => ({ fit: () => grey }))).status, 200);
});

Deno.test("handler: what a plugin leaves behind is logged with its name, and ends no server", async () => {
  const behind: readonly [() => void, string][] = [
    [() => void Promise.reject(new Error("unseen")), "unseen"],
    [() => void setTimeout(() => fail(), 0), "no luck"],
  ];
  for (const [leave, what] of behind) {
    const { status, logged } = await answered(() => ({ fit: () => (leave(), grey) }));
    assertEquals(status, 200);
    const sentence = `Caught outside of all requests, probably of prior "mine": ${what}`;
    assertEquals([...new Set(logged.filter((value) => typeof value === "string"))], [sentence]);
  }
});

Deno.test("handler: however many have plugins, one listener for late errors names them all", async () => {
  await answered(() => ({ fit: () => grey }));
  const listening: string[] = [], { addEventListener } = globalThis;
  globalThis.addEventListener = ((type: string) => void listening.push(type)) as typeof addEventListener;
  try {
    for (let i = 0; i < 3; i++) await answered(() => ({ fit: () => grey }));
  } finally {
    globalThis.addEventListener = addEventListener;
  }
  assertEquals(listening, []);
});
