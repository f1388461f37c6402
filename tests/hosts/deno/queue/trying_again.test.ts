import { assertEquals, assertRejects } from "@std/assert";
import { tryingAgain } from "../../../../hosts/deno/queue/trying_again.ts";

/** What becomes ready at the third try, and keeps how a try ended as BullMQ does. */
function readying(first: () => Promise<void> = () => Promise.resolve()) {
  const counts = { tries: 0 };
  return {
    counts,
    readyPromise: undefined as Promise<void> | undefined,
    waitUntilReady(): Promise<void> {
      return this.readyPromise ??= first().then(() => {
        if (++counts.tries < 3) throw new Error(`try ${counts.tries}`);
      });
    },
  };
}

Deno.test("tryingAgain: a backend whose connection failed gets ready later, once for all that wait", async () => {
  const connection = readying(), backend = { ...readying(() => connection.waitUntilReady()), connection };
  tryingAgain(backend);
  for (const expected of [1, 2]) {
    const [one, other] = [backend.waitUntilReady(), backend.waitUntilReady()];
    const errors = [await assertRejects(() => one, Error), await assertRejects(() => other, Error)];
    assertEquals(errors.map(({ message }) => message), Array(2).fill(`try ${expected}`));
  }
  await assertRejects(() => backend.waitUntilReady(), Error, "try 1"); // the backend's own
  assertEquals(connection.counts.tries, 3);
  await assertRejects(() => backend.waitUntilReady(), Error, "try 2");
  for (let n = 0; n < 3; n++) await backend.waitUntilReady();
  assertEquals([connection.counts.tries, backend.counts.tries], [3, 3]);
});
