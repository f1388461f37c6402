/** What the npm packages say of themselves, and where the project lives: for their pages and for the site. */
import configuration from "../../../deno.json" with { type: "json" };

/** Where the repository will be published: links and pictures lead there, at the tag of the version. */
const REPOSITORY = "patchloom/patchloom";
/** The page of the repository. */
export const PAGE = `https://github.com/${REPOSITORY}`;
const TAG = `v${configuration.version}`;
/** Where the sources of the version will be published. */
export const SOURCES = `${PAGE}/blob/${TAG}/`;

/** Entries of a package.json. npm compares `repository` with the workflow that a package comes from (provenance). */
export const PAGE_ENTRIES = {
  homepage: `${PAGE}#readme`,
  repository: { type: "git", url: `git+${PAGE}.git` },
  bugs: { url: `${PAGE}/issues` },
} as const;

/** The entry `files` of a package.json: what a build wrote into the package's folder, but not its record of the build. */
export function packedFiles(written: readonly (readonly [path: string, content: unknown])[]): string[] {
  return [...new Set(written.map(([path]) => path.split("/")[0]))].sort();
}

/** Makes links and pictures of a document absolute that are relative to the root: the page of a package shows no others. */
export function published(text: string): string {
  return text
    .replaceAll(/(!\[[^\]]*\]\()(?!https:)/g, `$1https://raw.githubusercontent.com/${REPOSITORY}/${TAG}/`)
    .replaceAll(/(?<!!)(\[[^\]]*\]\()(?!https:)/g, `$1${SOURCES}`);
}
