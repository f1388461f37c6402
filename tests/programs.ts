/**
 * Programs that the tests need and that may not be installed. What imports this file, however far, is a test of the other hosts:
 * `deno task test:hosts` (`run.ts`).
 */
import { delimiter } from "node:path";
import { join } from "@std/path";

/** The path of the first program of some names that is in the folders of `path`. */
export function installedProgram(names: readonly string[], path = Deno.env.get("PATH")): string | undefined {
  return installedPrograms(names, path)[0];
}

/** The paths of all programs of some names in the folders of `path`, in its order. */
export function installedPrograms(names: readonly string[], path = Deno.env.get("PATH")): string[] {
  return (path ?? "").split(delimiter)
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
