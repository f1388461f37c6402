import { assert, assertEquals, assertThrows } from "@std/assert";
import { asRequest, RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { builtins } from "../../../../plugins/mod.ts";

Deno.test("asRequest: says once how own plugins are loaded, however many checks there are around it", () => {
  for (const kind of ["prior", "context", "metric", "denoiser"] as const) {
    const find = () => builtins.find(kind, "none such"), told = assertThrows(() => asRequest(find), RequestError);
    assert(told.message.startsWith(assertThrows(find, Error).message + "; --plugin FILE"), told.message);
    assertEquals(assertThrows(() => asRequest(() => asRequest(find)), RequestError).message, told.message);
  }
});
