/** A small pack of the built-in digits for tests. */
import { loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import { range } from "../../../core/numbers.ts";
import { seedImages } from "../../../core/pyramid.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { type Pack, writePack } from "../../../datasets/formats/pack.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";

/** The bytes of a pack of `each` training and 4 seed images of every digit. */
export function digitsPack(each = 30): Uint8Array<ArrayBuffer> {
  const train = proceduralDigits("train", each), test = proceduralDigits("test", 4), { count } = test.images;
  const { sizes } = plan(digits, builtins);
  const images = seedImages(loadKernels(compiled("kernels.wasm")), test.images, sizes, range(count));
  const seeds = { count, ...sizes.at(-1)!, images, labels: test.labels };
  return writePack({ profile: digits, origin: "digits drawn by rule", train, seeds } satisfies Pack);
}
