import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { BUILTIN_PLUGINS } from "../../../../hosts/deno/plugins/plugins.ts";
import { readSynthesis } from "../../../../hosts/deno/runs/read_synthesis.ts";
import { smallData, withFolder } from "../cli.ts";

Deno.test("readSynthesis: morphs are made with as many threads as are asked for", async () => {
  const { XDG_CACHE_HOME } = Deno.env.toObject(), { Worker } = globalThis;
  let started = 0;
  const counted = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      started++;
    }
  };
  await withFolder(async (folder) => {
    const request = { profile: "digits", data: await smallData(join(folder, "data")), set: ["morph=6"] };
    const morphed = async (threads: number) => {
      Deno.env.set("XDG_CACHE_HOME", join(folder, `kept-${threads}`)); // morphs that are kept are not made again
      const { input } = await readSynthesis(request, BUILTIN_PLUGINS.registry, { threads, quiet: true });
      assert(input.data.morphs);
      return input.data.train.images.pixels;
    };
    try {
      globalThis.Worker = counted;
      const one = await morphed(1);
      assertEquals(started, 0, "one thread is this one");
      assertEquals(await morphed(2), one);
      assertEquals(started, 2);
    } finally {
      globalThis.Worker = Worker;
      if (XDG_CACHE_HOME === undefined) Deno.env.delete("XDG_CACHE_HOME");
      else Deno.env.set("XDG_CACHE_HOME", XDG_CACHE_HOME);
    }
  });
});
