/** Asks an engine again and again while it is out of reach. */
import { reason } from "../system/reason.ts";
import type { Watch } from "../runs/synthesize.ts";
import { mayTryAgain } from "./engine_client.ts";
import { engineName } from "./engine_url.ts";
import { ClientEnded } from "./questions.ts";
import { PATIENCE } from "./trouble.ts";
import type { EngineAddress } from "./messages.ts";

/** Milliseconds before an engine that was out of reach is asked again, and between two looks at whether to go on. */
const AGAIN = 1000, LOOK = 250;

/** Asks until there is an answer, for as long as is patient, and until the command is stopped. */
export async function patiently<T>(
  { engine, out }: { readonly engine: EngineAddress; readonly out: string },
  { signal }: Watch,
  ask: () => Promise<T>,
): Promise<T> {
  const late = performance.now() + PATIENCE,
    fail = (why: string) => `Cannot use the engine ${engineName(engine)}: ${why}`;
  const limit = () => {
    if (signal.aborted) return `Stopped watching: workers go on with their parts of ${out}; --resume watches again`;
    if (performance.now() > late) return fail(`it did not answer for ${PATIENCE / 60_000} minutes`);
  };
  const end = Promise.withResolvers<never>();
  const check = () => {
    const why = limit();
    if (why !== undefined) end.reject(new Error(why));
  };
  check();
  const timer = setInterval(check, LOOK);
  end.promise.catch(() => {}); // between two questions nobody waits for it
  try {
    for (;;) {
      const answer = ask().then((answer) => ({ answer }), (error) => ({ error }));
      const answered = await Promise.race([end.promise, answer]);
      if ("answer" in answered) return answered.answer;
      if (answered.error instanceof ClientEnded) {
        throw new Error(`${answered.error.message}; workers go on with their parts of ${out}; --resume watches again`);
      }
      if (!mayTryAgain(answered.error)) throw new Error(fail(reason(answered.error)));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, AGAIN)), end.promise]);
    }
  } finally {
    clearInterval(timer);
  }
}
