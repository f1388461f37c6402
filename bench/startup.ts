/** From the command to the first image, as whole processes: data that is cached, kernels that are compiled anew. */
const RUNS = 5;
const COMMANDS = [
  ["synth", "--profile", "faces-paper", "--count", "1"],
  ["synth", "--profile", "digits", "--class", "3", "--count", "1"],
  ["synth", "--help"],
];

const main = new URL("../hosts/deno/main.ts", import.meta.url).pathname;
const out = await Deno.makeTempDir({ prefix: "patchloom-startup-" });
// The built-in data, without what it is replaced by.
const { PATCHLOOM_DATA: _, ...env } = Deno.env.toObject();

async function seconds(words: readonly string[]): Promise<number> {
  const started = performance.now(), folder = words.includes("--help") ? [] : ["--out", out, "--quiet"];
  const args = ["run", "--quiet", "--allow-all", main, ...words, ...folder];
  const options = { args, clearEnv: true, env, stdout: "null", stderr: "null" } as const;
  const { success } = await new Deno.Command(Deno.execPath(), options).output();
  if (!success) throw new Error(`${words.join(" ")} failed`);
  return (performance.now() - started) / 1000;
}

console.log("### Start-up: seconds of a whole process on the cached built-in data, median and range of five\n");
console.log("| command | s | range |\n| --- | --- | --- |");
for (const words of COMMANDS) {
  await seconds(words);
  const all: number[] = [];
  for (let run = 0; run < RUNS; run++) all.push(await seconds(words));
  all.sort((a, b) => a - b);
  const [least, median, most] = [all[0], all[RUNS >> 1], all[RUNS - 1]].map((value) => value.toFixed(2));
  console.log(`| ${words.join(" ")} | ${median} | ${least} to ${most} |`);
}
console.log();
await Deno.remove(out, { recursive: true });
