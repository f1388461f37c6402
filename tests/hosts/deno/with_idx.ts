/** Data sets as folders of IDX files. */
import { join } from "@std/path";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { writeIdx } from "../../../datasets/formats/idx.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";

/** The built-in digits in a folder, but `each` training images and `held` test images of every class: much less work. */
export function fewDigits(folder: string, each = 12, held = 6): Promise<string> {
  return withIdx(folder, proceduralDigits("train", each), proceduralDigits("test", held));
}

/** Writes training and test images into a folder, with their labels; returns it. */
export async function withIdx(folder: string, train: LabelledImages, test: LabelledImages): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [split, { images, labels }] of [["train", train], ["t10k", test]] as const) {
    const sides = [images.count, images.height, images.width];
    await Deno.writeFile(join(folder, `${split}-images-idx3-ubyte`), writeIdx(sides, images.pixels));
    if (labels) await Deno.writeFile(join(folder, `${split}-labels-idx1-ubyte`), writeIdx([images.count], labels));
  }
  return folder;
}
