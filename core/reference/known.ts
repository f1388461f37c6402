/** Distances that locations share. */
import type { KernelFunctions } from "../kernel_functions.ts";
import type { Views } from "../views.ts";

/** The twins of assembly/search/known.ts. */
export function knownKernels({ u8, i16, i32, u32 }: Views): Pick<KernelFunctions, "addDistances" | "leaveOut"> {
  return {
    addDistances({ table, scale, queries, planes, count, segments, batch, known = 0 }, out) {
      const addresses = u32(table, segments * planes),
        scales = i16(scale, planes),
        to = i32(out, batch * segments * count);
      for (let b = 0; b < batch; b++) {
        const query = i16(queries + b * planes * 2, planes);
        for (let i = 0; i < segments * count; i++) {
          const at = b * segments * count + i, segment = Math.floor(i / count);
          let distance = known === 0 ? 0 : i32(known, at + 1)[at];
          for (let p = 0; p < planes; p++) {
            const [byte] = u8(addresses[segment * planes + p] + i % count, 1);
            distance += (scales[p] * byte - query[p]) ** 2;
          }
          to[at] = distance;
        }
      }
    },

    leaveOut(all, from, to, length, out) {
      const [whole, end, rest] = [all, to, out].map((at) => i32(at, length));
      for (let i = 0; i < length; i++) rest[i] = whole[i] - end[i] + (from === 0 ? 0 : i32(from, length)[i]);
    },
  };
}
