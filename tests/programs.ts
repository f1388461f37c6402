/** Programs that the tests need and that may not be installed. */
import { delimiter } from "node:path";
import { join } from "@std/path";

/** The path of the first program of some names that is installed. */
export function installedProgram(names: readonly string[]): string | undefined {
  return installedPrograms(names)[0];
}

/** The paths of all programs of some names that are installed, in the order of PATH. */
export function installedPrograms(names: readonly string[]): string[] {
  return (Deno.env.get("PATH") ?? "").split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter((path) => {
      try {
        return Deno.statSync(path).isFile;
      } catch {
        return false;
      }
    });
}

/**
 * The path of Chromium; undefined where it is not installed. Its shell without windows comes first: a page that is opened costs 1 s
 * of CPU time there, and 2 s in the whole browser.
 */
export const CHROMIUM: string | undefined = installedProgram(["chromium-headless-shell"]) ??
  installedProgram(["chromium", "chromium-browser", "google-chrome"]);

/** The path of the first Python that has numpy; undefined where there is none. */
export async function pythonWithNumpy(): Promise<string | undefined> {
  for (const python of installedPrograms(["python3"])) {
    const { success } = await new Deno.Command(python, {
      args: ["-c", "import numpy"],
      stdout: "null",
      stderr: "null",
    }).output();
    if (success) return python;
  }
}
