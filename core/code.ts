/** The SHA-256 of the code that a build was made from: that of the handler of requests, and that of the command line. */

/** Builds replace this text: see `withCodeHash` in `hosts/deno/build/code_in_build.ts`. */
export const CODE: string = "the code of this version";
/** The same of all code of the command line. */
export const PROGRAM_CODE: string = "all code of this program";
