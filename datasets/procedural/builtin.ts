import type { DataSet } from "../data_set.ts";
import { proceduralDigits } from "./digits.ts";
import { proceduralFaces } from "./faces.ts";
import { proceduralObjects } from "./objects.ts";

/** The data sets that need no download, most of them under the names of the real ones that they replace. */
export type BuiltinName = "mnist" | "faces" | "faces-colour" | "objects";

/** What a built-in data set is. */
export interface Builtin {
  /** One phrase for people. */
  readonly about: string;
  /** Numbers of training and test images. */
  readonly train: number;
  readonly test: number;
  /** Side of an image in pixels. */
  readonly side: number;
  readonly channels: 1 | 3;
}

/** The built-in data by name. */
export const BUILTIN_DATA: Readonly<Record<BuiltinName, Builtin>> = {
  mnist: { about: "digits drawn by rule in MNIST's place", train: 4000, test: 400, side: 28, channels: 1 },
  faces: { about: "portraits drawn by rule in place of photographs", train: 1200, test: 60, side: 128, channels: 1 },
  "faces-colour": {
    about: "portraits in colour drawn by rule in place of photographs",
    train: 400,
    test: 20,
    side: 128,
    channels: 3,
  },
  objects: { about: "bags, shirts, shoes and trousers drawn by rule", train: 400, test: 80, side: 32, channels: 1 },
};

/** Whether there is built-in data of that name. */
export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN_DATA, name);
}

/** Draws a built-in data set, byte-identical every time: 400 + 40 digits per class, 1200 + 60 faces, 400 + 20 in colour, 100 + 20 objects of each
 * of four kinds. It takes seconds. */
export function builtinData(name: BuiltinName): Pick<DataSet, "train" | "test"> {
  const { train, test, channels } = BUILTIN_DATA[name];
  if (name === "mnist") {
    return { train: proceduralDigits("train", train / 10), test: proceduralDigits("test", test / 10) };
  }
  if (name === "objects") {
    return { train: proceduralObjects("train", train / 4), test: proceduralObjects("test", test / 4) };
  }
  return {
    train: { images: proceduralFaces("train", train, channels) },
    test: { images: proceduralFaces("test", test, channels) },
  };
}
