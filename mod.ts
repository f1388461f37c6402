/**
 * Patchloom: image synthesis by randomized patch-matching (Ren, Romano and Elad, 2016).
 *
 * - **From a pack to images**: `readPack`, `openSynthesizer` and its `synthesize`; `makePack` and `writePack` make packs.
 * - **The method, step by step**: `loadKernels`, `plan`, `trainingPyramid`, `fitModel`, `seedImages`, then `synthesize`, which
 *   yields a batch of images after every iteration.
 * - **Images from noise**: `fitDiffusion` fits a denoiser to training images, `diffuse` yields after every step.
 * - **Plugins**: `definePlugin`, `registry`, `builtins`, and for priors `readPatch`, `lrDistance`, `readLrPatch` and `readLrQuery`. Their
 *   conformance suites are in `@patchloom/patchloom/testing`.
 * - **Results**: `pixelSources`, `contributors` and `rebuild` trace pixels to training images, `nearestTraining` finds the
 *   nearest one, `png` and `sheet` write pictures.
 * - **Restoration**: `restorationProfile`, `observedPyramid` and `observationsOf`.
 *
 * A `fetch` handler that serves packs is in `@patchloom/patchloom/edge`.
 *
 * @module
 */

// From a pack or from images to images.
export {
  openSynthesizer,
  type ProfileRequest,
  type RequestedSource,
  RequestError,
  type RequestWork,
  type ResultImage,
  type Synthesis,
  type SynthesisEvent,
  type SynthesisProgress,
  type SynthesisRequest,
  type SynthesisResult,
  type SynthesisStep,
  type Synthesizer,
} from "./pipelines/synthesis/synthesizer.ts";
export type { IterationEvent, SeedsEvent, StepEvent } from "./pipelines/run/events.ts";
export type { NamedImage, NamedShare } from "./datasets/training_names.ts";
export type { GroupImage, SynthesizedImage, TracedImage } from "./pipelines/run/synthesized_image.ts";
export type { SharedStructure } from "./pipelines/run/structures.ts";
export { hasImage, type ImageBits, imagesIn, type Lineage } from "./pipelines/run/image_bits.ts";
export { type Pack, readPack, writePack } from "./datasets/formats/pack.ts";
export { makePack, type PackOptions } from "./pipelines/synthesis/make_pack.ts";
export { coverage } from "./datasets/coverage.ts";

// The method, step by step.
export {
  type Address,
  borrowing,
  type CandidateLists,
  type Comparison,
  type Correlation,
  type DetailCandidates,
  type KernelFunctions,
  type KernelMemory,
  kernelMemory,
  type Kernels,
  loadKernels,
  type LocalScore,
  type MemoryRange,
  type MergeSystem,
  type ParzenWindow,
  type Views,
  type WeightLists,
  type WorkCounter,
} from "./core/kernels.ts";
export { referenceKernels } from "./core/reference.ts";
export { crop, pyramidSizes, seedImages, type TrainingPyramid, trainingPyramid } from "./core/pyramid.ts";
export { finish, type Progress, type Steps } from "./core/steps.ts";
export { fitModel, type FittedLayer, type FittedParts, type Model } from "./core/model.ts";
export type { Batch, Draw, IterationResult, SynthesizedBatch } from "./core/batch.ts";
export { synthesize, synthesizeCoarse } from "./core/synthesize.ts";
export { type CoarseBatch, coarseBatch } from "./core/coarse_batch.ts";
export { type Stream, stream } from "./core/random.ts";

export { optionValues } from "./core/options.ts";

// Images from noise, step by step.
export {
  denoiseImages,
  diffuse,
  type DiffusedBatch,
  type DiffusionBatch,
  type DiffusionFit,
  type DiffusionModel,
  type DiffusionStep,
  fitDiffusion,
  type NoisyImages,
} from "./core/diffuse.ts";
export {
  type DiffusionSettings,
  type NoiseLevel,
  noiseLevels,
  type ScheduleName,
  type SolverName,
} from "./core/schedule.ts";
export { CALIBRATED_WINDOWS } from "./datasets/profiles/windows.ts";
export { type Guide, guideBy, type Observed } from "./core/guidance.ts";
export type { BatchPixel, Denoised, Denoiser, DenoiserData, FittedDenoiser, Noisy } from "./core/denoiser.ts";

// Profiles and plans.
export {
  colourFaces,
  colourFacesRelit,
  digits,
  digitsPaper,
  faces,
  facesPaper,
  facesRelit,
  objects,
  profiles,
  sprites,
  texture,
} from "./datasets/profiles/mod.ts";
export { LAYER, PROFILE, type Profile, type ProfileLayer, type SeedModelKind } from "./core/profile.ts";
export { withPrior, withSetting } from "./core/profile_changes.ts";
export type {
  Entry,
  EntryShape,
  EntryValue,
  Filled,
  FilledValue,
  OptionalEntry,
  Table,
  Written,
} from "./core/entries.ts";
export {
  type ComparedPatches,
  type Plan,
  plan,
  type PlanIteration,
  type PlanLayer,
  type PlanNoise,
} from "./core/plan.ts";

// Plugins: priors, contexts, metrics and denoisers.
export { builtins } from "./plugins/mod.ts";
export {
  type AnyPlugin,
  definePlugin,
  type Kinds,
  type Option,
  type Options,
  type Plugin,
  type TunedOption,
  type Values,
  type WrittenValues,
} from "./core/plugin.ts";
export { type Chosen, type PluginChoice, type Registry, registry } from "./core/registry.ts";
export { lrDistance, type PatchValues, readImage, readLrPatch, readLrQuery, readPatch } from "./core/patches.ts";
export type {
  Candidates,
  Context,
  ContextPixel,
  CostQuestion,
  DrawOutput,
  FittedPrior,
  Images,
  LayerData,
  LayerOutline,
  Location,
  Measurements,
  Observations,
  PatchSources,
  Planes,
  Prior,
  PriorCost,
  PriorParts,
  RandomNumbers,
  Revisit,
  Rows,
  Step,
  ZStep,
} from "./core/types.ts";
export type { Metric, MetricInput, MetricResult, NeighbourDistances, Region } from "./core/metric.ts";
export type { Margin, Tile } from "./core/tiling.ts";
export type { Order, PatchPosition } from "./core/locations.ts";

// Data: images, built-in sets, textures, PNG files.
export type { DataSet, KeptImages, LabelledImages, MorphedImages, SeedImages } from "./datasets/data_set.ts";
export type { Crop } from "./datasets/crops.ts";
export { builtinData } from "./datasets/procedural/builtin.ts";
export type { BuiltinName } from "./datasets/procedural/builtin_data.ts";
export { proceduralTextures } from "./datasets/procedural/textures.ts";
export { type EdgeEnergy, edgeEnergy } from "./pipelines/synthesis/edge_energy.ts";
export type { Exemplars } from "./pipelines/quilting/exemplars.ts";
export { quilt, type Quilted, type QuiltRequest } from "./pipelines/quilting/quilt.ts";
export type { QuiltProgress } from "./pipelines/quilting/quilt_progress.ts";
export type { Shape, Size } from "./core/shape.ts";
export { type Picture, png, pngOf } from "./datasets/formats/write_png.ts";
export { type Colour, type Framed, type LegendEntry, sheet } from "./pipelines/report/sheet.ts";

// What results consist of.
export { contributors, type PixelSource, pixelSources, type Provenance, rebuild } from "./core/provenance.ts";
export { type Nearest, nearestTraining } from "./core/nearest.ts";

// Restoration: super-resolution, inpainting, denoising.
export type { Degradation, RestorationTask } from "./pipelines/restoration/degradation.ts";
export { restorationProfile } from "./pipelines/restoration/restoration_profile.ts";
export {
  type DegradedImages,
  observationsOf,
  type ObservedLevel,
  observedPyramid,
} from "./pipelines/restoration/observed_pyramid.ts";
