/** Names a pack by the pictures that it is made of. */
import { counted } from "../../../core/counted.ts";

/** A visitor's picture: the name of its file and that of the folder that it lies in. */
interface NamedPicture {
  readonly name: string;
  readonly folder?: string;
}

/** The names of folders that a title lists. */
const LISTED = 2;

/** Returns "flowers: 12 pictures" for a folder, "boats, cars: 20 pictures" for several, or "flower0.png and 11 others" for files. */
export function packTitle(pictures: readonly NamedPicture[]): string {
  const { length: count } = pictures, [first] = pictures, others = count - 1;
  const folders = [...new Set(pictures.flatMap(({ folder }) => folder ?? []))];
  if (folders.length > 0) {
    const more = folders.length > LISTED ? ", \u2026" : "";
    return `${folders.slice(0, LISTED).join(", ")}${more}: ${count} pictures`;
  }
  return others > 0 ? `${first.name} and ${counted(others, "other")}` : first?.name ?? "no pictures";
}
