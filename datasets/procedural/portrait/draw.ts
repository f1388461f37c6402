/** Draws a portrait: a relief of head and neck under a lamp, then the features, hair, and the paper's grain. */

import type { Stream } from "../../../core/random.ts";
import { blur, clamp, type Layer, layer, mix, noise, overlay, paint, sample, shade, shrink, SIZE } from "../shading.ts";
import { paintBackdrop, paintBehind, paintClothes } from "./background.ts";
import { drawBeard, drawBrow, drawEye, drawLines, drawMouth, drawNose } from "./features.ts";
import { drawBackHair, drawHair } from "./hair.ts";
import { AREA, headCover, layOut, SIDES } from "./layout.ts";
import { expose, sculptBehind, sculptFace } from "./relief.ts";
import type { Portrait } from "./portrait.ts";

/** The tones of the finished picture, with hatching in the shadows and paper grain. */
function hatched({ hatch, seed }: Portrait, on: Layer): Float32Array {
  const [dx, dy] = hatch.along;
  const tones = shrink(on.tone);
  for (let at = 0; at < AREA; at++) {
    const x = at % SIZE;
    const y = Math.floor(at / SIZE);
    const tone = clamp(tones[at]);
    const middle = tone * (1 - tone) * 4;
    const mark = noise((x * dx + y * dy) * 0.16, (y * dx - x * dy) * 0.95, seed + 6) - 0.5;
    const paper = noise(x * 0.7, y * 0.7, seed + 8) - 0.5;
    const grain = paper * 0.05 * hatch.grain * (0.4 + middle);
    tones[at] = clamp(tone + mark * 0.095 * hatch.strength * middle * (1.2 - tone) + grain);
  }
  return tones;
}

/** A picture in bytes: its tones, of all channels together, spread over the whole range. */
export function printed(tones: Float32Array): Uint8Array {
  const counts = new Uint32Array(1024);
  for (let at = 0; at < tones.length; at++) counts[Math.floor(tones[at] * 1023)]++;
  const level = (part: number) => {
    let seen = 0;
    let k = 0;
    while (k < 1023 && (seen += counts[k]) < part * tones.length) k++;
    return k / 1023;
  };
  const low = 0.85 * level(0.01) - 0.02;
  const high = mix(1, level(0.99), 0.85) + 0.02;
  return Uint8Array.from(tones, (tone) => Math.round(255 * clamp((tone - low) / (high - low))));
}

/** Draws the 128x128 tones of a portrait, 0 (black) to 1 (white). */
export function drawPortrait(portrait: Portrait, random: Stream): Float32Array {
  const s = layOut(portrait, random);
  const { lamp, seed } = portrait;
  const hair = layer();
  const page = layer();
  const face = sculptFace(s);
  const behind = sculptBehind(s);
  const front = face.map((_, at) => headCover(s, at % SIZE, Math.floor(at / SIZE)));
  const back = front.map((cover, at) => at > 40 * SIZE ? 1 - cover : 0);
  const lit = shade(face.map((z, at) => mix(behind[at], z, front[at])), lamp);
  const faceLight = lit(face, blur(front, 2));
  const behindLight = lit(behind, blur(back, 2));
  expose(faceLight, behindLight);
  drawHair(s, hair);
  // Pores and blotches, and the soft shadow that hair throws on the skin beneath it.
  const cast = blur(blur(shrink(hair.cover), 2), 2);
  for (let at = 0; at < AREA; at++) {
    const x = at % SIZE;
    const y = Math.floor(at / SIZE);
    const shadow = sample(cast, x + lamp.x * 4, y + lamp.y * 4);
    const pores = 0.92 + 0.08 * noise(x * 0.2, y * 0.2, seed + 1) + 0.09 * noise(x * 0.8, y * 0.8, seed + 2);
    faceLight[at] *= pores * (1 - 0.6 * shadow);
    behindLight[at] *= pores * (1 - 0.5 * shadow);
  }
  paintBackdrop(s, page);
  drawBackHair(s, page);
  paintBehind(s, page, behindLight);
  paintClothes(s, page);
  paint(page, [10, 0, 118, SIZE], (x, y, under) => {
    const cover = headCover(s, x, y);
    return cover > 0 ? mix(under, portrait.skin * sample(faceLight, x, y), cover) : under;
  });
  drawLines(s, page);
  for (const side of SIDES) drawEye(s, page, side, faceLight);
  drawNose(s, page);
  drawMouth(s, page);
  drawBeard(s, page, faceLight);
  for (const side of SIDES) drawBrow(s, page, side);
  overlay(page, hair);
  return hatched(portrait, page);
}
