/** Hostile plugins: what a plugin could do wrong, at each moment at which its code runs, in a sandbox and without. */
import { join } from "@std/path";
import { files, type Ran, start, withFolder } from "../hosts/deno/cli.ts";
import { withSources } from "../hosts/deno/plugins/plugin_sources.ts";

/** What a plugin does: statements, in which `kernels` may be undefined. `more` stands before the plugin. */
interface Behaviour {
  readonly name: string;
  readonly code: string;
  readonly more?: string;
  /** Whether it never ends by itself: then two signals are sent. */
  readonly spins?: boolean;
  /** Which moments it is for; all by default. */
  readonly moments?: readonly Moment[];
}

/** When a plugin does it: while it is loaded, in a getter of it, in its functions, or in what they return. */
const MOMENTS = ["load", "getter", "create", "fit", "draw", "dispose", "mask", "measure"] as const;
type Moment = typeof MOMENTS[number];

/** One hostile plugin. */
export interface HostilePlugin {
  /** What repeats it: behaviour, moment, and whether it is in a sandbox. */
  readonly name: string;
  readonly source: string;
  /** The words that use it, without those of `withSources`. */
  readonly kind: "prior" | "context" | "metric";
  readonly sandbox: boolean;
  readonly spins: boolean;
}

const THROWN = [
  ...["5", "null", "undefined", "''", "'text'", "() => 1", "Symbol('s')", "10n", "{}", "[]", "Object.create(null)"],
  ...["new Error()", "new Error('x'.repeat(1e7))", "'x'.repeat(1e7)", "new Error('\\u001b[2J\\u0007\\r\\nfake line')"],
  ...["new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })", "new Proxy(new Error('p'), {})"],
  "Object.defineProperty(new Error('x'), 'message', { get() { throw 1; } })",
  "Object.defineProperty(new Error('x'), 'message', { value: {} })",
  "Object.defineProperty(new Error('x'), 'stack', { get() { throw 1; } })",
  "Object.defineProperty(new Error('x'), 'cause', { get() { return this; } })",
  "Object.assign(new Error('x'), { stack: 'y'.repeat(1e7), name: '\\u001b[31m' })",
  "{ toString() { throw 1; } }",
  "{ toJSON() { throw 1; }, get message() { throw 2; } }",
  "new AggregateError([1, new Error('a')], 'all')",
  "new DOMException('d')",
  "Promise.reject(new Error('thrown promise'))",
];

const POSTED = [
  "null",
  "5",
  "'x'",
  "{ error: null }",
  "{ result: [] }",
  "{ step: true }",
  "() => 1",
  "undefined",
  "{ late: 1 }",
];

/** Steps without an end: a fit may be such a generator, and then takes for ever. */
const ENDLESS = "(function* () { for (;;) yield {}; })()";

/** What a function could return in place of its result. */
const RETURNED = [
  ...["null", "undefined", "5", "'x'", "{}", "[]", "() => 1", "Symbol('s')", "new Promise(() => {})"],
  ...["Promise.reject(new Error('r'))", "{ length: 1e9 }", "[null, 5, 'x']"],
  ...["new Proxy({}, { get() { throw new Error('trap'); } })", "new Float64Array(1e6)", "{ then() { throw 1; } }"],
  "[{ dx: 1e9, dy: -1e9, weight: 1 }, { dx: 1.5, dy: 0, weight: '1' }]",
  "{ values: new Float64Array(3), of: 'x', series: null, settings: 5, warnings: 'x' }",
  "{ fit: 5, draw: 5, mask: 5, measure: 5, parts: 5 }",
  "{ fit: () => ({ draw: async () => {} }), mask: async () => [], measure: async () => ({}) }",
  "{ parts: { count: () => 1e9, fit: () => new Uint8Array(1), load: () => ({}) }, fit: () => ({}) }",
  "{ parts: { count: () => 2, fit: () => 'x', load: () => ({}) }, fit: () => ({}) }",
];

/** Statements with what they are called. */
const DEEDS: readonly (readonly [name: string, code: string, moments?: readonly Moment[]])[] = [
  ["Deno.exit(0)", "Deno.exit(0);"],
  ["Deno.exit(3)", "Deno.exit(3);"],
  ["process.exit()", "globalThis.process.exit(2);"],
  ["self.close()", "self.close();"],
  ["self.close() and spin", "self.close(); for (let n = 0; n < 1e9; n++);"],
  ["a close later", "setTimeout(() => self.close());"],
  ["throws late", "setTimeout(() => { throw new Error('late'); });"],
  ["throws 5 late", "setTimeout(() => { throw 5; });"],
  ["throws often", "setInterval(() => { throw new Error('again'); }, 1);"],
  ["throws in a microtask", "queueMicrotask(() => { throw new Error('micro'); });"],
  ["rejects", "Promise.reject(new Error('nobody waits'));"],
  ["rejects with 5", "Promise.reject(5);"],
  ["rejects with control characters", "Promise.reject(new Error('\\u001b[2J'.repeat(1e5)));"],
  ["reports an error", "reportError(new Error('reported'));"],
  ["recursion", "(function f() { f(); })();"],
  ["nested JSON", "JSON.parse('['.repeat(1e6));"],
  ["a nested message", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; self.postMessage(o);"],
  ["kills its process", "Deno.kill(Deno.pid, 'SIGKILL');"],
  ["a fault of its process", "globalThis.process.kill(globalThis.process.pid, 'SIGSEGV');"],
  ["aborts", "globalThis.process.abort();"],
  ["more than V8 allocates", "'x'.repeat(2 ** 28).split('');"],
  ["a thread", "import('node:worker_threads').then(({ Worker }) => new Worker('process.exit(4)', { eval: true }));"],
  ["a huge buffer", "new ArrayBuffer(2 ** 45);"],
  ["a huge string", "'x'.repeat(2 ** 30);"],
  ["no map", "Array.prototype.map = null;"],
  ["map throws", "Array.prototype.map = () => { throw new Error('no map'); };"],
  ["then throws", "Promise.prototype.then = () => { throw new Error('no then'); };"],
  ["no postMessage", "MessagePort.prototype.postMessage = () => { throw new Error('no post'); };"],
  ["postMessage for nothing", "MessagePort.prototype.postMessage = () => {}; self.postMessage = () => {};"],
  [
    "prepareStackTrace throws",
    "Error.prepareStackTrace = () => { throw new Error('no stack'); }; throw new Error('x');",
  ],
  ["no Error", "globalThis.Error = function () { throw 1; }; throw 2;"],
  ["frozen prototypes", "Object.freeze(Object.prototype); Object.freeze(Array.prototype);"],
  [
    "accessors of all objects",
    "Object.defineProperty(Object.prototype, 'cause', { get() { throw 1; }, configurable: true }); throw new TypeError('x');",
  ],
  [
    "other handlers",
    "self.onmessage = self.onerror = () => self.close(); self.addEventListener('error', (e) => e.stopImmediatePropagation());",
  ],
  ["an iterator gone", "Array.prototype[Symbol.iterator] = null;"],
  ["no-op listeners", "for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) Deno.addSignalListener(s, () => {});"],
  ["reads a file", "Deno.readTextFileSync('/etc/shadow-of-patchloom');"],
  ["writes a file", "globalThis.caches?.open('x').then((c) => c.put('http://a/b', new Response('x')));"],
  ["runs a program", "new Deno.Command('patchloom-is-no-program').outputSync();"],
  ["uses the net", "fetch('http://127.0.0.1:9/');"],
  ["a worker", "new Worker('data:text/javascript,throw 5', { type: 'module' });"],
  ["a worker that exits", "new Worker('data:text/javascript,Deno.exit(4)', { type: 'module' });"],
  ["grows the memory", "kernels.memory.grow(100);", ["fit", "draw", "measure"]],
  ["allocates too much", "kernels.allocate(2 ** 31);", ["fit", "draw", "measure"]],
  ["releases what is not its own", "kernels.release(0);", ["fit", "draw", "measure"]],
  ["forged addresses", "kernels.search(-1, 2 ** 31, NaN); kernels.merge(1e9);", ["fit", "draw", "measure"]],
];

/** All behaviours. */
const BEHAVIOURS: readonly Behaviour[] = [
  ...DEEDS.map(([name, code, moments]) => ({ name, code, moments })),
  ...THROWN.map((value) => ({ name: `throws ${value.slice(0, 60)}`, code: `throw ${value};` })),
  ...POSTED.map((value) => ({ name: `posts ${value}`, code: `self.postMessage(${value});` })),
  ...RETURNED.map((value) => ({
    name: `returns ${value.slice(0, 60)}`,
    code: `return ${value};`,
    moments: MOMENTS.filter((moment) => moment !== "load"),
  })),
  { name: "returns steps without an end", code: `return ${ENDLESS};`, spins: true, moments: ["fit"] },
  {
    name: "returns a generator",
    code: `return ${ENDLESS};`,
    moments: MOMENTS.filter((moment) => moment !== "load" && moment !== "fit"),
  },
  { name: "spins", code: "for (;;);", spins: true },
  { name: "floods", code: "for (;;) self.postMessage('x'.repeat(1000));", spins: true },
  {
    name: "spins behind no-op listeners",
    code: "for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) Deno.addSignalListener(s, () => {}); for (;;);",
    spins: true,
  },
  { name: "stops its process", code: "Deno.kill(Deno.pid, 'SIGSTOP');", spins: true },
  {
    name: "overwrites the memory",
    code: "new Uint8Array(kernels.memory.buffer).fill(255);",
    spins: true,
    moments: ["fit", "draw", "measure"],
  },
  { name: "waits for ever", code: "await new Promise(() => {});", spins: true, moments: ["load"] },
];

/** All hostile plugins, in an order that mixes behaviours: the first few are a sample of all. */
export function hostilePlugins(seed: number): HostilePlugin[] {
  const all = BEHAVIOURS.flatMap((behaviour) => {
    return (behaviour.moments ?? MOMENTS).flatMap((moment) =>
      [false, true].map((sandbox) => plugin(behaviour, moment, sandbox))
    );
  });
  return shuffled(all, seed);
}

function plugin({ name, code, spins = false }: Behaviour, moment: Moment, sandbox: boolean): HostilePlugin {
  const at = (place: Moment) => place === moment ? code : "";
  const kind = moment === "mask" ? "context" : moment === "measure" ? "metric" : "prior";
  const create = {
    prior: `return { fit(layer) { const { kernels } = layer; ${at("fit")} return {
      draw(at, measurements, step, random, out) { ${at("draw")} out.patches.fill(0.5); }, dispose() { ${
      at("dispose")
    } } }; } };`,
    context: `return { mask() { ${at("mask")} return [{ dx: -1, dy: 0, weight: 1 }]; } };`,
    metric: `return { separable: true, measure({ generated, kernels }) { ${at("measure")}
      return { values: new Float64Array(generated.count), of: "generated", series: {}, settings: {}, warnings: [] }; } };`,
  }[kind];
  const about = moment === "getter" ? `get about() { ${code} return "hostile"; }` : 'about: "hostile"';
  const source = `${at("load")}
export default { api: 1, kind: "${kind}", name: "evil", ${about}, options: {}, create() { ${at("create")} ${create} } };
`;
  return { name: `${name}, in ${moment}${sandbox ? ", in a sandbox" : ""}`, source, kind, sandbox, spins };
}

/** Shuffles a list (Fisher and Yates) with a linear congruential generator (Numerical Recipes). */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const mixed = [...list];
  let state = seed >>> 0;
  for (let last = mixed.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor(state / 2 ** 32 * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
  }
  return mixed;
}

/** Milliseconds after which a command hangs: it takes one or two seconds, and took 45 on two cores with 30 other processes. */
const PATIENCE = 120_000;

/** Runs a hostile plugin in a folder of `withSources`, and names the outcome. */
export async function tryPlugin(folder: string, words: readonly string[], hostile: HostilePlugin): Promise<string> {
  const { source, kind, sandbox, spins } = hostile, own = join(folder, "evil");
  await Deno.mkdir(own, { recursive: true });
  await Deno.writeTextFile(join(own, "evil.js"), source);
  const before = await files(folder);
  const use = ["--plugin", "./evil/evil.js", ...sandbox ? ["--sandbox"] : [], "--quiet", "--threads", "1"];
  const command = kind === "metric"
    ? [
      "assess",
      "--profile",
      "digits",
      "--data",
      "data",
      "--images",
      "data/t10k-images-idx3-ubyte",
      "--metric",
      "evil",
      ...use,
    ]
    : [...words, `--${kind}`, "evil", ...use];
  const ran = await ending(command, folder, spins), after = await files(folder);
  for (const out of ["out"]) await Deno.remove(join(folder, out), { recursive: true }).catch(() => {});
  const foreign = after.filter((path) => !path.startsWith("out/") && !before.includes(path));
  return foreign.length > 0 ? `foreign files: ${foreign}` : outcome(ran && withoutNested(ran), spins);
}

/** Runs a command to its end, which two key presses bring about if it spins. */
async function ending(command: readonly string[], cwd: string, spins: boolean): Promise<Ran | undefined> {
  const child = start(command, { cwd }), output = child.output();
  const timers = spins ? [2000, 3000].map((after) => setTimeout(() => kill("SIGINT"), after)) : [];
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended.
    }
  };
  let late = false;
  timers.push(setTimeout(() => (late = true, kill("SIGKILL")), PATIENCE));
  const { code, stdout, stderr } = await output;
  timers.forEach(clearTimeout);
  return late
    ? undefined
    : { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Leaves out what Deno prints of workers that a plugin starts itself: a plugin may write to the terminal. */
function withoutNested(ran: Ran): Ran {
  return { ...ran, stderr: ran.stderr.replace(/^error: Uncaught \(in worker "[^\n]*\n( {4}at [^\n]*\n)*/, "") };
}

function outcome(ran: Ran | undefined, spins: boolean): string {
  if (!ran) return "hang";
  const { code, stderr } = ran, shown = JSON.stringify(stderr.slice(0, 300));
  if (spins && [1, 130, 137, 143].includes(code)) return "ended by signals";
  if (code === 0) return stderr === "" ? "did its work" : `failed: printed ${shown}`;
  if (code > 2) return `crash with exit code ${code}: ${shown}`;
  const isSentence = /^[^\p{Cc}]{1,800}\n$/u.test(stderr) &&
    !/Uncaught|at file:|\[object|at async|Stack backtrace/.test(stderr);
  if (!isSentence) return `failed: no sentence but ${shown}`;
  return /evil/.test(stderr) ? "one sentence" : `failed: a sentence that does not name the plugin: ${shown}`;
}

/** Tries `count` hostile plugins; in the grammar's order from a place that the seed gives. */
export async function run(count: number, seed: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}, all = hostilePlugins(seed);
  await withFolder(async (folder) => {
    const words = await withSources(folder, {});
    for (let n = 0; n < count; n++) {
      const hostile = all[n % all.length], found = await tryPlugin(folder, words, hostile);
      const [kind] = found.split(":");
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (/^(crash|hang|foreign|failed)/.test(found)) console.error(`${hostile.name}: ${found}`);
    }
  });
  return counts;
}
