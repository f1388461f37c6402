// Answers requests for digits as an edge worker does: deno run -A examples/08_serve.ts [--listen]
import { builtinData, builtins, digits, loadKernels, makePack, plan, writePack } from "@patchloom/patchloom";
import { handler } from "@patchloom/patchloom/edge";

const kernels = await WebAssembly.compile(await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url)));
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(loadKernels(kernels), plan(digits, builtins), data, {
  imagesPerClass: 100,
  seedImagesPerClass: 20,
});

// A handler takes a Request and gives a Response: it runs on any host that has those.
const answer = handler({ kernels, packs: [writePack(pack)], limits: { count: 16 } });

const image = await answer(new Request("http://localhost/synth?class=7&seed=3&count=12"));
await Deno.writeFile("sevens.png", new Uint8Array(await image.arrayBuffer()));

// The same address gives the same bytes on every host, so that answers may be cached for ever.
console.log(image.headers.get("Cache-Control"), image.headers.get("ETag"));

// As data: what made the images, and the training images that their pixels came from.
const accept = { headers: { Accept: "application/json" } };
const { images } = await (await answer(new Request("http://localhost/synth?class=7&seed=3", accept))).json();
console.log("Most of image 0 was copied from", images[0].contributors);

// An error says what was expected, as application/problem+json.
console.log(await (await answer(new Request("http://localhost/synth?class=12"))).json());

if (Deno.args.includes("--listen")) Deno.serve({ port: 8000 }, answer); // http://localhost:8000/
