import { assertEquals, assertMatch } from "@std/assert";
import { progress } from "../../../../hosts/deno/system/progress.ts";

/** A screen that keeps what is written, and a clock that is set. */
function screen(terminal: boolean) {
  const written: string[] = [];
  const fake = {
    time: 1000,
    isTerminal: () => terminal,
    write: (text: string) => void written.push(text),
    now: () => fake.time,
  };
  return { fake, written };
}

Deno.test("progress: a bar on a terminal, which is removed at the end", () => {
  const { fake, written } = screen(true), bar = progress("Weaving", false, fake);
  bar.update(0.01);
  assertEquals(written, [], "not yet");
  fake.time += 500;
  bar.update(0.1);
  assertEquals(written, ["\r\x1b[KWeaving [###---------------------------] 10 %, 5 s left"]);
  fake.time += 99;
  bar.update(0.2);
  assertEquals(written.length, 1, "no more than ten a second");
  fake.time += 1;
  bar.update(1);
  assertEquals(written[1], `\r\x1b[KWeaving [${"#".repeat(30)}] 100 %, 0 s left`);
  bar.end();
  assertEquals(written.slice(2), ["\r\x1b[K"]);
});

Deno.test("progress: plain lines elsewhere, one in five seconds", () => {
  const { fake, written } = screen(false), bar = progress("Weaving", false, fake);
  for (let second = 1; second <= 12; second++) {
    fake.time += 1000;
    bar.update(second / 20);
  }
  bar.end();
  assertEquals(written, ["Weaving: 25 %, 15 s left\n", "Weaving: 50 %, 10 s left\n"]);
});

Deno.test("progress: how long is left is not said before anything is done", () => {
  const { fake, written } = screen(false), bar = progress("Weaving", false, fake);
  fake.time += 5000;
  bar.update(0);
  bar.update(0.001);
  fake.time += 5000;
  bar.update(0.002);
  assertEquals(written, ["Weaving: 0 %\n", "Weaving: 0 %\n"], "too little to tell");
  fake.time += 55_000;
  bar.update(0.004);
  assertEquals(written.at(-1), "Weaving: 0 %, 5 hours left\n");
});

Deno.test("progress: nothing where quiet", () => {
  for (const terminal of [true, false]) {
    const { fake, written } = screen(terminal), bar = progress("Weaving", true, fake);
    fake.time += 60_000;
    bar.update(0.5);
    bar.end();
    assertEquals(written, []);
  }
});

Deno.test("progress: by default on the standard error", async () => {
  const url = new URL("../../../../hosts/deno/system/progress.ts", import.meta.url);
  const code = `import { progress } from "${url}";
    const now = performance.now.bind(performance), bar = progress("Weaving", false);
    performance.now = () => now() + 6000;
    bar.update(0.5);`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: ["eval", code] }).output();
  assertEquals(stdout.length, 0);
  assertMatch(new TextDecoder().decode(stderr), /^Weaving: 50 %, [67] s left\n$/);
});
