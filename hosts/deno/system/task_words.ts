/** What a task of deno.json runs, with its permissions written out. */
import configuration from "../../../deno.json" with { type: "json" };

type Sets = Readonly<Record<string, Readonly<Record<string, true | readonly string[]>>>>;

/** The words of a task's command. A set of permissions, `-P=NAME`, is replaced by the flags that give the same. */
export function taskWords(command: string): string[] {
  return command.split(" ").flatMap((word) => {
    const set = /^-P=(.*)$/.exec(word);
    return set ? flagsOf((configuration.permissions as Sets)[set[1]]) : [word];
  });
}

function flagsOf(set: Sets[string]): string[] {
  return Object.entries(set).map(([kind, names]) => `--allow-${kind}${names === true ? "" : `=${names.join(",")}`}`);
}
