import { assert, assertEquals, assertRejects } from "@std/assert";
import { mayTryAgain } from "../../../../hosts/deno/queue/engine_client.ts";
import type { ToClient } from "../../../../hosts/deno/queue/messages.ts";
import { ClientEnded, openQuestions } from "../../../../hosts/deno/queue/questions.ts";

Deno.test("openQuestions: after the client has ended, questions fail at once, and are not asked again", async () => {
  const sent: ToClient[] = [], questions = openQuestions((message) => sent.push(message), (text) => text.slice(0, 4));
  const look = () => questions.ask({ ask: "look", name: "run" });
  const [first, second, third] = [look(), look(), look()];
  assertEquals(sent.map((message) => "number" in message && message.number), [1, 2, 3]);
  questions.answered({ number: 2, answer: "two" });
  questions.answered({ number: 1, error: "fail with a password" });
  assertEquals(await second, "two");
  assertEquals((await assertRejects(() => first, Error)).message, "fail");
  // What the client said last may be the words of a broken connection.
  questions.end("its client ended: connect ECONNREFUSED");
  for (const asked of [third, look()]) {
    const error = await assertRejects(() => asked, ClientEnded, "ECONNREFUSED");
    assert(!mayTryAgain(error));
  }
  assertEquals(sent.length, 3);
});
