/** A set of grey images of one size, 8 bits a pixel: image i, row y, column x is `pixels[(i * height + y) * width + x]`. */
export interface Images {
  readonly count: number;
  readonly height: number;
  readonly width: number;
  readonly pixels: Uint8Array;
}
