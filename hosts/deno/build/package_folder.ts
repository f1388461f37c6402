import { join } from "@std/path";

/**
 * Makes an empty folder for an npm package that is built. Deletes what is left of the same package.
 *
 * @throws {Error} if the folder holds anything else, which is left as it was
 */
export async function emptyPackageFolder(folder: string, name: string): Promise<void> {
  const manifest = await Deno.readTextFile(join(folder, "package.json")).catch(() => "{}");
  const isPackage = manifest.includes(`"name": ${JSON.stringify(name)}`);
  await Deno.remove(folder, { recursive: isPackage }).catch((cause) => {
    if (cause instanceof Deno.errors.NotFound) return;
    throw new Error(`it holds other files: expected an empty folder, or one with the package ${name}`, { cause });
  });
  await Deno.mkdir(folder, { recursive: true });
}
