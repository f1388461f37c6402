import { assertEquals } from "@std/assert";
import { commandLine, quoted } from "../../../../hosts/deno/system/command_line.ts";

Deno.test("command line: words are quoted where a shell would divide or change them", () => {
  assertEquals(commandLine("deno task merge", []), "deno task merge");
  assertEquals(
    commandLine("deno task tune", ["--data", "my photos", "--vary", "layers.*.feather=0,2", "--set=prior.h=1e-3"]),
    "deno task tune --data 'my photos' --vary 'layers.*.feather=0,2' --set=prior.h=1e-3",
  );
  assertEquals(["it's", "", "$HOME", "#fff", "~/a"].map((word) => quoted(word, false)), [
    `'it'\\''s'`,
    "''",
    "'$HOME'",
    "'#fff'",
    "'~/a'",
  ]);
  assertEquals(["a\nb", "it's\\\u001b[2J", "a\u202eé"].map((word) => quoted(word, false)), [
    "$'a\\x0ab'",
    "$'it\\'s\\\\\\x1b[2J'",
    "$'a\\xe2\\x80\\xaeé'",
  ]);
  const windows = ["Symbol 23.png", "C:\\a\\b.png", "C:\\my icons\\", "a,b", ""].map((word) => quoted(word, true));
  assertEquals(windows, ['"Symbol 23.png"', "C:\\a\\b.png", '"C:\\my icons\\\\"', '"a,b"', '""']);
});

Deno.test("command line: sources quote the paths in command lines that they print", async () => {
  const found: string[] = [], root = new URL("../../../../hosts/deno/", import.meta.url);
  // "Cannot use --data ${path}" is a sentence about a flag, not a command line.
  // A command with a path is written by `commandLine`: no template holds both.
  const unquoted =
    /deno task [^`"'\n#(>]*\$\{|(?<!(?:use|read) |run in |`)--(?:data|run|out|without|images|folder|plugin) \$\{(?!quoted\()/;
  const below = async (folder: URL): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await below(new URL(`${name}/`, folder));
      else if (name.endsWith(".ts") && unquoted.test(await Deno.readTextFile(new URL(name, folder)))) found.push(name);
    }
  };
  await below(root);
  assertEquals(found, []);
});
