/** What is said of an engine that is out of reach, or answers with errors. */
import { assertEquals } from "@std/assert";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import { troubleSayer } from "../../../../hosts/deno/queue/trouble.ts";

Deno.test("troubleSayer: a lost connection is said each time; an error that the server answers with is said when it is new", () => {
  const lines: string[] = [], minute = 60_000;
  let time = 0;
  const tell = troubleSayer(readEngine("redis://127.0.0.1:1", undefined), (line) => lines.push(line), () => time);
  const said = (...whys: string[]) => {
    lines.length = 0;
    for (const why of whys) for (const one of [why, why, undefined, undefined]) tell(one);
    return lines.map((line) => line.replace(/^The engine \S+ /, ""));
  };
  const pair = (why: string) => [`is out of reach, trying again: ${why}`, "answers again"];
  const lost = "connect ECONNREFUSED 127.0.0.1:1", refused = "NOPERM no permissions", other = "WRONGTYPE wrong kind";
  assertEquals(said(lost, lost), [...pair(lost), ...pair(lost)]);
  assertEquals(said(refused, refused, other, other), [...pair(refused), ...pair(other)]);
  for (let times = 0; times < 3; times++) {
    time += minute - 1;
    assertEquals(said(other), []);
  }
  time += minute + 1;
  assertEquals(said(other), pair(other));
});
