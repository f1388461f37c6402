// The npm copy of the Deno standard library has no types. These are the types of the functions that Patchloom uses.

declare module "@std/assert" {
  export function assert(value: unknown, message?: string): asserts value;
  export function assertAlmostEquals(actual: number, expected: number, tolerance?: number, message?: string): void;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertLess<T>(actual: T, expected: T, message?: string): void;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertRejects(
    run: () => PromiseLike<unknown>,
    // deno-lint-ignore no-explicit-any
    type: new (...values: any[]) => Error,
    contains?: string,
    message?: string,
  ): Promise<Error>;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  // deno-lint-ignore no-explicit-any
  export function assertThrows(run: () => unknown, type: new (...values: any[]) => Error, contains?: string): Error;
}

declare module "@std/cli/parse-args" {
  export function parseArgs(
    args: readonly string[],
    options?: {
      string?: readonly string[];
      boolean?: readonly string[];
      collect?: readonly string[];
      default?: Readonly<Record<string, unknown>>;
      alias?: Readonly<Record<string, string>>;
      unknown?: (argument: string, name?: string, value?: unknown) => unknown;
    },
  ): { _: (string | number)[]; [name: string]: unknown };
}

declare module "@std/csv/parse" {
  export function parse(text: string, options: { skipFirstRow: true }): Record<string, string>[];
  export function parse(text: string): string[][];
}

declare module "@std/path" {
  export function basename(path: string, suffix?: string): string;
  export function dirname(path: string): string;
  export function extname(path: string): string;
  export function fromFileUrl(url: string | URL): string;
  export function isAbsolute(path: string): boolean;
  export function relative(from: string, to: string): string;
  export function join(...paths: string[]): string;
  export function resolve(...paths: string[]): string;
  export function toFileUrl(path: string): URL;
}

declare module "@std/text/closest-string" {
  export function closestString(word: string, words: readonly string[]): string;
}
