/** Functions of the language that keep a sandbox closed, taken before plugins are loaded, which could replace them. */

const { call } = Function.prototype;

/** Makes a function of a method, whose first argument is the object. */
function unbound<T, A extends unknown[], R>(method: (this: T, ...given: A) => R): (self: T, ...given: A) => R {
  return call.bind(method as (...given: unknown[]) => unknown) as (self: T, ...given: A) => R;
}

const text = String.prototype;
export const startsWith: (text: string, start: string) => boolean = unbound(text.startsWith);
export const endsWith: (text: string, end: string) => boolean = unbound(text.endsWith);
export const slice: (text: string, from: number, to: number) => string = unbound(text.slice);
export const indexOf: (text: string, part: string) => number = unbound(text.indexOf);
export const exec: (pattern: RegExp, text: string) => RegExpExecArray | null = unbound(RegExp.prototype.exec);
export const encode = encodeURIComponent, decode = decodeURIComponent, quoted = JSON.stringify, keysOf = Object.keys;
export const apply = Reflect.apply;
