// Runs command lines one after another in one process: reads each from the standard input as a line of JSON, and answers likewise.
import { run } from "../../../hosts/deno/main.ts";

// On one thread a command runs in this thread, where the code that the commands before it used is compiled already.
Object.defineProperty(navigator, "hardwareConcurrency", { value: 1 });

const folder = Deno.cwd();
let text = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
    const { words, cwd }: { words: string[]; cwd?: string } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    Deno.chdir(cwd ?? folder);
    const said = { stdout: "", stderr: "" };
    console.log = (...texts: string[]) => void (said.stdout += `${texts.join(" ")}\n`);
    console.error = (...texts: string[]) => void (said.stderr += `${texts.join(" ")}\n`);
    const answer = `${JSON.stringify({ code: await run(words), ...said })}\n`;
    await new Blob([answer]).stream().pipeTo(Deno.stdout.writable, { preventClose: true });
  }
}
Deno.exit(0);
