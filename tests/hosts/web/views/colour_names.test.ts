import { assertEquals } from "@std/assert";
import { colourName } from "../../../../hosts/web/views/colour_names.ts";

Deno.test("colourName: colours as people call them", () => {
  const named = {
    "255 255 255": "white",
    "0 0 0": "black",
    "128 128 128": "grey",
    "220 20 30": "red",
    "250 150 20": "orange",
    "120 70 30": "brown",
    "250 220 30": "yellow",
    "40 160 60": "green",
    "40 200 200": "turquoise",
    "30 60 220": "blue",
    "170 200 250": "light blue",
    "130 50 200": "purple",
    "240 60 170": "pink",
    "60 0 10": "dark red",
  };
  for (const [colour, name] of Object.entries(named)) {
    assertEquals(colourName(colour.split(" ").map(Number)), name, colour);
  }
});
