/** The colour behind transparent pixels of pictures. */
import { type Colour, WHITE } from "../../../datasets/formats/colour.ts";
import { RequestError } from "../system/request_error.ts";

/** Reads a colour: white, black or #rrggbb; white by default. */
export function readBackground(given = "white"): Colour {
  if (given === "white") return WHITE;
  if (given === "black") return [0, 0, 0];
  const [, ...parts] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(given) ?? [];
  if (parts.length === 3) return [parseInt(parts[0], 16), parseInt(parts[1], 16), parseInt(parts[2], 16)];
  throw new RequestError(`Cannot use --background ${given}: expected white, black or #rrggbb`);
}
