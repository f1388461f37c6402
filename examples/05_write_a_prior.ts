// Synthesizes digits with a prior of one's own: deno run -A examples/05_write_a_prior.ts
import { builtinData, builtins, definePlugin, digits, finish, loadKernels, makePack } from "@patchloom/patchloom";
import { lrDistance, openSynthesizer, plan, png, readPatch, sheet } from "@patchloom/patchloom";
const bestOfFew = definePlugin({
  api: 1,
  kind: "prior",
  name: "best-of-few",
  about: "of a few random training patches at the same place, the one that fits best",
  options: { tries: { default: 50, min: 1, integer: true, about: "patches to choose from; fewer: more variety" } },
  create: ({ tries }) => ({
    fit: (layer) => ({
      draw(location, measurements, { rho, h }, random, out) {
        const length = out.patches.length / measurements.batch, uniforms = new Float64Array(measurements.batch);
        const example = new Float64Array(length), least = new Float64Array(measurements.batch).fill(Infinity);
        for (let one = 0; one < tries; one++) {
          random.uniforms(uniforms, one); // the only source of randomness
          uniforms.forEach((uniform, b) => {
            const image = Math.floor(uniform * layer.hr.count), present = measurements.patches.subarray(b * length);
            readPatch(layer, image, location, example);
            const near = example.reduce((sum, value, p) => sum + (value - present[p]) ** 2, 0);
            const cost = rho / 2 * near + lrDistance(layer, measurements, b, location, image) / h; // with its context
            if (cost >= least[b]) return;
            least[b] = cost;
            out.patches.set(example, b * length); // z_i
            out.sources.set([image, location.y, location.x], 3 * b); // where it was copied from
          });
        }
      },
    }),
  }),
});
const wasm = await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url));
const kernels = loadKernels(await WebAssembly.compile(wasm)), plugins = builtins.with(bestOfFew);
const data = { name: "digits", origin: "drawn by rule", files: [], ...builtinData("mnist") };
const pack = makePack(kernels, plan({ ...digits, prior: "best-of-few" }, plugins), data, { seedImagesPerClass: 20 });
const synthesizer = openSynthesizer(kernels, pack, plugins);
const { images } = finish(synthesizer.synthesize({ seed: 1, images: [...Array(20).keys()] }));
const framed = images.map(({ pixels }) => [{ pixels, colour: "blue" as const }]), size = { width: 32, height: 32 };
await Deno.writeFile("prior.png", png(sheet(framed, size, 10, 3)));
