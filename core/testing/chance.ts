/** Runs a plugin without the host's random numbers and clocks, so that any use of them is an error. */
import type { AnyPlugin } from "../plugin.ts";
import { expect } from "./check.ts";

/** Functions that return something else on every call. */
const CHANCE = [
  ["Math", "random"],
  ["Date", "now"],
  ["performance", "now"],
  ["crypto", "getRandomValues"],
  ["crypto", "randomUUID"],
] as const;

/**
 * Runs a job while every function of chance or time throws, then restores the functions.
 *
 * @throws where one of them was called, even if the plugin caught the error
 */
export function withoutChance(plugin: AnyPlugin, job: () => void): void {
  const called: string[] = [];
  const forbid = (what: string) => {
    called.push(what);
    throw new Error(`Cannot call ${what} in a plugin: results must be reproducible`);
  };
  const restores = CHANCE.map(([owner, name]) => {
    const object = Reflect.get(globalThis, owner);
    return object ? replace(object, name, () => forbid(`${owner}.${name}()`)) : () => {};
  });
  const clock = Reflect.get(globalThis, "Date");
  const construct = (target: typeof clock, given: unknown[]) => {
    return given.length === 0 ? forbid("new Date()") : Reflect.construct(target, given);
  };
  restores.push(replace(globalThis, "Date", new Proxy(clock, { construct, apply: () => forbid("Date()") })));
  try {
    job();
  } catch (error) {
    if (called.length === 0) throw error;
  } finally {
    for (const restore of restores) restore();
  }
  expect(called.length === 0, plugin, "no random numbers but those it gets, and no clock", `a call of ${called[0]}`);
}

/** Replaces the value of a property. Returns a function that restores the old one. */
function replace(object: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => before ? Object.defineProperty(object, name, before) : Reflect.deleteProperty(object, name);
}
