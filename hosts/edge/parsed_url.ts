/** Reads addresses on any host. */

/** The parts of an address; undefined if it is none. The first versions of Node 20 have no `URL.parse`. */
export function parsedUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
