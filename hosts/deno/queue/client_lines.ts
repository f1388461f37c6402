/** What a command and its engine client have in common beside the types of their messages. */

/** The exit code of the client after the command was silent. */
export const SILENT = 3;

/** Yields the lines of a stream of text. What follows the last end of a line is left out. */
export async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const all = (rest + text).split("\n");
    rest = all.pop()!;
    yield* all;
  }
}
