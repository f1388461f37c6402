import type { DataSet } from "../data_set.ts";
import { proceduralDigits } from "./digits.ts";
import { proceduralFaces } from "./faces.ts";

/** The data sets that need no download, under the names of the real ones that they replace. */
export type BuiltinName = "mnist" | "faces";

/** The built-in data: numbers of training and test images, and the side of an image in pixels. */
export const BUILTIN: Readonly<Record<BuiltinName, { about: string; train: number; test: number; side: number }>> = {
  mnist: { about: "digits drawn by rule in MNIST's place", train: 4000, test: 400, side: 28 },
  faces: { about: "portraits drawn by rule in place of photographs", train: 1200, test: 60, side: 128 },
};

/** Whether there is built-in data of that name. */
export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN, name);
}

/** Draws a built-in data set, byte-identical every time: 400 + 40 digits per class, 1200 + 60 faces. It takes seconds. */
export function builtinData(name: BuiltinName): Pick<DataSet, "train" | "test"> {
  const { train, test } = BUILTIN[name];
  if (name === "mnist") {
    return { train: proceduralDigits("train", train / 10), test: proceduralDigits("test", test / 10) };
  }
  return { train: { images: proceduralFaces("train", train) }, test: { images: proceduralFaces("test", test) } };
}
