/** The chance and the clocks of the host, taken away for a while. */
import type { AnyPlugin } from "../plugin.ts";
import { expect } from "./check.ts";

/** Functions that say something else every time. */
const CHANCE = [
  ["Math", "random"],
  ["Date", "now"],
  ["performance", "now"],
  ["crypto", "getRandomValues"],
  ["crypto", "randomUUID"],
] as const;

/**
 * Runs a job in which every function of chance or time throws, and restores them. Throws a sentence where one was called,
 * also where the plugin caught the error.
 */
export function withoutChance(plugin: AnyPlugin, job: () => void): void {
  const called: string[] = [];
  const forbid = (what: string) => {
    called.push(what);
    throw new Error(`${what} is not to be called`);
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
  expect(called.length === 0, plugin, "no chance but the one it is given and no clock", `a call of ${called[0]}`);
}

/** Puts another value in a property's place; returns what puts the old one back. */
function replace(object: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => before ? Object.defineProperty(object, name, before) : Reflect.deleteProperty(object, name);
}
