import { assertEquals } from "@std/assert";
import { exemplarHint } from "../../../pipelines/synthesis/exemplar_hint.ts";

Deno.test("exemplarHint: where images have more than 16 times the area of all exemplars", () => {
  const train = (count: number) => ({ images: { count, height: 20, width: 40, pixels: new Uint8Array(count * 800) } });
  const size = { height: 160, width: 160 };
  const hint =
    "Hint: exemplars of 40x20 pixels are small for images of 160x160: what they show repeats about 32 times; " +
    "larger exemplars give more variety";
  assertEquals(exemplarHint({ train: train(1) }, size), hint);
  assertEquals(exemplarHint({ train: train(2) }, size), undefined);
  const [whole] = [{ ...train(1).images, height: 80, pixels: new Uint8Array(3200) }];
  assertEquals(exemplarHint({ train: train(3), exemplars: { images: [whole], crops: [] } }, size), undefined);
});
