/** Jobs: what a worker believes, and what it refuses. */
import { assertEquals, assertThrows } from "@std/assert";
import { endJob, readJob, Refused, Unsuited } from "../../../../hosts/deno/queue/jobs.ts";

const SUM = "0".repeat(64), end = endJob("/shared/run", SUM);
const part = { ...end, first: 0, end: 10, partSize: 10, pack: { from: "/shared/x.loom", bytes: 10, sha256: SUM } };
const read = (data: unknown, name = "part") => readJob({ id: "1", name, data });

Deno.test("jobs: those of a run are read as they were written", () => {
  assertEquals(read(JSON.parse(JSON.stringify(part))), { part });
  assertEquals(read({ ...part, more: 1 }), { part });
  assertEquals(read(end, "end"), { end });
  const web = { ...part, pack: { ...part.pack, from: "https://store.example/x.loom" } };
  assertEquals(read(web), { part: web });
});

Deno.test("jobs: of another version they are for other workers; any other job is refused", () => {
  for (const program of ["patchloom 0.0.1", "\u001b[2J", "x".repeat(1000)]) {
    const { message } = assertThrows(() => read({ ...part, program }), Unsuited, "Cannot work for a run of ");
    assertEquals(/\p{Cc}|x{9}/u.test(message), false);
  }
  const pack = (changed: object) => ({ ...part, pack: { ...part.pack, ...changed } });
  const wrong: unknown[] = [
    ...[null, undefined, 3, "job", [], {}, { ...part, format: "patchloom-job-2" }, { ...part, program: 1 }],
    ...["run", "../run", "/shared\u0000", 3].map((folder) => ({ ...part, folder })),
    ...["0".repeat(63), "g".repeat(64), 1].map((settings) => ({ ...part, settings })),
    ...[-1, 0.5, NaN, "0", 10, 2 ** 40].map((first) => ({ ...part, first })),
    ...[0, -1, 11, Infinity, null].map((end) => ({ ...part, end })),
    { ...part, first: 2 ** 32 - 1, end: 2 ** 32 + 1 },
    ...[
      pack({ from: "x.loom" }),
      pack({ from: "file:///etc/passwd" }),
      pack({ sha256: "" }),
      pack({ bytes: 0 }),
      pack({ from: "https://a:b@c/x.loom" }),
      pack({ from: "https://c/x.loom?s=1" }),
      { ...part, pack: null },
    ],
  ];
  for (const data of wrong) assertThrows(() => read(data), Refused, "Cannot do a job of the engine: expected");
  for (const name of ["", "forget", "constructor"]) assertThrows(() => read(part, name), Refused);
});
