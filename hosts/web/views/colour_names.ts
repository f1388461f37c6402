/** Names colours in plain words. */

/** Channels that differ by less are grey. */
const GREY = 28;

/** Names of hues, each up to an angle of the colour circle. */
const HUES: readonly (readonly [to: number, name: string])[] = [
  [15, "red"],
  [45, "orange"],
  [70, "yellow"],
  [165, "green"],
  [195, "turquoise"],
  [255, "blue"],
  [290, "purple"],
  [345, "pink"],
  [360, "red"],
];

/** Names a colour, each channel 0..255: "light blue". */
export function colourName([red, green, blue]: readonly number[]): string {
  const most = Math.max(red, green, blue), least = Math.min(red, green, blue), middle = (most + least) / 2;
  if (most - least < GREY) return middle > 235 ? "white" : middle < 25 ? "black" : shaded("grey", middle);
  const turn = most === red
    ? (green - blue) / (most - least)
    : most === green
    ? 2 + (blue - red) / (most - least)
    : 4 + (red - green) / (most - least);
  const hue = (60 * turn + 360) % 360, name = HUES.find(([to]) => hue <= to)![1];
  // Dark orange is what people call brown.
  if (name === "orange" && most < 190) return middle < 60 ? "dark brown" : "brown";
  return shaded(name, middle);
}

function shaded(name: string, middle: number): string {
  return middle > 190 ? `light ${name}` : middle < 75 ? `dark ${name}` : name;
}
