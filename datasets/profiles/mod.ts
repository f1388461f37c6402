import type { Profile } from "../../core/profile.ts";
import { colourFaces } from "./colour_faces.ts";
import { digits } from "./digits.ts";
import { digitsPaper } from "./digits_paper.ts";
import { faces } from "./faces.ts";
import { facesPaper } from "./faces_paper.ts";
import { objects } from "./objects.ts";
import { sprites } from "./sprites.ts";
import { texture } from "./texture.ts";

/** The profiles that come with Patchloom, by name. `digits-paper` and `faces-paper` are the paper's tables 1 and 2. */
export const profiles: Readonly<Record<string, Profile>> = {
  digits,
  faces,
  "colour-faces": colourFaces,
  objects,
  texture,
  sprites,
  "digits-paper": digitsPaper,
  "faces-paper": facesPaper,
};

export { colourFaces, digits, digitsPaper, faces, facesPaper, objects, sprites, texture };
