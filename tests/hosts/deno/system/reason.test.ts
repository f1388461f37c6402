import { assertEquals } from "@std/assert";
import { reason, sentence } from "../../../../hosts/deno/system/reason.ts";

/** An error as the runtime throws it. */
function system(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

Deno.test("reason: what the system says of a file, in plain words and without the call", () => {
  const said = [
    ["ENOENT", "No such file or directory (os error 2): readfile '/x'", "there is no such file or folder"],
    ["ENOENT", "Das System kann die Datei nicht finden. (os error 2): open 'C:\\x'", "there is no such file or folder"],
    ["EACCES", "Permission denied (os error 13): mkdir '/root/x'", "this user has no permission"],
    ["EROFS", "Read-only file system (os error 30): writefile '/mnt/x'", "the file system is read-only"],
    ["ENOSPC", "No space left on device (os error 28)", "no space is left on the disk"],
    ["EXDEV", "Invalid cross-device link (os error 18): rename '/a' -> '/b'", "Invalid cross-device link"],
    ["ENOENT", "a plugin says so", "a plugin says so"],
  ];
  assertEquals(said.map(([code, message]) => reason(system(code, message))), said.map(([, , words]) => words));
  const renamed = "Cannot write: Is a directory (os error 21): rename '/a' -> '/b c', and more";
  assertEquals(reason(new Error(renamed)), "Cannot write: Is a directory, and more");
  assertEquals([reason(new Error("as it is")), reason("a text")], ["as it is", "a text"]);
});

Deno.test("reason: a permission that is missing, without the advice to allow everything", () => {
  const said = [
    [
      'Requires all access to "/proc/x", run again with the --allow-all flag',
      "Deno gives no access to the system's own files",
    ],
    [
      'Requires write access to "/x, y", run again with the --allow-write flag',
      'the command was started without Deno\'s permission --allow-write for "/x, y"',
    ],
    [
      "Requires run access, run again with the --allow-run flag",
      "the command was started without Deno's permission --allow-run",
    ],
  ];
  assertEquals(said.map(([message]) => reason(new Deno.errors.NotCapable(message))), said.map(([, words]) => words));
});

Deno.test("reason: the runtime's own errors have the codes", async () => {
  const said = async (path: string) => reason(await Deno.readFile(path).catch((error) => error));
  assertEquals(await said("/no/such"), "there is no such file or folder");
  assertEquals(await said("n".repeat(300)), "its name is too long");
});

Deno.test("sentence: an error that reached the end of the command names its file", () => {
  const raw = system("EACCES", "Permission denied (os error 13): open '/root/x'");
  assertEquals(sentence(raw), "Cannot use /root/x: this user has no permission");
  assertEquals(sentence(system("ENOSPC", "No space left on device (os error 28)")), "no space is left on the disk");
  assertEquals(sentence(new Error("Cannot do it: (os error 5)")), "Cannot do it:");
});
