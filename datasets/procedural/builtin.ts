import type { DataSet } from "../data_set.ts";
import { proceduralDigits } from "./digits.ts";
import { proceduralFaces } from "./faces.ts";

/** The data sets that need no download: their names are those of the real ones whose place they take. */
export type BuiltinName = keyof typeof BUILTIN;

/** What the built-in data is: how many images of how many pixels a side. */
export const BUILTIN = {
  mnist: { about: "digits drawn by rule in MNIST's place", train: 4000, test: 400, side: 28 },
  faces: { about: "portraits drawn by rule in place of photographs", train: 600, test: 60, side: 128 },
} as const;

/** Whether there is built-in data of that name. */
export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN, name);
}

/** Draws a built-in data set, the same bytes every time. It takes seconds: 400 + 40 digits a class, 600 + 60 faces. */
export function builtinData(name: BuiltinName): Pick<DataSet, "train" | "test"> {
  const { train, test } = BUILTIN[name];
  if (name === "mnist") {
    return { train: proceduralDigits("train", train / 10), test: proceduralDigits("test", test / 10) };
  }
  return { train: { images: proceduralFaces("train", train) }, test: { images: proceduralFaces("test", test) } };
}
