/**
 * All that a plugin in a sandbox is given. What a later runtime adds is not in these lists, and so not in the sandbox. Three of these names
 * reach outside of the worker: `console` prints, `Deno.read...` and `fetch` read the files of the plugin's
 * folder, because permissions allow no others.
 */

const words = (text: string) => text.trim().split(/\s+/);

/** Globals: the language, and what the web adds to it for computing. */
export const GLOBALS: readonly string[] = words(`
  AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
  DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array
  Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
  SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval
  globalThis isFinite isNaN parseFloat parseInt undefined unescape

  AbortController AbortSignal Blob Buffer ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey
  CustomEvent DOMException DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMQuad DOMRect DOMRectReadOnly
  DecompressionStream ErrorEvent Event EventTarget File FormData Headers ImageData MessageEvent Performance PerformanceEntry
  PerformanceMark PerformanceMeasure ProgressEvent PromiseRejectionEvent QuotaExceededError ReadableByteStreamController
  ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController
  ReadableStreamDefaultReader Request Response SubtleCrypto TextDecoder TextDecoderStream TextEncoder TextEncoderStream
  TransformStream TransformStreamDefaultController URL URLPattern URLSearchParams WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter atob btoa clearImmediate clearInterval clearTimeout crypto fetch
  global performance queueMicrotask setImmediate setInterval setTimeout structuredClone

  DedicatedWorkerGlobalScope WorkerGlobalScope WorkerLocation close location name onerror onmessage onunhandledrejection
  postMessage self
`);

/** Members of `Deno`. The other ones throw a sentence. */
export const DENO: readonly string[] = words(`
  build errors inspect lstat lstatSync noColor readDir readDirSync readFile readFileSync readTextFile readTextFileSync stat
  statSync version
`);

/** Members of `console`, which print and count. */
export const CONSOLE: readonly string[] = words(`
  assert count countReset debug dir dirxml error group groupCollapsed groupEnd info log table time timeEnd timeLog trace warn
`);

/** Members of `process`, which packages of npm look at. Beside them it has `env` and `argv`, which are empty. */
export const PROCESS: readonly string[] = words("arch hrtime nextTick platform version versions");

/** Members of `navigator`. */
export const NAVIGATOR: readonly string[] = words("hardwareConcurrency language userAgent");

/** Modules of Node that compute. Others can be imported, as packages do, but all that they export throws a sentence. */
export const NODE_MODULES: readonly string[] = words(`
  assert assert/strict buffer events path path/posix path/win32 querystring stream stream/consumers stream/promises
  stream/web string_decoder timers timers/promises url util util/types zlib
`);

/** What the loader of CommonJS modules needs of its own class, which these modules do not see. */
export const COMMON_JS: readonly string[] = words(`
  Module _cache _extensions _findPath _load _nodeModulePaths _pathCache _resolveFilename _resolveLookupPaths _stat
  builtinModules globalPaths isBuiltin length name prototype wrap wrapper
`);
