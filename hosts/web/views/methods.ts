/** What visitors read of methods: the names of plugins are those of papers and flags. */

/** Titles of the built-in priors and denoisers, by the plugin's name. */
const TITLES: Readonly<Record<string, string>> = {
  "local-nn": "Nearest pieces",
  "spatially-invariant": "Pieces of any place",
  "tangent-plane": "Mixed pieces",
  "detail": "Added detail",
  "gmm": "Smooth pieces",
  "local-score": "Means of windows",
  "pca-locality": "Adapted windows",
  "wiener": "Best blur",
};

/** Returns the title of a method; that of one without a title is its name. */
export function methodTitle(name: string): string {
  return TITLES[name] ?? name;
}

/** Says the same of a text that the engine wrote in the page's words: training images are its examples, the exemplar is a picture. */
export function inPlainWords(text: string): string {
  return text.replaceAll("The exemplar", "Your picture").replaceAll(
    /\btraining (image|patch)/g,
    (_, kind) => kind === "image" ? "example" : "example patch",
  )
    .replaceAll(" in MNIST's place", "").replaceAll("drawn by rule", "drawn by a program")
    .replace(/: (\d+) of \d+ examples$/, ": $1 examples")
    .replaceAll("LR-HR example pairs", "example pieces").replaceAll(
      "drawn by its posterior weight",
      "picked by how well it fits",
    );
}
