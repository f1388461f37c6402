/** The operators between two layers of the pyramid. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

const f = Math.fround;

/** Weight of H, a 3x3 Gaussian (sigma 1), beside the middle: exp(-1/2) / (1 + 2 exp(-1/2)). */
const SIDE = f(0.27406862);
/** Weight of H in the middle: 1 - 2 SIDE. */
const MIDDLE = f(0.45186275);

/** The rows or columns y - 1, y, y + 1, the border repeated. H starts at even pixels, so only the first row can miss one. */
const around = (y: number) => [Math.max(y - 1, 0), y, y + 1];

/** The twin of assembly/resample.ts. */
export function resampleKernels(
  memory: Views,
): Pick<KernelFunctions, "down" | "downTransposed" | "up" | "toUnit" | "toBytes" | "clamp"> {
  return {
    down: down(memory),
    downTransposed: downTransposed(memory),
    up: up(memory),
    toUnit: toUnit(memory),
    toBytes: toBytes(memory),
    clamp: clamp(memory),
  };
}

function down({ f32 }: Views): KernelFunctions["down"] {
  return (source, target, height, width, count) => {
    const high = height >> 1;
    const wide = width >> 1;
    for (let image = 0; image < count; image++) {
      const from = f32(source + image * height * width * 4, height * width);
      const to = f32(target + image * high * wide * 4, high * wide);
      for (let y = 0; y < high; y++) {
        const [y0, y1, y2] = around(2 * y).map((row) => row * width);
        for (let x = 0; x < wide; x++) {
          const [left, middle, right] = around(2 * x).map((column) =>
            f(f(SIDE * f(from[y0 + column] + from[y2 + column])) + f(MIDDLE * from[y1 + column]))
          );
          to[y * wide + x] = f(f(SIDE * f(left + right)) + f(MIDDLE * middle));
        }
      }
    }
  };
}

function downTransposed({ f32 }: Views): KernelFunctions["downTransposed"] {
  return (source, target, height, width, count) => {
    const high = height >> 1;
    const wide = width >> 1;
    for (let image = 0; image < count; image++) {
      const from = f32(source + image * high * wide * 4, high * wide);
      const to = f32(target + image * height * width * 4, height * width);
      to.fill(0);
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
          const value = from[y * wide + x];
          const side = f(SIDE * value);
          const middle = f(MIDDLE * value);
          around(2 * y).forEach((row, i) => {
            const weight = i === 1 ? MIDDLE : SIDE;
            around(2 * x).forEach((column, j) => {
              const at = row * width + column;
              to[at] = f(to[at] + f(weight * (j === 1 ? middle : side)));
            });
          });
        }
      }
    }
  };
}

function up({ f32 }: Views): KernelFunctions["up"] {
  return (source, target, height, width, count) => {
    const high = height >> 1;
    const wide = width >> 1;
    const next = (y: number, half: number) => y % 2 === 1 && (y >> 1) + 1 < half ? (y >> 1) + 1 : y >> 1;
    for (let image = 0; image < count; image++) {
      const from = f32(source + image * high * wide * 4, high * wide);
      const to = f32(target + image * height * width * 4, height * width);
      for (let y = 0; y < height; y++) {
        const y0 = (y >> 1) * wide;
        const y1 = next(y, high) * wide;
        for (let x = 0; x < width; x++) {
          const x0 = x >> 1;
          const x1 = next(x, wide);
          to[y * width + x] = f(0.25 * f(f(from[y0 + x0] + from[y0 + x1]) + f(from[y1 + x0] + from[y1 + x1])));
        }
      }
    }
  };
}

function toUnit({ u8, f32 }: Views): KernelFunctions["toUnit"] {
  return (source, target, length) => {
    const from = u8(source, length);
    const to = f32(target, length);
    for (let i = 0; i < length; i++) to[i] = f(from[i] / 255);
  };
}

function toBytes({ u8, f32 }: Views): KernelFunctions["toBytes"] {
  return (source, target, length) => {
    const from = f32(source, length);
    const to = u8(target, length);
    for (let i = 0; i < length; i++) {
      to[i] = Math.min(Math.max(Math.floor(f(f(from[i] * 255) + f(0.5))), 0), 255);
    }
  };
}

function clamp({ f32 }: Views): KernelFunctions["clamp"] {
  return (values, length) => {
    const v = f32(values, length);
    for (let i = 0; i < length; i++) v[i] = Math.min(Math.max(v[i], 0), 1);
  };
}
