/** What a portrait is: plain numbers drawn at random, which `draw.ts` turns into a picture. */

import type { Stream } from "../../../core/random.ts";
import { mix } from "../shading.ts";

/** A person, lit and dressed, as plain numbers. Lengths and positions in pixels, tones from 0 (black) to 1 (white), amounts from 0 to 1. */
export type Portrait = ReturnType<typeof randomPortrait>;

/**
 * Describes a person at random. The order of the calls is that of the random numbers, and so of the portraits' bytes: a person,
 * then the entries of the portrait as they stand here.
 */
export function randomPortrait(random: Stream) {
  const draw = chances(random), person = randomPerson(random, draw);
  const { skin, age, feminine, weight, lamp } = person, { between, about } = draw;
  return {
    /** Names the noise: grain, strands, texture. */
    seed: Math.floor(random.next() * 0x7fffffff),
    /** How far the head is turned (-1 left to 1 right) and tipped (-1 up to 1 down); slight in either case. */
    turn: about(-1, 1),
    nod: about(-1, 1),
    lamp: { ...lamp, ambient: between(0.3, 0.62), shine: between(0.02, 0.16) },
    skin,
    age,
    feminine,
    weight,
    head: randomHead(person, draw),
    /** Half the neck's width. */
    neck: feminine ? about(20, 26) : about(26, 33) + weight * 2,
    eyes: randomEyes(person, draw),
    brows: randomBrows(person, draw),
    nose: randomNose(person, draw),
    mouth: randomMouth(person, draw),
    ears: { size: about(0.85, 1.15), y: about(58, 63), ring: feminine ? between(0.2, 1) : 0 },
    hair: randomHair(person, draw),
    beard: randomBeard(person, draw),
    clothes: randomClothes(person, draw),
    backdrop: { tone: between(0.4, 0.7), slope: between(-0.12, 0.12), fall: between(-0.08, 0.08) },
    /** Strength and direction (a unit vector) of the charcoal's hatching, and strength of the paper's grain. */
    hatch: { strength: between(0.1, 0.4), along: [0.8, 0.6], grain: between(0.2, 0.5) },
  };
}

/** Ways to draw a value. */
type Chances = ReturnType<typeof chances>;

function chances(random: Stream) {
  return {
    between: (low: number, high: number) => low + (high - low) * random.next(),
    /** Like `between`, but the middle is likelier than the ends. */
    about: (low: number, high: number) => low + (high - low) * (random.next() + random.next()) / 2,
    pick: <const T extends readonly unknown[]>(...items: T): T[number] =>
      items[Math.floor(random.next() * items.length)],
    chance: (p: number) => random.next() < p,
  };
}

/** What several parts of a portrait follow from. */
type Person = ReturnType<typeof randomPerson>;

function randomPerson(random: Stream, { between, about, pick, chance }: Chances) {
  const feminine = chance(0.48);
  const age = random.next() * random.next() * 0.75 + random.next() * 0.25;
  const skin = chance(0.3) ? between(0.44, 0.6) : between(0.62, 0.92);
  const dark = skin < 0.61;
  const weight = about(0, 1);
  const side = chance(0.5) ? -1 : 1;
  const lx = side * between(0.08, 0.72);
  const ly = -between(0.15, 0.62);
  const lz = between(0.55, 0.9);
  const far = Math.sqrt(lx * lx + ly * ly + lz * lz);
  const lamp = { x: lx / far, y: ly / far, z: lz / far };
  const smile = chance(0.55) ? between(0.3, 1) : between(-0.15, 0.3);
  const happy = Math.max(0, smile);
  const chin = about(feminine ? 112 : 115, feminine ? 121 : 125);
  const tip = about(73, 80) - (feminine ? 1 : 0);
  const natural = dark
    ? between(0.05, 0.16)
    : pick(0.08, 0.12, 0.15, 0.22, 0.3, 0.42, 0.6, 0.72) + between(-0.03, 0.05);
  const grey = age > 0.45 && chance(0.75) ? between(0.3, 1) * Math.min(1, age * 1.3) : 0;
  const hair = mix(natural, between(0.7, 0.9), grey);
  const bearded = !feminine && chance(0.3);
  const style = feminine
    ? pick("bob", "bob", "long", "long", "long fringe", "tied back", "tied back", "curls", "side part", "fringe")
    : age > 0.5 && chance(0.45)
    ? pick("receding", "bald")
    : pick("crop", "crop", "swept", "swept", "swept", "side part", "fringe", "receding", "bald", "curls", "long");
  const afro = style === "curls" && (dark || chance(0.2));
  return {
    feminine,
    age,
    skin,
    dark,
    weight,
    /** Where the light comes from: -1 left, 1 right. */
    side,
    lamp,
    smile,
    happy,
    chin,
    tip,
    natural,
    grey,
    hair,
    bearded,
    style,
    afro,
  };
}

/** Half the width at the cheekbones, the y of the skull's top and of the chin, the jaw's squareness and slant. */
function randomHead({ feminine, weight, chin }: Person, { between, about }: Chances) {
  return {
    width: about(feminine ? 36.5 : 38, feminine ? 41.5 : 43.5) + weight * 1.5,
    crown: about(-1, 8),
    chin,
    square: feminine ? between(0, 0.25) : between(0.05, 0.5),
    taper: about(0.05, 0.27) - weight * 0.06 + (feminine ? 0.05 : 0),
    cheeks: between(0, 0.05),
  };
}

function randomEyes({ feminine, age, dark, happy }: Person, { between, about, chance }: Chances) {
  return {
    width: about(9.3, 11.4),
    upper: about(2.2, 4.2) - happy * 0.5 - age * 0.5 + (feminine ? 0.4 : 0),
    lower: about(2.0, 3.1) - happy * 0.6,
    tilt: about(0.3, 2.6),
    iris: dark ? between(0.12, 0.24) : between(0.16, 0.55),
    size: about(4, 4.7),
    gaze: about(-0.7, 0.7),
    crease: chance(0.2) ? about(0.2, 1.2) : about(1.8, 4),
    lashes: feminine ? between(0.4, 1) : between(0, 0.25),
    bags: Math.min(1, between(0, 0.4) + age * 0.8),
    depth: feminine ? between(3, 6) : between(4.5, 8.5),
  };
}

function randomBrows({ feminine, skin, natural, hair }: Person, { between, about }: Chances) {
  return {
    height: about(9, 12.5) + (feminine ? 0.8 : -0.8),
    arch: feminine ? between(1.5, 4) : between(0.4, 2.6),
    thick: feminine ? about(1.4, 3.2) : about(2.6, 5),
    tone: Math.min(skin * 0.62, mix(natural, hair, 0.5) * 0.8),
    inner: between(9, 12.5),
    ridge: feminine ? between(0, 1.2) : between(0.8, 3.4),
  };
}

function randomNose({ feminine, dark, tip }: Person, { about }: Chances) {
  return {
    tip,
    width: about(8.6, 12.4) + (feminine ? -0.8 : 0.5) + (dark ? 1 : 0),
    bridge: about(4.6, 7.4),
    rise: about(9, 16),
    ball: about(2, 5),
  };
}

/** Half the width, the lips' thickness, how far they part; `smile` is below 0 for turned-down corners. */
function randomMouth({ feminine, dark, happy, smile, chin, tip }: Person, { between, about, chance }: Chances) {
  return {
    y: mix(tip + 2, chin, about(0.36, 0.46)),
    width: about(13, 17.5) + happy * 3.2,
    upper: about(2.8, 4.8) + (feminine ? 0.4 : 0) + (dark ? 0.8 : 0) - happy * 0.5,
    lower: about(3.8, 6) + (feminine ? 0.6 : 0) + (dark ? 0.8 : 0) - happy * 0.4,
    smile,
    open: smile > 0.5 && chance(0.7) ? between(3, 6.5) : chance(0.2) ? between(1.2, 3.6) : 0,
    tone: feminine && chance(0.55) ? between(0.42, 0.65) : between(0.62, 0.8),
    skew: about(-1, 1),
  };
}

function randomHair({ feminine, side, hair, style, afro }: Person, { between, about, pick, chance }: Chances) {
  return {
    style,
    afro,
    tone: Math.min(0.92, Math.max(0.03, hair)),
    sheen: between(0.08, 0.36),
    volume: afro ? about(7, 19) : style === "crop" ? about(2, 5) : about(3.5, 9),
    /** The y where the forehead ends, and how far it goes up at the temples. */
    line: about(14, 23),
    recede: style === "receding" ? between(4, 9) : feminine ? 0 : between(0, 5),
    part: side * pick(0, 0.1, 0.3, 0.42, 0.5),
    curl: chance(0.5) ? between(0.2, 0.65) : between(0, 0.12),
    lean: about(-0.16, 0.16),
    flare: between(0.5, 1.7),
    end: style === "bob" ? about(92, 112) : style === "side part" ? about(58, 72) : 152,
  };
}

function randomBeard({ natural, grey, bearded }: Person, { between, pick }: Chances) {
  return {
    kind: bearded ? pick("stubble", "stubble", "moustache", "full", "full") : "none",
    thick: between(0.5, 1),
    tone: mix(natural * 0.9, 0.85, grey * between(0.6, 1.2)),
  };
}

function randomClothes({ feminine }: Person, { between, about, pick, chance }: Chances) {
  return {
    kind: feminine
      ? pick("round", "open", "open", "shirt", "roll", "suit")
      : pick("suit", "suit", "shirt", "round", "roll"),
    tone: between(0.04, 0.9),
    shirt: chance(0.7) ? between(0.8, 0.97) : between(0.2, 0.6),
    y: about(115, 126),
  };
}
