/** The clock of the queue's server, by clocks that are set and machines that sleep. */
import { assertEquals } from "@std/assert";
import { serverClock } from "../../../../hosts/deno/queue/server_clock.ts";

const SERVER = 1_800_000_000_000, HOUR = 3600_000;

/** A machine whose own clock is an hour slow, and the server's clock on it. */
function machine() {
  const state = { own: SERVER - HOUR, passed: 500, server: SERVER, asked: 0, answers: true };
  const now = serverClock(SERVER, {
    own: () => state.own,
    passed: () => state.passed,
    pause: 0,
    async ask() {
      state.asked++;
      await Promise.resolve();
      if (!state.answers) throw new Error("out of reach");
      return state.server;
    },
  });
  /** Time passes; while the machine sleeps only for others. */
  const wait = (milliseconds: number, asleep = false) => {
    state.own += milliseconds;
    state.server += milliseconds;
    if (!asleep) state.passed += milliseconds;
  };
  return { state, now, wait };
}
/** Lets what was asked be answered. */
const answered = () => new Promise((resolve) => setTimeout(resolve, 5));

Deno.test("serverClock: goes by the server, in whole milliseconds, and asks nothing while clocks agree", () => {
  const { state, now, wait } = machine();
  assertEquals(now(), SERVER);
  wait(90.4);
  assertEquals(now(), SERVER + 90);
  wait(HOUR);
  assertEquals([now(), state.asked], [SERVER + 90 + HOUR, 0]);
});

Deno.test("serverClock: a clock that is set, forward or back, changes nothing; the server is asked once for each time", async () => {
  const { state, now, wait } = machine();
  for (const [n, jump] of [24 * HOUR, -24 * HOUR, -7 * 24 * HOUR, 365 * 24 * HOUR].entries()) {
    state.own += jump;
    for (let calls = 0; calls < 3; calls++) {
      wait(100);
      assertEquals(now(), state.server);
    }
    await answered();
    assertEquals([now(), state.asked], [state.server, n + 1]);
  }
});

Deno.test("serverClock: after a sleep, and after the server was out of reach, it goes by the server again", async () => {
  const { state, now, wait } = machine();
  wait(HOUR, true);
  state.answers = false;
  assertEquals(now(), SERVER);
  await answered();
  state.answers = true;
  now();
  await answered();
  assertEquals([now(), state.asked], [state.server, 2]);
  wait(100);
  assertEquals([now(), state.asked], [state.server, 2]);
});
