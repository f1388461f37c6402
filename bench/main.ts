// `deno task bench`: every table of bench/README.md, as Markdown. Each row is measured in a process of its own.
import type { KernelSpeed } from "./kernel.ts";
import type { Throughput } from "./throughput.ts";

/** Runs a file that prints JSON. The terminal shows what runs; the tables alone go to standard output. */
async function run<T>(file: string, ...args: string[]): Promise<T> {
  console.error([file, ...args].join(" "));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", new URL(file, import.meta.url).pathname, ...args],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n";
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
const megabytes = (bytes: number | undefined) => bytes === undefined ? "not told" : String(Math.round(bytes / 1e6));

const whole: string[][] = [], parts: string[][] = [];
for (
  const [name, label] of [["digits", "3"], ["digits-paper", "3"], ["faces", "all"], ["faces-paper", "all"], [
    "digits-paper",
    "all",
  ]]
) {
  for (const threads of [1, 2]) {
    const of = await run<Throughput>("throughput.ts", name, label, String(threads));
    const { rates, kernels } = of, title = `${name} ${label}`;
    const ends = `${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)}`;
    const memory = [megabytes(of.pyramid), megabytes(of.peak)];
    const time = of.load.toFixed(2);
    whole.push([title, String(of.training), String(threads), median(rates).toFixed(1), ends, time, ...memory]);
    if (threads > 1) continue;
    const all = 1 / Math.max(...rates);
    const part = (...names: string[]) => {
      const seconds = names.reduce((sum, kernel) => sum + (kernels[kernel] ?? 0), 0);
      return `${(1000 * seconds).toFixed(2)} (${Math.round(100 * seconds / all)} %)`;
    };
    parts.push([
      title,
      (1000 * all).toFixed(2),
      part("search", "toQueries", "addDistances", "leaveOut", "toDeviations", "correlate"),
      part("logPosterior", "sample", "uniforms", "categorical", "takePatches"),
      part("measurements", "merge", "updateDual"),
      part("solve"),
      part("distances"),
      part(...Object.keys(kernels)),
    ]);
  }
}
console.log("Images a second, median of five rounds; memory in MB\n");
console.log(table(["model", "training", "threads", "images/s", "rounds", "load, s", "pyramid", "peak"], whole));
console.log("Milliseconds an image on one thread, fastest round\n");
console.log(table(
  ["model", "all", "LR search", "HR distances, draw", "patches", "X-step", "nearest image", "all kernels"],
  parts,
));

const kernel: string[][] = [];
for (const [name, label] of [["digits-paper", "3"], ["faces-paper", "all"]]) {
  for (
    const { batch, searches, planes, examples, k, time, rate } of await run<KernelSpeed[]>("kernel.ts", name, label)
  ) {
    const shape = `${planes} x ${examples}`;
    kernel.push([
      `${name} ${label}`,
      String(searches),
      shape,
      String(k),
      String(batch),
      time.toFixed(1),
      (rate / 1e9).toFixed(1),
    ]);
  }
}
console.log("`search` alone, on searches of the finest layer; the rate counts every plane of every example\n");
console.log(
  table(["model", "searches", "planes x examples", "k", "queries", "us a query", "G multiply-adds/s"], kernel),
);

/** The rest print their own tables. */
for (const file of ["startup.ts", "scaling.ts", "measures.ts", "peers.ts"]) {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", new URL(file, import.meta.url).pathname],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${file} failed`);
}
