// Runs the handler in a page's worker. It fetches requests from /next and posts the responses to /answer.
import { handler } from "@patchloom/patchloom/edge";

const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
const kernels = await WebAssembly.compile(await bytes("/kernels.wasm"));
const answer = handler({ kernels, packs: [await bytes("/digits.loom")] });

while (true) {
  const { id, url, method, headers } = await (await fetch("/next")).json();
  const response = await answer(new Request(url, { method, headers }));
  const head = { "x-id": id, "x-status": response.status, "x-headers": JSON.stringify([...response.headers]) };
  await fetch("/answer", { method: "POST", headers: head, body: await response.arrayBuffer() });
}
