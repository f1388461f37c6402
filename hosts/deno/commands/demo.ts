/** `deno task demo`: serves the page that shows how the method works, or writes it to a folder for any static host. */
import { messagePrinter } from "../system/printable.ts";
import { forceFlag } from "./flags/common_flags.ts";
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "demo",
  about: "Serves the page that shows how the method works, or writes it for a static host.",
  flags: {
    port: { value: "N", about: "port on this machine; 0: any free one (8000)" },
    out: { value: "DIR", about: "write the page to this folder, for any static host, and serve nothing" },
    ...forceFlag,
    quiet: { about: "print the address only" },
  },
  examples: ["deno task demo", "deno task demo --out page"],
  async run({ given: { port, out, force, quiet } }) {
    if (out !== undefined && port !== undefined) {
      throw new UsageError("Cannot use --port with --out, which serves nothing: expected one of them");
    }
    const number = wholeNumber("port", port ?? "8000", 0, 65535), say = messagePrinter(quiet);
    const { servePage, writePage } = await needed<typeof import("../page/serve_page.ts")>("page/serve_page.ts");
    await (out === undefined ? servePage(number, say) : writePage(out, force, say));
  },
});
