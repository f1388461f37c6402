/** What a shell reads in the command lines that are printed. */
import { assertEquals } from "@std/assert";
import { commandLine } from "../../../../hosts/deno/system/command_line.ts";
import { oneLine } from "../../../../hosts/deno/system/printable.ts";
import { installedProgram } from "../../../programs.ts";

const bash = Deno.build.os === "windows" ? undefined : installedProgram(["bash"]);

Deno.test({
  name: "command line: what is printed is one word for the shell, whatever the path",
  ignore: bash === undefined,
  async fn() {
    const words = [
      "my photos",
      "it's",
      '"$HOME" `x` \\',
      "a\nb\tc",
      "it's\\\r",
      "\u001b[2J\u009b",
      "a\u202e\u2028é🙂",
      "",
      "!#*?~[]{}();&|<>",
    ];
    const line = oneLine(commandLine("printf '%s\\0'", words));
    const { stdout } = await new Deno.Command(bash!, { args: ["-c", line] }).output();
    assertEquals(new TextDecoder().decode(stdout).split("\0").slice(0, -1), words);
  },
});
