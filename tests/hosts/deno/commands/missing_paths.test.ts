/** A path at which there is nothing ends every command in the same way, whichever flag names it. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { commandOf } from "../in_process.ts";
import { allCommands, pathFlags } from "../path_flags.ts";
import { blobs, smallData, withFolder } from "../cli.ts";

/** Command lines that name a missing path: NONE.png, NONE.json ... by each of the flags. DATA and PICTURE are there. */
const LINES = [
  ...["synth", "assess", "compare", "tune", "ablate", "worth", "restore", "pack"].flatMap((name) => {
    const more = { assess: " --images PICTURE", pack: " --out OUT.loom", restore: " --task denoise" }[name] ?? "";
    const plugin = ["worth", "pack"].includes(name) ? [] : [`${name} --profile digits${more} --plugin ./NONE.ts`];
    return [`${name}${more} --profile NONE.json`, `${name} --profile digits${more} --data NONE`, ...plugin];
  }),
  "synth --run NONE",
  "synth --profile digits --data DATA --from ./NONE.png",
  "synth --profile texture --data PICTURE --map height=NONE.png",
  ...["synth --profile digits", "worker --folder ."].flatMap((line) => [
    `${line} --engine redis://127.0.0.1:1 --engine-ca NONE.pem`,
    `${line} --engine redis://127.0.0.1:1 --engine-key NONE.key`,
  ]),
  "worker --folder . --engine redis://127.0.0.1:1 --plugin ./NONE.ts",
  "assess --profile digits --images NONE",
  "assess --profile digits --data DATA --images PICTURE --labels NONE",
  "ablate --profile digits --data DATA --baseline NONE.json",
  "worth --profile digits --data DATA --only 2 --images NONE",
  "worth --profile digits --data DATA --only 2 --images PICTURE --labels NONE",
  "restore --profile digits --data DATA --task denoise --images NONE",
  "restore --profile digits --data DATA --task denoise --images PICTURE --labels NONE",
  "restore --profile digits --data DATA --task denoise --degraded NONE.png",
  "restore --profile digits --data DATA --task inpaint --mask NONE.png",
  "fill PICTURE --mask NONE.png",
  "fill PICTURE --mask center --map height=NONE.png",
  "reproduce digits --data NONE",
  "serve PICTURE --sign NONE.key",
  "plugin list --plugin ./NONE.ts",
  "profile schema --plugin ./NONE.ts",
  "data import PICTURES --faces --out OUT --like NONE",
  "data import PICTURES --out OUT --eyes NONE.csv",
];

/** Flags whose files are read after a run. */
const WITH_A_RUN = ["verify --signature", "forget --data", "forget --plugin"];

// A command with plugins listens to signals until its process ends.
const open = { sanitizeOps: false, sanitizeResources: false };

Deno.test("exit codes: a missing file is no wrong usage, by whichever flag it is named", open, async (t) => {
  const all = (await allCommands()).flatMap(pathFlags);
  const tried = (flag: string) => {
    const [name, word] = flag.split(" --");
    return LINES.some((line) => line.startsWith(name) && new RegExp(`--${word} \\S*NONE`).test(line));
  };
  assertEquals(all.filter((flag) => !tried(flag)), WITH_A_RUN);
  await withFolder(async (folder) => {
    const data = await smallData(join(folder, "data")), picture = join(folder, "picture.png");
    await Deno.writeFile(picture, pngOf({ height: 32, width: 32, channels: 1 }, blobs(1, 32)));
    for (const line of LINES) {
      const [name, ...args] = line.split(" ").map((word) => {
        return word.replace("DATA", data).replace("PICTURES", folder).replace("PICTURE", picture).replace(
          "OUT",
          join(folder, "out"),
        );
      });
      const quiet = /^(verify|plugin|profile|worker|data|serve)/.test(name) ? [] : ["--quiet"];
      await t.step(line, async () => {
        const error = await assertRejects(() => commandOf(name)([...args, ...quiet]), Error);
        assert(!(error instanceof RequestError), error.message);
        assert(/NONE/.test(error.message), error.message);
      });
    }
  });
});
