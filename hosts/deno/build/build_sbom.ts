/** Lists the npm packages of all lock files, for a release: a CycloneDX document, out/sbom.cdx.json. */
import configuration from "../../../deno.json" with { type: "json" };

/** The lock files: of the program and its tests, of the client of queues and stores, and of the builds' tools. */
export const LOCKS = ["deno.lock", "hosts/deno/queue/engine.lock", "hosts/deno/build/tools.lock"];

/** A lock file of Deno, as far as it names packages: `NAME@VERSION`, perhaps with `_` and the packages that it is used with. */
export interface PackageLock {
  readonly npm?: Readonly<Record<string, { readonly integrity?: string }>>;
}

/**
 * Returns the document. Equal lock files give equal documents: it has no date and no number of its own.
 *
 * @param locks The lock files, read.
 */
export function sbomOf(locks: readonly PackageLock[]): object {
  const components = new Map<string, object>();
  for (const [key, { integrity }] of locks.flatMap(({ npm = {} }) => Object.entries(npm))) {
    const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key)!, purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const hashes = integrity?.startsWith("sha512-")
      ? { hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(integrity.slice("sha512-".length)).toHex() }] }
      : {};
    components.set(purl, { type: "library", "bom-ref": purl, name, version, purl, ...hashes });
  }
  const { name, version } = configuration;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": `${name}@${version}`, name, version } },
    components: [...components.values()],
  };
}

if (import.meta.main) {
  const root = new URL("../../../", import.meta.url), out = new URL("out/sbom.cdx.json", root);
  const locks = LOCKS.map((path) => JSON.parse(Deno.readTextFileSync(new URL(path, root))));
  Deno.mkdirSync(new URL("out/", root), { recursive: true });
  Deno.writeTextFileSync(out, `${JSON.stringify(sbomOf(locks), null, 2)}\n`);
}
