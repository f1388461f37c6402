/** What a third-party prior is lent, and what it must leave as it was. Built-in priors are tested, and are not watched. */
import type { Draw } from "./batch.ts";
import { phaseOf } from "./check_draw.ts";
import type { Address } from "./kernel_arguments.ts";
import type { Kernels } from "./kernels.ts";
import type { PatchPosition } from "./locations.ts";
import type { Plugin } from "./plugin.ts";
import { pluginError } from "./plugin_error.ts";
import { lengthOf } from "./shape.ts";
import { guardTraining } from "./training_guard.ts";
import type { DrawOutput, Planes, Rows } from "./types.ts";

/** Bytes before and behind each array that is lent, and their value. */
const GUARD = 64, MARK = 0xa5;
/** How many different values a patch has that is taken for a copy: flat patches are equal by chance. */
const COPIED = 4;
/** How far a value may be from that of a byte: a prior may divide by 255 or multiply by 1 / 255. */
const ROUNDING = 1e-6;

/** What a guard watches over. */
export interface Guarded {
  /** The plugin of the prior. */
  readonly plugin: Plugin<"prior">;
  /** The training images of the layer. */
  readonly hr: Rows;
  /** The same at half the size. */
  readonly lr: Planes;
  /** Number of images of the batch. */
  readonly batch: number;
  /** n: side of a patch. */
  readonly patch: number;
}

/**
 * Lends a prior arrays with marks around them. Finds marks that it wrote over, training images that it changed, and copies of patches
 * that it names no source of.
 */
export class DrawGuard {
  readonly #kernels: Kernels;
  readonly #given: Guarded;
  readonly #values: number;
  readonly #addresses: { readonly measured: Address; readonly patches: Address; readonly sources: Address };
  /** The marks: address and length. */
  readonly #marks: readonly (readonly [at: Address, bytes: number])[];
  readonly #checkTraining: () => void;

  /** Allocates what is lent. The caller gives it back. */
  constructor(kernels: Kernels, given: Guarded) {
    const { batch, patch } = given, values = batch * given.hr.channels * patch * patch;
    const lent = [values * 4, values * 4, batch * 3 * 4],
      room = (bytes: number) => Math.ceil(bytes / GUARD + 1) * GUARD;
    const block = kernels.allocate(GUARD + lent.reduce((sum, bytes) => sum + room(bytes), 0));
    const starts: Address[] = [], marks: [Address, number][] = [[block, GUARD]];
    let at = block + GUARD;
    for (const bytes of lent) {
      starts.push(at);
      marks.push([at + bytes, room(bytes) - bytes]);
      at += room(bytes);
    }
    for (const [at, bytes] of marks) kernels.u8(at, bytes).fill(MARK);
    const [measured, patches, sources] = starts;
    this.#kernels = kernels;
    this.#given = given;
    this.#values = values;
    this.#addresses = { measured, patches, sources };
    this.#marks = marks;
    const { hr, lr } = given, lrLength = lr.channels * lr.height * lr.width * lr.stride;
    const training = [[hr.at, hr.count * lengthOf(hr)], [lr.at, lrLength]] as const;
    this.#checkTraining = guardTraining(kernels, given.plugin, training);
  }

  /** The address of the measurements. */
  get measured(): Address {
    return this.#addresses.measured;
  }

  /** What the prior fills. */
  get out(): DrawOutput {
    const { patches, sources } = this.#addresses;
    return {
      patches: this.#kernels.f32(patches, this.#values),
      sources: this.#kernels.i32(sources, this.#given.batch * 3),
    };
  }

  /**
   * Checks what a draw left.
   *
   * @throws Error that names the plugin, if it wrote beside what it was lent, or copied a patch without naming the source
   */
  check(draw: Draw): void {
    const { plugin, batch, hr, patch } = this.#given, length = hr.channels * patch * patch;
    for (const [at, bytes] of this.#marks) {
      if (this.#kernels.u8(at, bytes).every((byte) => byte === MARK)) continue;
      throw pluginError(plugin, `wrote beside the arrays that it was given in ${phaseOf(draw)}`);
    }
    for (let b = 0; b < batch; b++) {
      if (draw.out.sources[3 * b] !== -1) continue;
      const drawn = draw.out.patches.subarray(b * length, (b + 1) * length);
      const image = copiedFrom(this.#kernels, drawn, draw.location, hr, patch);
      if (image === undefined) continue;
      const source = `(${image}, ${draw.location.y}, ${draw.location.x})`;
      throw pluginError(plugin, `copied a patch in ${phaseOf(draw)}: expected its source ${source}, got -1`);
    }
  }

  /**
   * Checks that the training images are those of the beginning.
   *
   * @throws Error that names the plugin, if they are not
   */
  checkTraining(): void {
    this.#checkTraining();
  }
}

/**
 * The training image whose patch at the same place a drawn patch equals.
 *
 * @param drawn The patch: channels x n^2 values.
 * @param location Where it was drawn.
 * @param hr The training images of the layer.
 * @param patch n: side of a patch.
 * @returns its number; undefined if there is none, or if the patch has too few grey levels to be told from a flat one.
 */
export function copiedFrom(
  kernels: Kernels,
  drawn: Float32Array,
  { y, x }: PatchPosition,
  hr: Rows,
  patch: number,
): number | undefined {
  const area = patch * patch, length = hr.channels * area, bytes = new Uint8Array(length);
  if (y + patch > hr.height || x + patch > hr.width) return undefined;
  for (let p = 0; p < length; p++) {
    bytes[p] = Math.round(drawn[p] * 255);
    if (Math.abs(drawn[p] - bytes[p] / 255) > ROUNDING) return undefined;
  }
  if (new Set(bytes).size < COPIED) return undefined;
  const pixels = kernels.u8(hr.at, hr.count * lengthOf(hr));
  for (let image = 0; image < hr.count; image++) {
    let p = 0;
    for (; p < length; p++) {
      const plane = image * hr.channels + Math.floor(p / area), row = y + Math.floor(p % area / patch);
      if (pixels[(plane * hr.height + row) * hr.width + x + p % patch] !== bytes[p]) break;
    }
    if (p === length) return image;
  }
  return undefined;
}
