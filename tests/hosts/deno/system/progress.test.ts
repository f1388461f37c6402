import { assert, assertEquals, assertMatch } from "@std/assert";
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
  bar.update(0);
  assertEquals(written, [], "not yet");
  fake.time += 2000;
  bar.update(0.1);
  assertEquals(written, ["\r\x1b[KWeaving [###---------------------------] 10 %, 18 s left"]);
  fake.time += 99;
  bar.update(0.2);
  assertEquals(written.length, 1, "no more than ten a second");
  fake.time += 1;
  bar.update(1);
  assertEquals(written[1], `\r\x1b[KWeaving [${"#".repeat(30)}] 100 %, 0 s left`);
  bar.end();
  assertEquals(written.slice(2), ["\r\x1b[K"]);
});

/** Plain lines of work, which is updated once a second, by what is done after so many seconds. */
function lines(seconds: number, done: (second: number) => number, note?: string): string[] {
  const { fake, written } = screen(false), bar = progress("Weaving", false, fake, note);
  for (let second = 0; second <= seconds; second++) {
    bar.update(done(second));
    fake.time += 1000;
  }
  bar.end();
  return written;
}

Deno.test("progress: plain lines elsewhere, one in five seconds", () => {
  assertEquals(lines(12, (second) => second / 20), ["Weaving: 25 %, 15 s left\n", "Weaving: 50 %, 10 s left\n"]);
});

Deno.test("progress: of long work a plain line for each tenth, and one a minute", () => {
  const shown = lines(1000, (second) => second / 1000).map((line) => Number(/(\d+) %/.exec(line)![1]));
  assertEquals(shown.filter((percent) => percent % 10 === 0), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  assert(shown.length <= 21, `${shown}`);
});

Deno.test("progress: the time left does not jump where stages of the work differ", () => {
  // A first stage of a hundredth takes 10 s, and all others 50 s.
  const done = (second: number) => second < 10 ? second / 1000 : 0.01 + 0.99 * (second - 10) / 50;
  const { fake, written } = screen(true), bar = progress("Weaving", false, fake);
  const left: number[] = [];
  for (let tick = 0; tick < 600; tick++) {
    bar.update(done(tick / 10));
    const said = /, (\d+) s left/.exec(written.at(-1) ?? "");
    if (said) left.push(Number(said[1]));
    fake.time += 100;
  }
  assert(left.length > 450);
  for (let i = 1; i < left.length; i++) {
    assert(Math.abs(left[i] - left[i - 1]) <= Math.max(2, 0.05 * left[i - 1]), `${left[i - 1]} s, then ${left[i]} s`);
  }
  assert(left.at(-1)! <= 5, `${left.at(-1)} s at the end`);
});

Deno.test("progress: a fast begin does not make the end seem far away", () => {
  // 15 % take half a second, two hundredths more take 6 s, and the others 30 s.
  const { fake, written } = screen(true), bar = progress("Weaving", false, fake), left: number[] = [];
  for (let tick = 0; tick <= 365; tick++) {
    bar.update(
      tick < 5 ? 0.15 * tick / 4 : tick < 65 ? 0.15 + 0.02 * (tick - 5) / 60 : 0.17 + 0.83 * (tick - 65) / 300,
    );
    const said = /, (\d+) s left/.exec(written.at(-1) ?? "");
    if (said) left.push(Number(said[1]));
    fake.time += 100;
  }
  assert(left.length > 250 && Math.max(...left) < 90, `${Math.max(...left)} s, of 30`);
});

Deno.test("progress: a slow begin does not make the end seem far away", () => {
  // A tenth takes 60 s, and the other nine tenths 10.2 s. After 70 s nearly all is done.
  const { fake, written } = screen(true), bar = progress("Weaving", false, fake);
  for (let tick = 0; tick <= 700; tick++) {
    bar.update(tick < 600 ? tick / 6000 : 0.1 + 0.9 * (tick - 600) / 102);
    fake.time += 100;
  }
  const left = Number(/, (\d+) s left/.exec(written.at(-1)!)![1]);
  assert(left <= 10, `${left} s at 98 %`);
});

Deno.test("progress: how long is left is not said before anything is done", () => {
  const { fake, written } = screen(false), bar = progress("Weaving", false, fake);
  fake.time += 5000;
  bar.update(0);
  bar.update(0.001);
  fake.time += 60_000;
  bar.update(0.001);
  assertEquals(written, ["Weaving: 0 %\n", "Weaving: 0 %, 19 hours left\n"]);
});

Deno.test("progress: what was kept from an earlier command says nothing of the speed", () => {
  const { fake, written } = screen(false), bar = progress("Weaving", false, fake);
  for (const done of [0.1, 0.3, 0.5]) {
    bar.update(done);
    fake.time += 10;
  }
  fake.time += 10_000;
  bar.update(0.55);
  assertMatch(written.join(), /^Weaving: 55 %, 9\d s left\n$/);
});

Deno.test("progress: long work with a note is announced once, as soon as it is known how long it takes", () => {
  const announced = "Weaving takes about 100 s, this once\n", slow = lines(100, (second) => second / 100, "this once");
  assertEquals(slow.filter((line) => line === announced), [announced]);
  assertEquals(slow[0], announced);
  assertEquals(lines(20, (second) => second / 20, "this once").filter((line) => line.includes("once")), []);
  assertEquals(lines(100, (second) => second / 100).includes(announced), false);
});

Deno.test("progress: what is being done now comes last, without control characters, and wraps no bar", () => {
  for (const terminal of [true, false]) {
    const { fake, written } = screen(terminal), bar = progress("Weaving", false, fake), current = "\x1b[2Ja".repeat(40);
    fake.time += 5000;
    bar.update(0.5, current);
    assertEquals(written[0].includes("50 %, 5 s left: "), true, written[0]);
    assertEquals(written[0].lastIndexOf("\x1b"), terminal ? 1 : -1);
    assertEquals(written[0].replace("\r\x1b[K", "").length < 80, terminal);
  }
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
  assertMatch(new TextDecoder().decode(stderr), /^Weaving: 50 %(, [67] s left)?\n$/);
});
