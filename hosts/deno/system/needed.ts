/**
 * Imports a module of this host when it is needed, and not before. A literal would do the same, but before a program starts, Deno
 * reads all that literals name, and all that these modules import.
 *
 * @param path from `hosts/deno/`
 */
export function needed<M>(path: string): Promise<M> {
  return import(new URL(`../${path}`, import.meta.url).href);
}
