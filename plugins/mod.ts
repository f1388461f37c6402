import { markBuiltIn } from "../core/plugin_error.ts";
import { type Registry, registry } from "../core/registry.ts";
import { detail } from "../priors/detail.ts";
import { gmm } from "../priors/gmm.ts";
import { localNn } from "../priors/local_nn.ts";
import { spatiallyInvariant } from "../priors/spatially_invariant.ts";
import { tangentPlane } from "../priors/tangent_plane.ts";
import { horizontal } from "./contexts/horizontal.ts";
import { mirror } from "./contexts/mirror.ts";
import { square } from "./contexts/square.ts";
import { localScore } from "./denoisers/local_score.ts";
import { pcaLocality } from "./denoisers/pca_locality.ts";
import { wiener } from "./denoisers/wiener.ts";
import { closestCorrelation } from "./metrics/closest_correlation.ts";
import { closestRecord } from "./metrics/closest_record.ts";
import { contrast } from "./metrics/contrast.ts";
import { coverage } from "./metrics/coverage.ts";
import { density } from "./metrics/density.ts";
import { judge } from "./metrics/judge.ts";
import { labelAccuracy } from "./metrics/label_accuracy.ts";
import { likelihood } from "./metrics/likelihood.ts";
import { novelty } from "./metrics/novelty.ts";
import { originality } from "./metrics/originality.ts";
import { precision } from "./metrics/precision.ts";
import { recall } from "./metrics/recall.ts";
import { sharpness } from "./metrics/sharpness.ts";
import { spread } from "./metrics/spread.ts";
import { featureLikelihood } from "./metrics/feature_likelihood.ts";
import { frechet } from "./metrics/frechet.ts";
import { kernelDistance } from "./metrics/kernel_distance.ts";
import { share } from "./metrics/share.ts";
import { vendi } from "./metrics/vendi.ts";
import { structure } from "./metrics/structure.ts";
import { symmetry } from "./metrics/symmetry.ts";
import { twoSample } from "./metrics/two_sample.ts";

const plugins = [
  localNn,
  spatiallyInvariant,
  tangentPlane,
  gmm,
  detail,
  square,
  horizontal,
  mirror,
  likelihood,
  originality,
  spread,
  judge,
  precision,
  recall,
  density,
  coverage,
  twoSample,
  closestRecord,
  closestCorrelation,
  labelAccuracy,
  contrast,
  sharpness,
  structure,
  share,
  frechet,
  kernelDistance,
  featureLikelihood,
  vendi,
  symmetry,
  novelty,
  localScore,
  pcaLocality,
  wiener,
] as const;

/** The plugins that come with Patchloom: all priors, contexts, metrics and denoisers. */
export const builtins: Registry = registry(...markBuiltIn(plugins));

/** Any built-in plugin. A `Profile<Builtin>` with a misspelled name or option does not compile. */
export type Builtin = typeof plugins[number];

export { rankLikelihood } from "./metrics/rank_likelihood.ts";
