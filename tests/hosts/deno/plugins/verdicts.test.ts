/** Verdicts beside third-party plugins: no code but the program's runs where images are judged. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { writeIdx } from "../../../../datasets/formats/idx.ts";
import { proceduralDigits } from "../../../../datasets/procedural/digits.ts";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { cli, withFolder } from "../cli.ts";
import { fewDigits } from "../with_idx.ts";

/** A module whose metric `shown` is the mean grey level. It sees each task that its worker is given, and overwrites the images in it. */
const SPY = `
const dispatch = EventTarget.prototype.dispatchEvent;
EventTarget.prototype.dispatchEvent = function (event) {
  const pixels = event?.data?.task?.generated?.pixels ?? event?.data?.task?.pixels;
  pixels?.forEach((_, at) => pixels[at] = Math.imul(at, 2654435761) >>> 13 & 255);
  return dispatch.call(this, event);
};
export default {
  api: 1, kind: "metric", name: "shown", about: "the mean grey level", options: {},
  create: () => ({
    measure({ generated: { at, count, width, height }, kernels }) {
      const area = width * height;
      const values = Float64Array.from({ length: count }, (_, n) => {
        return kernels.u8(at + n * area, area).reduce((sum, value) => sum + value, 0) / area;
      });
      return { values, of: "generated", series: {}, settings: {}, warnings: [] };
    },
  }),
};
`;

/** Writes a profile with the spy, training digits, and copies of 40 of them with less contrast. Returns the words that assess these. */
async function withSpy(folder: string): Promise<string[]> {
  await Deno.writeTextFile(join(folder, "spy.js"), SPY);
  await Deno.writeTextFile(join(folder, "spied.json"), JSON.stringify({ ...profiles.digits, plugins: ["./spy.js"] }));
  const { images: { pixels } } = proceduralDigits("train", 12), images = join(folder, "relit.idx");
  await Deno.writeFile(images, writeIdx([40, 28, 28], pixels.slice(0, 40 * 784).map((value) => 0.6 * value + 40)));
  const data = await fewDigits(join(folder, "data"), 12, 6);
  return ["assess", "--data", data, "--images", images, "--class", "all", "--quiet", "--json"];
}

Deno.test("assess --privacy --gate: the plugin of a foreign profile changes no verdict", async () => {
  await withFolder(async (folder) => {
    const assess = [...await withSpy(folder), "--privacy", "--gate"];
    const judged = async (profile: string) => {
      const words = [...assess, "--profile", profile, "--out", "out", "--force"];
      const { code, stdout, stderr } = await cli(words, { cwd: folder });
      assertEquals(code, 1, stderr);
      const { verdict, objections, nearness } = JSON.parse(stdout);
      return { verdict, objections, nearness };
    };
    const alone = await judged("digits");
    assertEquals(alone.verdict, "fails");
    assertStringIncludes(alone.objections.join(), "copies by structure");
    assertEquals(await judged("./spied.json"), alone);
  });
});

Deno.test("assess: a third-party metric is measured apart from the metrics of the program, in and out of a sandbox", async () => {
  await withFolder(async (folder) => {
    const assess = await withSpy(folder), names = ["symmetry", "structure", "contrast", "sharpness"];
    const scored = async (...words: string[]) => {
      const all = [...assess, "--force", "--out", "out", "--threads", "1", ...words];
      const { code, stdout, stderr } = await cli(all, { cwd: folder });
      assertEquals(code, 0, stderr);
      return new Map(JSON.parse(stdout).scores.map((score: { metric: string }) => [score.metric, score]));
    };
    const metrics = [...names, "shown"].flatMap((name) => ["--metric", name]);
    const alone = await scored("--profile", "digits", ...metrics.slice(0, 2 * names.length));
    for (const more of [["--profile", "./spied.json"], ["--profile", "digits", "--plugin", "./spy.js"]]) {
      const beside = await scored(...more, ...metrics);
      assertEquals([...beside.keys()].sort(), [...names, "shown"].sort());
      for (const name of names) assertEquals(beside.get(name), alone.get(name), name);
    }
  });
});
