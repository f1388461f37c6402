/** Whether this worker's plugins are loaded. From then on they can know the training images. */
let sealed = false;

/** Says that the plugins are loaded. It cannot be taken back. */
export function sealImports(): void {
  sealed = true;
}

/** Whether a sandbox refuses packages: Deno fetches them without asking for a permission, and their names could carry data out. */
export function isSealed(): boolean {
  return sealed;
}
