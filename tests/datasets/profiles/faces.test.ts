import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { faces } from "../../../datasets/profiles/faces.ts";
import { facesPaper } from "../../../datasets/profiles/faces_paper.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("faces: the images and iterations of the paper's table 2, but for lambda and the merge weights", () => {
  const { name, about, prior, contexts } = faces;
  const layers = faces.layers.map(({ prior: _, contexts: __, ...layer }) => layer);
  const own = ({ iterations }: { iterations: number }) => ({ lambda: new Array(iterations).fill(0), feather: 3 });
  const paper = facesPaper.layers.map((layer) => ({ ...layer, ...own(layer) }));
  assertEquals({ ...faces, layers }, { ...facesPaper, name, about, prior, contexts, layers: paper });
  assertEquals([name, faces.dataset], ["faces", "faces"]);
});

Deno.test("faces: detail transfer in every layer, and whole images compared in the coarsest", () => {
  const { layers } = plan(faces, builtins);
  for (const { prior: { plugin, values }, contexts } of layers) {
    assertEquals([plugin.name, values.coherent, values.maxShare], ["detail", true, 0.1]);
    assertEquals(contexts.map(({ plugin, values: { weight } }) => [plugin.name, weight]), [["square", 0.3]]);
  }
  assertEquals(layers.map(({ prior: { values } }) => [values.neighbours, values.gain, values.bonus]), [
    [2, 1.3, 2],
    [2, 1.15, 2],
    [3, 1.15, 1],
    [10, 1.3, 0],
  ]);
  assertEquals(layers.map(({ contexts: [{ values }] }) => values.extent), [2, 2, 4, 8]);
});
