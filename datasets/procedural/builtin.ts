import type { DataSet } from "../data_set.ts";
import { BUILTIN_DATA, type BuiltinName } from "./builtin_data.ts";
import { proceduralDigits } from "./digits.ts";
import { proceduralFaces } from "./faces.ts";
import { proceduralObjects } from "./objects.ts";

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
