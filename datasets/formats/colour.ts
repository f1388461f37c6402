/** Colours, and how a picture with transparent pixels becomes one without. */

/** Red, green and blue, 0..255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** The default background of transparent pixels: pictures are drawn for white pages. */
export const WHITE: Colour = [255, 255, 255];

/** What transparent pixels of pixel art are, while images are synthesized: a colour that hardly any picture has. */
export const MAGENTA: Colour = [255, 0, 255];

/** The brightness of a colour (Rec. 709), in the unit of its components. */
export function luma(red: number, green: number, blue: number): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** A grey image: row y, column x is `pixels[y * width + x]`. */
export interface GreyImage {
  readonly height: number;
  readonly width: number;
  readonly pixels: Uint8Array;
}

/** An image as a file holds it: the pixels are composited on a background. */
export interface Composited extends GreyImage {
  /** 3 if it is in colour: then a plane of red, one of green and one of blue, each laid out as a grey image. */
  readonly channels?: 3;
  /** How opaque each pixel was, 0..255, if any was not wholly opaque. */
  readonly alpha?: Uint8Array;
  /** Whether the file is in colour and was read in grey. */
  readonly greyed?: boolean;
}

/** How a file is read. */
export interface Reading {
  /** 1 grey, 3 colour; 1 where it is left out. */
  readonly channels?: 1 | 3;
  /** What transparent pixels are composited on; white where it is left out. */
  readonly background?: Colour;
  /**
   * Whether pixels are either opaque or the background: those that are less than half opaque are the background, the others are
   * wholly opaque, and of another colour than the background. For pixel art.
   */
  readonly cut?: boolean;
  /** Whether pixels keep the colours of the file, however transparent they are, in place of those on the background. */
  readonly uncomposited?: boolean;
  /** The largest side in pixels; a larger image is refused before it is decoded. */
  readonly largestSide?: number;
}

/**
 * The parts of a grey differ by less than this part of white: in a grey JPEG that was saved in colour they differ by some levels of
 * 255.
 */
const COLOURFUL = 1 / 16;

/** Takes the pixels of a decoded picture one by one, and composites them on a background. */
export function compositing({ height, width }: GreyImage | { height: number; width: number }, reading: Reading) {
  const { channels = 1, background = WHITE, cut = false, uncomposited = false } = reading;
  const area = height * width;
  const behind = luma(...background);
  const pixels = new Uint8Array(channels * area);
  let alphas: Uint8Array | undefined;
  let greyed = false;
  return {
    /** Sets pixel `p` to a colour of parts 0..`top`. */
    put(p: number, red: number, green: number, blue: number, alpha: number, top: number): void {
      if (cut) {
        alpha = 2 * alpha >= top ? top : 0;
        // An opaque pixel of the background's colour is changed by one level of blue, which is not visible.
        const isBackground = [red, green, blue].every((part, c) => Math.round(255 * part / top) === background[c]);
        if (alpha > 0 && isBackground) blue = top * (background[2] > 0 ? background[2] - 1 : 1) / 255;
      }
      if (alpha < top) (alphas ??= new Uint8Array(area).fill(255))[p] = Math.round(255 * alpha / top);
      const level = (part: number, back: number) => {
        if (uncomposited) return Math.round(255 * part / top);
        return Math.round(255 * part / top * alpha / top + (alpha < top ? back * (1 - alpha / top) : 0));
      };
      if (channels === 1) {
        pixels[p] = level(luma(red, green, blue), behind);
        greyed ||= alpha > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURFUL * top;
      } else {
        pixels[p] = level(red, background[0]);
        pixels[area + p] = level(green, background[1]);
        pixels[2 * area + p] = level(blue, background[2]);
      }
    },
    /** The picture, when all pixels are set. */
    done(): Composited {
      return {
        height,
        width,
        ...channels === 3 && { channels },
        pixels,
        ...alphas && { alpha: alphas },
        ...greyed && { greyed },
      };
    },
  };
}

/** Composites a picture of four bytes for each pixel: red, green, blue and opacity. */
export function composited(
  { height, width, data }: { readonly height: number; readonly width: number; readonly data: ArrayLike<number> },
  reading: Reading,
): Composited {
  const { put, done } = compositing({ height, width }, reading);
  for (let p = 0, at = 0; at < data.length; p++, at += 4) {
    put(p, data[at], data[at + 1], data[at + 2], data[at + 3], 255);
  }
  return done();
}

/** The samples of a picture of four bytes for each pixel: without opacity, where all pixels are wholly opaque. */
export function withoutOpacity(data: ArrayLike<number>): { readonly channels: 3 | 4; readonly data: Uint8Array } {
  const all = Uint8Array.from(data), isOpaque = all.every((value, i) => i % 4 < 3 || value === 255);
  return isOpaque ? { channels: 3, data: all.filter((_, i) => i % 4 < 3) } : { channels: 4, data: all };
}
