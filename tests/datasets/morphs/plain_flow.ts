/** The flow of `datasets/morphs/flow.ts` once more, from its description, without running sums: slow, and one pixel at a time. */

/** A picture by its rows. */
type Picture = number[][];

/** A picture of a size whose pixels follow from their places. */
function picture(height: number, width: number, at: (y: number, x: number) => number): Picture {
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => at(y, x)));
}

/** Halves a picture: means of four, where a last odd row or column counts twice. */
function half(image: Picture): Picture {
  const [height, width] = [image.length, image[0].length];
  const at = (y: number, x: number) => image[Math.min(y, height - 1)][Math.min(x, width - 1)];
  return picture(Math.ceil(height / 2), Math.ceil(width / 2), (y, x) => {
    return (at(2 * y, 2 * x) + at(2 * y, 2 * x + 1) + at(2 * y + 1, 2 * x) + at(2 * y + 1, 2 * x + 1)) / 4;
  });
}

/** Three odd widths whose box filters have together about the variance of a Gaussian: all ways that differ by 2 at most are tried. */
function widthsFor(deviation: number): number[] {
  let best = [1, 1, 1];
  const error = (widths: number[]) => Math.abs(widths.reduce((sum, w) => sum + (w * w - 1) / 12, 0) - deviation ** 2);
  for (let narrow = 1; narrow < 99; narrow += 2) {
    for (let wide = 0; wide < 3; wide++) {
      const widths = [0, 1, 2].map((i) => i < wide ? narrow + 2 : narrow);
      if (error(widths) < error(best)) best = widths;
    }
  }
  return best;
}

/** Box filters in a row, along both axes; beyond its border a picture is mirrored. */
function smooth(image: Picture, deviation: number): Picture {
  const [height, width] = [image.length, image[0].length];
  // The kernel of the three boxes together.
  let kernel = [1];
  for (const box of widthsFor(deviation)) {
    const next = new Array(kernel.length + box - 1).fill(0);
    kernel.forEach((value, i) => {
      for (let j = 0; j < box; j++) next[i + j] += value / box;
    });
    kernel = next;
  }
  const reach = (kernel.length - 1) / 2;
  const inside = (place: number, side: number) => {
    let at = place;
    while (at < 0 || at >= side) at = at < 0 ? -1 - at : 2 * side - 1 - at;
    return at;
  };
  const rows = picture(height, width, (y, x) => {
    return kernel.reduce((sum, value, i) => sum + value * image[y][inside(x + i - reach, width)], 0);
  });
  return picture(height, width, (y, x) => {
    return kernel.reduce((sum, value, i) => sum + value * rows[inside(y + i - reach, height)][x], 0);
  });
}

/** Local mean and contrast taken out, and smoothed. */
function structure(image: Picture): Picture {
  const [height, width] = [image.length, image[0].length];
  const mean = smooth(image, 3);
  const centred = picture(height, width, (y, x) => image[y][x] - mean[y][x]);
  const variance = smooth(picture(height, width, (y, x) => centred[y][x] ** 2), 3);
  return smooth(picture(height, width, (y, x) => centred[y][x] / (Math.sqrt(Math.max(variance[y][x], 0)) + 4)), 0.8);
}

/** The value of a picture between four pixels. */
function between(image: Picture, y: number, x: number): number {
  const [height, width] = [image.length, image[0].length];
  const [row, column] = [Math.min(Math.max(y, 0), height - 1), Math.min(Math.max(x, 0), width - 1)];
  let sum = 0;
  for (const top of [Math.floor(row), Math.floor(row) + 1]) {
    for (const left of [Math.floor(column), Math.floor(column) + 1]) {
      const weight = Math.max(0, 1 - Math.abs(row - top)) * Math.max(0, 1 - Math.abs(column - left));
      if (weight > 0) sum += weight * image[top][left];
    }
  }
  return sum;
}

/** The flow at which two images meet half way. */
export function plainFlow(one: Uint8Array, other: Uint8Array, height: number, width: number) {
  const levelsOf = (plane: Uint8Array) => {
    let image = picture(height, width, (y, x) => plane[y * width + x]);
    while (Math.max(image.length, image[0].length) > 64) image = half(image);
    return [structure(half(half(image))), structure(half(image)), structure(image)];
  };
  const [ones, others] = [levelsOf(one), levelsOf(other)];
  const finest = Math.max(ones[2].length, ones[2][0].length);
  let down = ones[0].map((row) => row.map(() => 0));
  let across = down;
  let residual = 0;
  ones.forEach((first, level) => {
    const second = others[level];
    const [rows, columns] = [first.length, first[0].length];
    const [tall, broad] = [rows / down.length, columns / down[0].length];
    const [oldDown, oldAcross] = [down, across];
    const grown = (field: Picture, scale: number) =>
      picture(rows, columns, (y, x) => scale * between(field, (y + 0.5) / tall - 0.5, (x + 0.5) / broad - 0.5));
    down = grown(oldDown, tall);
    across = grown(oldAcross, broad);
    const moved = (image: Picture, sign: number) =>
      picture(rows, columns, (y, x) => between(image, y + sign * down[y][x], x + sign * across[y][x]));
    for (let step = 0; step < 8; step++) {
      const [a, b] = [moved(first, -1), moved(second, 1)];
      const mean = picture(rows, columns, (y, x) => (a[y][x] + b[y][x]) / 2);
      const at = (y: number, x: number) =>
        mean[Math.min(Math.max(y, 0), rows - 1)][Math.min(Math.max(x, 0), columns - 1)];
      const gy = picture(rows, columns, (y, x) => (at(y + 1, x) - at(y - 1, x)) / 2);
      const gx = picture(rows, columns, (y, x) => (at(y, x + 1) - at(y, x - 1)) / 2);
      const average = (of: (y: number, x: number) => number) => smooth(picture(rows, columns, of), 2.5 / 64 * finest);
      const yy = average((y, x) => gy[y][x] ** 2);
      const yx = average((y, x) => gy[y][x] * gx[y][x]);
      const xx = average((y, x) => gx[y][x] ** 2);
      const ty = average((y, x) => gy[y][x] * (a[y][x] - b[y][x]));
      const tx = average((y, x) => gx[y][x] * (a[y][x] - b[y][x]));
      const within = (value: number) => Math.max(-1, Math.min(1, value));
      const solved = (y: number, x: number) => {
        const [p, q, r] = [yy[y][x] + 0.1, yx[y][x], xx[y][x] + 0.1];
        const determinant = p * r - q * q;
        return [(r * ty[y][x] - q * tx[y][x]) / determinant / 2, (p * tx[y][x] - q * ty[y][x]) / determinant / 2];
      };
      const [d, c] = [down, across];
      down = smooth(picture(rows, columns, (y, x) => d[y][x] + within(solved(y, x)[0])), 2 / 64 * finest);
      across = smooth(picture(rows, columns, (y, x) => c[y][x] + within(solved(y, x)[1])), 2 / 64 * finest);
    }
    const [a, b] = [moved(first, -1).flat(), moved(second, 1).flat()];
    const squares = a.reduce((sum, value, p) => sum + value ** 2 + b[p] ** 2, 0);
    residual = a.reduce((sum, value, p) => sum + (value - b[p]) ** 2, 0) / squares;
  });
  return { height: down.length, width: down[0].length, down: down.flat(), across: across.flat(), residual };
}
