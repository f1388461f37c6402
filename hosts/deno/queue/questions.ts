/** The questions to an engine client that wait for their answers. */
import type { FromClient, Question, ToClient } from "./messages.ts";

/** Says that the client has ended, so that asking it again is useless. */
export class ClientEnded extends Error {}

/** Questions and answers. */
export interface Questions {
  /** Asks a question. Rejects with `ClientEnded` if the client has ended, or ends before it answers. */
  ask<T>(question: Question): Promise<T>;
  /** Takes an answer of the client. */
  answered(message: Extract<FromClient, { readonly number: number }>): void;
  /** Rejects the questions that wait, and all that come. */
  end(why: string): void;
}

/**
 * Opens the questions to a client.
 *
 * @param clean takes out of the client's errors what nobody may see
 */
export function openQuestions(send: (message: ToClient) => void, clean: (text: string) => string): Questions {
  const open = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let number = 0, ended: ClientEnded | undefined;
  return {
    ask<T>(question: Question) {
      return new Promise<T>((resolve, reject) => {
        if (ended) return reject(ended);
        open.set(++number, { resolve: resolve as (answer: unknown) => void, reject });
        send({ question, number });
      });
    },
    answered(message) {
      const question = open.get(message.number);
      open.delete(message.number);
      if ("error" in message) question?.reject(new Error(clean(message.error)));
      else question?.resolve(message.answer);
    },
    end(why) {
      ended = new ClientEnded(why);
      for (const { reject } of open.values()) reject(ended);
      open.clear();
    },
  };
}
