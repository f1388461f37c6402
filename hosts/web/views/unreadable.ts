/** Says which files the page cannot use, and what helps. */

/** Names of photographs as telephones save them. Few browsers read these. */
const HEIC = /\.hei[cf]$/i;

/** The names of files that a sentence lists. */
const LISTED = 3;

/** Says that a file is neither a picture that the browser reads nor a pack. */
export function noPicture(name: string): string {
  if (HEIC.test(name)) return `Cannot use ${name}: this browser does not read HEIC. Save the photograph as JPEG first.`;
  return `Cannot use ${name}: it is neither a picture that this browser reads, such as PNG or JPEG, nor a saved pack (.loom).`;
}

/** Says which of several files are no pictures that the browser reads; nothing if there are none. */
export function skippedFiles(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const sentence = `Skipped files that are no pictures: ${listed(names)}.`;
  const heic = names.filter((name) => HEIC.test(name));
  if (heic.length === 0) return [sentence];
  const save = "This browser does not read HEIC: save such photographs as JPEG first.";
  const others = names.filter((name) => !HEIC.test(name));
  return [...skippedFiles(others), `Skipped ${listed(heic)}. ${save}`];
}

/** Says which files are left out of pictures of faces; nothing if there are none. */
export function withoutFaces(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`Left out files in which no face was found: ${listed(names)}.`];
}

/** The first names, and how many there are beside them. */
function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
