export { expInPlace, logInPlace } from "./math";
export { uniforms } from "./random";
export { clamp, down, downTransposed, toBytes, toUnit, up } from "./resample";
export { toPlanes, toRows } from "./planes";
export { toQueries } from "./search/queries";
export { search } from "./search/search";
export { addDistances, leaveOut } from "./search/known";
export { categorical, likeliest, logPosterior, meanPatches, takePatches } from "./posterior";
export { sample } from "./sample";
export { measurements, merge, updateDual } from "./patches";
export { solve } from "./solve";
export { correlate, toDeviations } from "./correlate";
export { transferDetail } from "./detail";
export { distances } from "./distances";
export { parzen } from "./parzen";
export { maskedDistances } from "./masked";
export { localScore, localScoreWeights, nearestWindows } from "./local_score/local_score";

/** The first free address: what lies below belongs to the module. */
export function heapBase(): usize {
  return __heap_base;
}
