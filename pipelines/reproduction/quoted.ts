/** Numbers that the paper reports, to be shown beside those measured here. */

/** The scores of one model. */
interface QuotedScores {
  readonly model: string;
  readonly likelihood: number;
  readonly originality: number;
  readonly spread: number;
}

/** Table 4 of the paper: synthesized and test digits. */
export const DIGIT_SCORES: readonly QuotedScores[] = [
  { model: "DRAW, as the paper reports it", likelihood: -79.33, originality: 0.622, spread: 1.11 },
  { model: "the paper's method, as it reports it", likelihood: -68.20, originality: 1.04, spread: 1.31 },
  { model: "test images, as the paper reports them", likelihood: -82.52, originality: 1.09, spread: 0.911 },
];

/** Table 5 of the paper: synthesized and test faces, from passport photographs that are not public. */
export const FACE_SCORES: readonly QuotedScores[] = [
  { model: "the paper's method on its own photographs", likelihood: -370.1, originality: 1.04, spread: 1.28 },
  { model: "the paper's test photographs", likelihood: -427.0, originality: 1.13, spread: 1.79 },
];

/** Table 3 of the paper: average log-likelihood of MNIST's test images under other models. */
export const TEST_LIKELIHOODS: readonly (readonly [model: string, value: string])[] = [
  ["DBM, 2 hidden layers", "about -84.62"],
  ["DBN, 2 hidden layers", "about -84.55"],
  ["NADE", "-88.33"],
  ["EoNADE, 2 hidden layers, 128 orderings", "-85.10"],
  ["EoNADE-5, 2 hidden layers, 128 orderings", "-84.68"],
  ["DLGM", "about -86.60"],
  ["DLGM, 8 leapfrog steps", "about -85.51"],
  ["DARN, 1 hidden layer", "about -84.13"],
  ["MADE, 2 hidden layers, 32 masks", "-86.64"],
  ["DRAW", "at least -80.97"],
  ["Diagonal BiLSTM, 1 layer", "-80.75"],
  ["Diagonal BiLSTM, 7 layers", "-79.20"],
  ["the paper's patch likelihood", "-82.52"],
];
