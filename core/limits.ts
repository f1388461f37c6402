/** Limits that profiles and flags share. It imports nothing, so that `--help` loads little. */

/** The greatest limit of originalities: ten times the distance of a training image to its own nearest. */
export const MAX_ORIGINALITY = 10;
/** Partners of a training image for morphs, at most: those further down are hardly like it. */
export const MAX_PARTNERS = 100;
/** Deformed copies of an image, at most: more than handwriting varies. */
export const MAX_COPIES = 1000;
