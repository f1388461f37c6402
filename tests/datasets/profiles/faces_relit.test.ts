import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { facesPaper } from "../../../datasets/profiles/faces_paper.ts";
import { facesRelit } from "../../../datasets/profiles/faces_relit.ts";
import { builtins } from "../../../plugins/mod.ts";

const { layers, sizes, ...planned } = plan(facesRelit, builtins), paper = plan(facesPaper, builtins);

Deno.test("faces-relit: the images of the paper's table 2, measured by the same patches", () => {
  assertEquals([sizes, planned.channels, planned.aligned], [paper.sizes, paper.channels, paper.aligned]);
  assertEquals([facesRelit.name, facesRelit.dataset, facesRelit.classwise], ["faces-relit", "faces", false]);
  assertEquals(planned.compared, paper.compared);
});

Deno.test("faces-relit: every layer is drawn once, each row from its centre outwards, by coherent detail transfer", () => {
  for (const { iterations, order, prior: { plugin, values } } of layers) {
    assertEquals([iterations.length, iterations[0].lambda, order, plugin.name], [1, 0, "sweep", "detail"]);
    assertEquals(values.coherent, true);
  }
});

Deno.test("faces-relit: one example decides on the smallest face, and no image is nearly a training image", () => {
  const { patch, contexts, prior, iterations: [{ h }] } = layers[3];
  assertEquals([patch, contexts.length, prior.values.neighbours], [sizes[3].width, 0, 30]);
  // LR images of 8 x 8 differ by at most 64: each of the neighbours is about as likely.
  assertEquals(h > 64, true);
  assertEquals(layers.map(({ minOriginality }) => minOriginality), [0.8, 0, 0.95, 0]);
});
