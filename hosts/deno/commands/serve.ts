/** `deno task serve`: serves packs over HTTP. */
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The flags that are limits of the handler, and the highest value of each. No kernel memory is larger than 4 GiB. */
const HIGHEST = {
  count: 2 ** 32,
  work: Number.MAX_SAFE_INTEGER,
  memory: 2 ** 32,
  waiting: Number.MAX_SAFE_INTEGER,
  "wait-seconds": Number.MAX_SAFE_INTEGER,
} as const;

/** The command. */
export const COMMAND = command({
  name: "serve",
  about: "Serves packs over HTTP, until Ctrl-C or SIGTERM: serve PACK...",
  flags: {
    port: { value: "N", about: "port; 0: any free one (the environment variable PORT, or 8000)" },
    host: {
      value: "NAME",
      about: "address to listen on; 0.0.0.0: for other machines, too (127.0.0.1: this machine only)",
    },
    "client-header": {
      value: "NAME",
      about:
        "header in which a proxy says who asks: clients have the same share of the work (the network address says who asks)",
    },
    sign: {
      value: "FILE",
      about: "answer only addresses that are signed with the key in this file, of 32 characters or more",
    },
    count: { value: "N", about: "images of a request, at most (64)" },
    work: { value: "N", about: "comparisons of a request, at most; a core does some 1e10 a second (2e10)" },
    memory: { value: "N", about: "kernel memory of each lane of a profile, in bytes, at most (268435456)" },
    waiting: { value: "N", about: "open requests, at most, at work or waiting; further ones get status 503 (100)" },
    "wait-seconds": {
      value: "N",
      about: "seconds that a request waits until its work begins, at most; then it gets status 503 (30)",
    },
  },
  examples: ["deno task serve digits.loom --port 8123", "deno task serve digits.loom --work 1e11 --wait-seconds 60"],
  words: [],
  async run({ given, words: packs }) {
    if (packs.length === 0) throw new UsageError("serve needs packs: serve digits.loom");
    const { host = "127.0.0.1", sign, "client-header": clientHeader } = given;
    if (clientHeader !== undefined && !/^[\w-]+$/.test(clientHeader)) {
      throw new UsageError(`Cannot use --client-header ${clientHeader}: expected the name of a header`);
    }
    const port = wholeNumber("port", given.port ?? (Deno.env.get("PORT") || "8000"), 0, 65535);
    const limit = (name: keyof typeof HIGHEST) => {
      const text = given[name];
      return text === undefined ? undefined : wholeNumber(name, text, 1, HIGHEST[name]);
    };
    const [count, work, memory] = [limit("count"), limit("work"), limit("memory")];
    const { servePacks } = await needed<typeof import("../server/serve_packs.ts")>("server/serve_packs.ts");
    await servePacks({
      packs,
      port,
      host,
      sign,
      clientHeader,
      limits: { ...count && { count }, ...work && { work }, ...memory && { memory } },
      waiting: limit("waiting"),
      waitSeconds: limit("wait-seconds"),
    });
  },
});
