/**
 * Keeps lists of nearest examples in kernel memory. The LR images do not change within a layer, so a location has the same list
 * in every iteration, and up to four locations over one LR patch share theirs.
 */
import type { Address } from "../../core/kernel_arguments.ts";
import type { Kernels } from "../../core/kernels.ts";
import { PROGRESS, type Steps } from "../../core/steps.ts";

/** Bytes of lists that are kept at the most, in each layer. */
export const MAX_KEPT = 2 ** 28;

/** The lists of a layer, by name. */
export interface ListCache {
  /** Forgets all lists unless `lrKey` is that of the call before: they belong to other LR images. */
  useFor(lrKey: object): void;
  /** How many candidates the list of that name holds for each image; undefined where it must be searched for. */
  found(name: string): number | undefined;
  /** Where that list lies, or is to be written. A list that is not kept lies where the next such one will. */
  address(name: string): Address;
  /** Notes that the list of that name was written. */
  keep(name: string, found: number): void;
}

/**
 * Allocates the lists that will be needed again, as many as fit, and one for all others.
 *
 * @param visits How often the list of each name is needed.
 * @param bytes Size of a list.
 */
export function* listCache(
  kernels: Kernels,
  visits: ReadonlyMap<string, number>,
  bytes: number,
): Steps<ListCache> {
  const needed = [...visits].filter(([, times]) => times > 1).slice(0, Math.floor(MAX_KEPT / bytes));
  const addresses = new Map<string, Address>();
  // To clear them took a hundredth of a synthesis of digits: each batch of a task has lists of its own.
  const allocate = () => kernels.allocate(bytes, { cleared: false });
  for (const [name] of needed) {
    addresses.set(name, allocate());
    yield PROGRESS;
  }
  const unkept = allocate();
  const written = new Map<string, number>();
  let usedFor: object | undefined;
  return {
    useFor(lrKey) {
      if (lrKey !== usedFor) written.clear();
      usedFor = lrKey;
    },
    found: (name) => written.get(name),
    address: (name) => addresses.get(name) ?? unkept,
    keep(name, found) {
      if (addresses.has(name)) written.set(name, found);
    },
  };
}
