/** The path of a synthesized image, by its number, below the folder of its run. */
export function fileOf(number: number): string {
  return `images/${String(number).padStart(4, "0")}.png`;
}
