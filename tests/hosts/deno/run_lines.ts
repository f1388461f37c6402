// Runs command lines one after another in one process: reads them from the standard input as JSON, and prints what each gave as JSON.
import { run } from "../../../hosts/deno/main.ts";
import type { Ran } from "./cli.ts";

const lines: string[][] = await new Response(Deno.stdin.readable).json(), gave: Ran[] = [];
for (const words of lines) {
  const said = { stdout: "", stderr: "" };
  console.log = (...texts: string[]) => void (said.stdout += `${texts.join(" ")}\n`);
  console.error = (...texts: string[]) => void (said.stderr += `${texts.join(" ")}\n`);
  gave.push({ code: await run(words), ...said });
}
await new Blob([JSON.stringify(gave)]).stream().pipeTo(Deno.stdout.writable);
Deno.exit(0);
