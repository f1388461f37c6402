/** The SHA-256 of the code that a build was made from. */

/** Builds replace this text: see `withCodeHash` in `hosts/deno/build/code_in_build.ts`. */
export const CODE: string = "the code of this version";
