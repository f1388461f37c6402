// The server of `deno task serve`, which also answers /memory: its memory after a garbage collection. Needs --v8-flags=--expose-gc.
import { run } from "../../../hosts/deno/main.ts";

declare const gc: () => void;

const { serve } = Deno, started = serve as (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) => object;
Object.assign(Deno, {
  serve: (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) =>
    started(options, (request, info) => {
      if (new URL(request.url).pathname !== "/memory") return handler(request, info);
      gc();
      return Response.json(Deno.memoryUsage());
    }),
});
Deno.exit(await run(["serve", ...Deno.args]));
