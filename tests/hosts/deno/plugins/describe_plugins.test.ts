/** What the main thread knows of third-party plugins, whose code is in workers only. */
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import type { AnyPlugin } from "../../../../core/plugin.ts";
import { plan } from "../../../../core/plan.ts";
import type { ContextPixel } from "../../../../core/types.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { learnMasks } from "../../../../hosts/deno/plugins/describe_plugins.ts";
import { confined } from "../../../../hosts/deno/plugins/confine.ts";
import { openSources } from "../../../../hosts/deno/plugins/open_plugins.ts";
import { imageWork, outlinesOf } from "../../../../pipelines/run/cost.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { files, inSessions, withFolder } from "../cli.ts";
import { contextSource, withSources } from "./plugin_sources.ts";

const run = inSessions("synth");

/** A context of one pixel as far away as its option says, but for layers of half the size. */
const FAR = `export default {
  api: 1, kind: "context", name: "far", about: "a pixel", options: { away: { default: 2, about: "how far" } },
  create: ({ away }) => ({
    mask(patch, size) {
      if (away === 0) throw new Error("too near");
      const none = () => {};
      return [{ dx: -away, dy: 0, weight: 0.5, none }, { dx: patch, dy: 0, weight: size / 100, none }];
    },
  }),
};`;

Deno.test("learnMasks: stand-ins know the masks of a plan's layers, and of no other plan", async () => {
  await withFolder(async (folder) => {
    const url = toFileUrl(join(folder, "far.ts")).href, open = { specifier: "./far.ts", url, folder };
    await Deno.writeTextFile(join(folder, "far.ts"), FAR);
    const { default: far } = await import(url) as { readonly default: AnyPlugin };
    for (const sandbox of [false, true]) {
      const { registry } = await openSources([sandbox ? confined(open) : open], sandbox),
        images = { count: 50, height: 32, width: 32 };
      const planned = (away: number, from = registry) => plan({ ...digits, contexts: [["far", { away }]] }, from);
      const masks = (away: number, from = registry) => {
        return outlinesOf(planned(away, from), images, 50).map(({ context }) => {
          return context.map(({ dx, dy, weight, mirrored }: ContextPixel) => [dx, dy, weight, !!mirrored]);
        });
      };
      const unknown = () => assertThrows(() => masks(3), Error, "runs in workers only");
      unknown();
      await learnMasks(planned(2));
      unknown();
      await learnMasks(planned(3));
      const own = builtins.with(far);
      for (const away of [2, 3]) assertEquals(masks(away), masks(away, own));
      assert(new Set(masks(3).map(([, [, , weight]]) => weight)).size > 1, "each layer has a size of its own");
      const work = (from: typeof registry) => imageWork(planned(3, from), images, 50);
      assertEquals(work(registry), work(own));
      await assertRejects(() => learnMasks(planned(0)), Error, 'context "far" of ./far.ts failed in mask: too near');
    }
  });
});

Deno.test("synth --context: runs in parts and dependencies of images take third-party contexts, which count", async () => {
  await withFolder(async (folder) => {
    const synth = [...await withSources(folder, { "x.ts": contextSource("x") }), "--plugin", "./x.ts", "--quiet"];
    const imagesBy = async (context: string) => {
      const words = [...synth, "--context", context, "--format", "idx", "--dependencies", "--force"];
      const { code, stderr } = await run(words, { cwd: folder });
      assertEquals([code, stderr], [0, ""]);
      const [images] = (await files(join(folder, "out"))).filter((path) => /images.*idx3-ubyte$/.test(path));
      return await Deno.readFile(join(folder, "out", images));
    };
    assertNotEquals(await imagesBy("x"), await imagesBy("square"));
  });
});
