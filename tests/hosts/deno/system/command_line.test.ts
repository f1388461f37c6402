import { assertEquals } from "@std/assert";
import { commandLine, quoted } from "../../../../hosts/deno/system/command_line.ts";

Deno.test("command line: words are quoted where a shell would divide or change them", () => {
  assertEquals(commandLine("deno task merge", []), "deno task merge");
  assertEquals(
    commandLine("deno task tune", ["--data", "my photos", "--vary", "layers.*.feather=0,2", "--set=prior.h=1e-3"]),
    "deno task tune --data 'my photos' --vary 'layers.*.feather=0,2' --set=prior.h=1e-3",
  );
  assertEquals(["it's", "", "$HOME", "#fff", "~/a"].map(quoted), [`'it'\\''s'`, "''", "'$HOME'", "'#fff'", "'~/a'"]);
});
