/** Profiles and settings of any JSON: a sentence says what is wrong with them, never the error of a failing expression. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { withSetting } from "../../core/profile_changes.ts";
import { builtins } from "../../plugins/mod.ts";
import { check } from "../kernels_under_test.ts";
import { small } from "../small_world.ts";

const changed = (entries: Record<string, unknown>) => ({ ...small, ...entries }) as Profile;
const layered = (entries: Record<string, unknown>) =>
  changed({ layers: [{ ...small.layers[0], ...entries }, small.layers[1]] });

/** An error for people: not what the language says where code trips over a value. */
function assertSentence(run: () => unknown, error?: (message: string) => void): void {
  try {
    run();
  } catch (thrown) {
    const { name, message } = thrown as Error;
    assertEquals(name, "Error", message);
    assertMatch(message, /^(Cannot (use|set) |There is no |(the profile|layers\.\d+|prior|context) .*(lacks|has))/);
    assert(!message.includes("\n"), message);
    error?.(message);
  }
}

const keys = [...Object.keys(small), ...Object.keys(small.layers[0]), "neighbours", "toString", "api", "length"];
/** Any JSON, with the keys and the names that the code looks at among the texts. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, 2, 4, 16, -1, 0.5, 1e300, "", "local-nn", "square", "abc", "__proto__"),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie("value")),
  ),
})).value;

Deno.test("plan: whatever JSON it is given, it answers with a sentence", () => {
  let planned = 0, refused = 0;
  const attempt = (profile: unknown) => {
    assertSentence(() => (plan(profile as Profile, builtins), planned++), () => refused++);
  };
  check(json, 500, attempt);
  // One entry of a good profile, or of its layers, replaced: what lies deeper is reached too.
  const entry = (of: object) => fc.tuple(fc.constantFrom(...Object.keys(of)), json);
  check(entry(small), 500, ([key, value]) => attempt(changed({ [key]: value })));
  check(entry(small.layers[0]), 500, ([key, value]) => attempt(layered({ [key]: value })));
  check(json, 500, (value) => {
    attempt(changed({ contexts: [["square", value]], prior: ["local-nn", { neighbours: value }] }));
  });
  assert(refused > 1000 && planned > 10, `${refused} refused, ${planned} planned`);
});

Deno.test("withSetting: whatever JSON it is given, it answers with a profile to plan or with a sentence", () => {
  const name = fc.constantFrom(..."prior square contexts layers 0 1 h size api __proto__ x".split(" "), "");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("."));
  const setting = fc.tuple(path, fc.constantFrom("1", "true", "x", "", "-1e9")).map((parts) => parts.join("="));
  const replaced = (key: string) => json.map((value) => changed({ [key]: value }));
  const profile = fc.oneof(json, fc.constant(small), replaced("prior"), replaced("contexts"));
  check(fc.tuple(profile, setting), 1000, ([profile, setting]) => {
    assertSentence(() => plan(withSetting(profile as Profile, setting), builtins));
  });
});
