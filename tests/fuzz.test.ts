import { assert, assertEquals } from "@std/assert";
import { isFailure, KINDS } from "./fuzz/kinds.ts";

for (const [name, { brief, about, load }] of Object.entries(KINDS)) {
  if (brief === 0) continue;
  Deno.test(`fuzz ${name}: ${brief} ${about}`, async () => {
    const counts = await (await load()).run(brief, 7);
    assertEquals(Object.keys(counts).filter((outcome) => isFailure(outcome) && counts[outcome] > 0), []);
    assert(Object.values(counts).some((times) => times > 0), "something was tried");
  });
}
