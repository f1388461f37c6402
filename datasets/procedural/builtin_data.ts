/** What the built-in data sets are. None of the code that draws them is loaded with this. */

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
