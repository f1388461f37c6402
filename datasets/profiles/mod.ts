import type { Profile } from "../../core/profile.ts";
import { colourFaces } from "./colour_faces.ts";
import { colourFacesRelit } from "./colour_faces_relit.ts";
import { digits } from "./digits.ts";
import { digitsPaper } from "./digits_paper.ts";
import { faces } from "./faces.ts";
import { facesPaper } from "./faces_paper.ts";
import { facesRelit } from "./faces_relit.ts";
import { objects } from "./objects.ts";
import { sprites } from "./sprites.ts";
import { texture } from "./texture.ts";

/** The profiles that come with Patchloom, by name. `digits-paper` and `faces-paper` are the paper's tables 1 and 2. */
export const profiles: Readonly<Record<string, Profile>> = {
  digits,
  faces,
  "faces-relit": facesRelit,
  "colour-faces": colourFaces,
  "colour-faces-relit": colourFacesRelit,
  objects,
  texture,
  sprites,
  "digits-paper": digitsPaper,
  "faces-paper": facesPaper,
};

export { colourFaces, colourFacesRelit, digits, digitsPaper, faces, facesPaper, facesRelit, objects, sprites, texture };
