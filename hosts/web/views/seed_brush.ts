/** The brush of the seed image's grid: a level of light, or a colour of the pictures or any other. */
import type { Colour } from "../../../datasets/formats/colour.ts";
import { paletteOf, unmixed } from "../state/palette.ts";
import { colourName } from "./colour_names.ts";
import { byId, element, radios } from "./element.ts";
import { byteAfterKey, levelByte, LEVELS } from "./levels.ts";

/** What a brush paints on. */
export interface BrushGround {
  /** The byte that is shown as white. */
  readonly white: number;
  /** The colours that are common in the pictures; empty in grey packs. */
  readonly common: readonly Colour[];
  /** The colour that stands for transparent pixels. */
  readonly transparent?: Colour;
}

/** The brush and its swatches. */
export class SeedBrush {
  readonly #swatches = byId("brush");
  readonly #other = byId<HTMLInputElement>("colour");
  #ground: BrushGround = { white: 255, common: [] };
  /** The colours of its swatches: some of the pictures, and what is transparent. */
  #colours: readonly Colour[] = [];
  /** Its level in grey images. */
  #level = LEVELS - 1;
  /** Its bytes in colour images. */
  #colour: readonly number[] = [];

  constructor() {
    this.#other.addEventListener("input", () => {
      this.#colour = [1, 3, 5].map((at) => this.#dimmed(parseInt(this.#other.value.slice(at, at + 2), 16)));
      this.#swatches.querySelectorAll("input").forEach((one) => one.checked = false);
    });
  }

  /** The bytes to which it sets a pixel. */
  get bytes(): readonly number[] {
    return this.#isGrey ? [levelByte(this.#level, this.#ground.white)] : this.#colour;
  }

  /** Shows the swatches of another pack. The brush begins at the level that is nearest to `usual`, or with the first colour. */
  lay(ground: BrushGround, usual: number): void {
    const { common, transparent } = this.#ground = ground;
    this.#colours = transparent ? [...paletteOf(common), transparent] : paletteOf(common);
    byId("brush-title").textContent = this.#isGrey ? "Brush" : "Brush colour";
    byId("other-colour").hidden = this.#isGrey;
    byId("grid-keys").textContent = this.#isGrey
      ? "0 to 9 set a level, + and \u2212 change it."
      : `1 to ${this.#colours.length} paint with a colour of the brush.`;
    if (this.#isGrey) {
      this.#level = Math.min(LEVELS - 1, Math.round(usual * (LEVELS - 1) / ground.white));
      return this.#show(this.#level, (value) => this.#level = value);
    }
    this.#takeColour(0);
    this.#show(0, (value) => this.#takeColour(value));
  }

  /** The bytes of a pixel after a key; undefined for keys that do not paint. */
  after(bytes: readonly number[], key: string): readonly number[] | undefined {
    if (key === " ") return this.bytes;
    if (this.#isGrey) {
      const byte = byteAfterKey(bytes[0], key, this.#ground.white);
      return byte === undefined ? undefined : [byte];
    }
    const colour = /^[1-9]$/.test(key) ? this.#colours[Number(key) - 1] : undefined;
    return colour && this.#bytesOf(colour);
  }

  /** The colour in which a square with these bytes is shown: red, green, blue and opacity, 0..255 each. */
  shown(bytes: readonly number[]): readonly number[] {
    const { white, common, transparent } = this.#ground;
    const [red, green, blue] = bytes.map((byte) => Math.min(byte * 255 / white, 255));
    if (this.#isGrey) return [red, red, red, 255];
    if (!transparent) return [red, green, blue, 255];
    const { colour, opacity } = unmixed([red, green, blue], transparent, common);
    return [...colour, 255 * opacity];
  }

  get #isGrey(): boolean {
    return this.#ground.common.length === 0;
  }

  /** The bytes that are shown as a colour. What is transparent stays as it is. */
  #bytesOf(colour: Colour): readonly number[] {
    return colour === this.#ground.transparent ? colour : colour.map((value) => this.#dimmed(value));
  }

  #dimmed(value: number): number {
    return Math.round(value * this.#ground.white / 255);
  }

  #takeColour(number: number): void {
    const colour = this.#colours[number];
    this.#colour = this.#bytesOf(colour);
    if (colour === this.#ground.transparent) return;
    this.#other.value = `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
  }

  #show(chosen: number, take: (value: number) => void): void {
    const shades = this.#isGrey
      ? Array.from(
        { length: LEVELS },
        (_, value) => ({ colour: Array(3).fill(levelByte(value, 255)), name: `Level ${value}` }),
      )
      : this.#colours.map((colour, i) => {
        const name = colour === this.#ground.transparent ? "transparent" : colourName(colour);
        return { colour, name: `${i + 1}: ${name}` };
      });
    const choices = shades.map(({ colour, name }, value) => {
      const swatch = element("span", {});
      if (colour === this.#ground.transparent) swatch.className = "clear";
      else swatch.style.background = `rgb(${colour.join(" ")})`;
      return { value: String(value), label: [swatch], name, title: name };
    });
    radios(this.#swatches, "brush", choices, String(chosen), (value) => take(Number(value)));
  }
}
