import { assertEquals, assertMatch } from "@std/assert";
import { type Restoration, restorationHint } from "../../../pipelines/restoration/restoration_results.ts";

/** The hint of a restoration of one image, by its PSNR and that of the baseline. */
function hintOf(baseline: number, restored: number, changed: Partial<Restoration> = {}): string | undefined {
  const fidelity = (psnr: number) => ({ psnr, ssim: 0.8 });
  const image = {
    samples: [new Uint8Array(4)],
    fidelity: { baseline: fidelity(baseline), samples: fidelity(restored), mean: fidelity(restored) },
  };
  return restorationHint({
    plan: {},
    degradation: { task: "denoise", noise: 0.1 },
    baseline: { name: "blur-1.2", images: [] },
    images: [image],
    degraded: [{}],
    ...changed,
  } as unknown as Restoration);
}

Deno.test("restorationHint: names the denoiser where noise was taken away worse than by a blur, nowhere else", () => {
  const hint = "Hint: blur-1.2 comes nearer to the truth than these; --denoiser local-score is better at noise";
  assertEquals(hintOf(30, 29.9), hint);
  assertEquals([hintOf(30, 30), hintOf(30, 31)], [undefined, undefined]);
  assertEquals(hintOf(30, 29, { degradation: { task: "inpaint", mask: "half" } }), undefined);
  assertEquals(hintOf(30, 29, { denoiser: { name: "wiener" } as Restoration["denoiser"] }), undefined);
  const unknown = [{ samples: [new Uint8Array(4)] }] as unknown as Restoration["images"];
  assertEquals(hintOf(30, 29, { images: unknown }), undefined, "the truth is not known");
});

Deno.test("restorationHint: names the denoiser where patches filled aligned faces, nowhere else", () => {
  const faces = { plan: { regions: [] } as unknown as Restoration["plan"] };
  const inpaint = { degradation: { task: "inpaint", mask: "center" } } as const;
  assertMatch(hintOf(20, 25, { ...faces, ...inpaint })!, /^Hint: patches can leave seams .*--denoiser local-score /);
  assertEquals(hintOf(20, 25, inpaint), undefined, "digits");
  assertEquals(hintOf(20, 25, faces), undefined, "another task");
  const denoiser = { name: "local-score" } as Restoration["denoiser"];
  assertEquals(hintOf(20, 25, { ...faces, ...inpaint, denoiser }), undefined);
});
