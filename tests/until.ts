/** Waiting for what happens at a time that a test cannot know. */
import { assert } from "@std/assert";

/** Waits until something is so. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const late = performance.now() + seconds * 1000; !await isSo();) {
    assert(performance.now() < late, `waited for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
