import { assert, assertEquals } from "@std/assert";
import { finish } from "../../../../core/steps.ts";
import { byteOf } from "../../../../core/bytes.ts";
import { synthesizeFrames } from "../../../../hosts/web/worker/frames.ts";
import type { Frame } from "../../../../hosts/web/worker/protocol.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../../datasets/formats/packs.ts";

Deno.test("synthesizeFrames: each image begins with its own seed image and ends as it is kept, also where it is drawn again", () => {
  const pack = smallPack(), synthesizer = openSynthesizer(newKernels(), pack, builtins), scratch = newKernels();
  const images = [2, 4, 7], { height, width } = pack.seeds, inSeed = height * width;
  const seedImages = Float32Array.from({ length: images.length * inSeed }, (_, v) => Math.floor(v / inSeed) / 4);
  for (const set of [[], ["layers.0.minOriginality=1"], ["layers.0.minOriginality=10"]]) {
    const frames: Frame[] = [], request = { class: 5, seed: 3, images, seedImages, set };
    const steps = synthesizeFrames(synthesizer, scratch, request, (frame) => frames.push(frame));
    let step = steps.next();
    while (!step.done) step = steps.next();
    const results = step.value, coarsest = synthesizer.plan.layers.length - 1;
    assert(set.length === 0 || frames.some(({ pictures }) => pictures.includes(undefined)) || set[0].endsWith("=10"));
    images.forEach((number, i) => {
      const film = frames.filter(({ pictures }) => pictures[i]);
      assertEquals(film.at(-1)!.pictures[i], results[i].pixels, `image ${number}`);
      const starts = film.filter(({ layer, iteration }) => layer === coarsest && iteration === -1);
      for (const { pictures } of starts) assertEquals(new Set(pictures[i]), new Set([byteOf(i / 4)]));
    });
  }
});

Deno.test("synthesizeFrames: from noise, films end with the attempt that was chosen, also where all are made again", () => {
  const pack = smallPack(), noise = { layer: 1, steps: 4, windows: [9, 7, 5, 3], maxStructure: 1 };
  for (const minOriginality of [0, 1, 10]) {
    const profile = { ...pack.profile, noise: { ...noise, minOriginality } };
    const synthesizer = openSynthesizer(newKernels(), { ...pack, profile }, builtins), scratch = newKernels();
    const images = [2, 4, 7], frames: Frame[] = [], chosen = new Map<number, Uint8Array>();
    const request = { class: 5, seed: 3, images, from: "noise" as const };
    for (const event of synthesizer.synthesize(request)) {
      if (event.type !== "seeds") continue;
      event.numbers.forEach((number, n) => {
        chosen.set(number, Uint8Array.from(event.seedImages.subarray(64 * n, 64 * (n + 1)), byteOf));
      });
    }
    const results = finish(synthesizeFrames(synthesizer, scratch, request, (frame) => frames.push(frame)));
    images.forEach((number, i) => {
      const film = frames.filter(({ pictures }) => pictures[i]), steps = film.filter(({ noise }) => noise);
      assertEquals(film.at(-1)!.pictures[i], results[i].pixels, `image ${number}`);
      const last = steps.slice(-4);
      assertEquals(last.map(({ iteration }) => iteration), [0, 1, 2, 3]);
      assertEquals(new Set(last.map(({ noise }) => noise!.attempts[i])).size, 1);
      assertEquals(last[3].pictures[i], chosen.get(number), `image ${number} begins its layer with its last estimate`);
      assertEquals(last.map(({ noise }) => noise!.window), [9, 7, 5, 3]);
      assert(last.every(({ noise }) => noise!.noisy[i]!.length === 64));
    });
  }
});
