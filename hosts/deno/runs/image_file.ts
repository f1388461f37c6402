/** The path of the map of an image, by the map's name and the image's number, below the folder of its run. */
export function mapFileOf(name: string, number: number): string {
  return `maps/${name}/${String(number).padStart(4, "0")}.png`;
}

/** The path of a synthesized image, by its number, below the folder of its run. */
export function fileOf(number: number): string {
  return `images/${String(number).padStart(4, "0")}.png`;
}
