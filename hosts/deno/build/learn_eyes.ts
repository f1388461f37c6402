/**
 * Learns what eyes look like from sets of aligned faces, and writes the coefficients to `datasets/faces/eye_finder.json`, which
 * `data import --faces` uses.
 */
import { fileURLToPath } from "node:url";
import type { Images } from "../../../core/types.ts";
import { type EyeFinderFile, type LearnedFrom, storedFinder } from "../../../datasets/faces/eye_finder_file.ts";
import { learnEyes, MAX_FACES } from "../../../datasets/faces/learn_eyes.ts";
import { proceduralFaces } from "../../../datasets/procedural/faces.ts";
import { exitCode } from "../commands/flags/exit_code.ts";
import { command, runCommand } from "../commands/flags/flags.ts";
import { readData } from "../data/read_data.ts";
import { environment } from "../system/environment.ts";
import { sha256 } from "../system/hashes.ts";
import { print } from "../system/printable.ts";
import { progress } from "../system/progress.ts";

const FILE = fileURLToPath(new URL("../../../datasets/faces/eye_finder.json", import.meta.url));
/** Drawn portraits that are learned from beside the photographs, so that tests without photographs can find their eyes. */
const PORTRAITS = 200;

const COMMAND = command({
  name: "build:eyes",
  about:
    "Learns what eyes look like from sets of aligned faces: build:eyes SET..., folders of PATCHLOOM_DATA or paths.",
  flags: {},
  examples: ["PATCHLOOM_DATA=../data deno task build:eyes faces faces-colour"],
  words: [[]],
  async run({ words }) {
    const portraits = proceduralFaces("train", PORTRAITS, 1), sets: Images[] = [portraits];
    const learnedFrom: LearnedFrom[] = [
      { name: "portraits drawn by rule", images: PORTRAITS, sha256: await sha256(portraits.pixels) },
    ];
    const { PATCHLOOM_DATA } = environment();
    for (const name of words) {
      const { train: { images }, files } = await readData(PATCHLOOM_DATA ? `${PATCHLOOM_DATA}/${name}` : name, {
        channels: 1,
      });
      sets.push(images);
      const hashes = new TextEncoder().encode(files.map(({ sha256 }) => sha256).join("\n"));
      learnedFrom.push({ name, images: Math.min(images.count, MAX_FACES), sha256: await sha256(hashes) });
    }
    const learning = progress("learning faces", false), steps = learnEyes(sets);
    let step = steps.next();
    for (; !step.done; step = steps.next()) learning.update(step.value);
    learning.end();
    const file: EyeFinderFile = {
      about:
        "Coefficients of linear regressions that find eyes in photographs: what data import --faces uses. No pictures.",
      command: ["deno task build:eyes", ...words].join(" "),
      learnedFrom,
      ...storedFinder(step.value),
    };
    await Deno.writeTextFile(FILE, JSON.stringify(file, undefined, 2) + "\n");
    print(`${FILE}: ${(await Deno.stat(FILE)).size} bytes`);
  },
});

if (import.meta.main) Deno.exit(await exitCode(Deno.args, (args) => runCommand(COMMAND, args)));
