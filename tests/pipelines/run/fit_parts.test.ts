/** Fits in parts: on any number of threads, kept and taken from the folder, the same images. */
import { finish } from "../../../core/steps.ts";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { kernelMemory, type Kernels, loadKernels } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import type { Profile } from "../../../core/profile.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { BUILTIN_PLUGINS } from "../../../hosts/deno/plugins/plugins.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { fitParts } from "../../../pipelines/run/fit_parts.ts";
import type { Job } from "../../../pipelines/run/job.ts";
import { run } from "../../../pipelines/run/run.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import type { GroupImage, TracedImage } from "../../../pipelines/run/synthesized_image.ts";
import { MAX_VERSIONS } from "../../../hosts/deno/system/newest_versions.ts";
import { builtins } from "../../../plugins/mod.ts";
import { compiled } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";
import { cli, files, readResult, smallData, withFolder } from "../../hosts/deno/cli.ts";

const module = compiled("kernels.shared.wasm");
const FEW = { components: 2, given: 3, patches: 60 };

/** Four images of two groups of training images. */
function work(
  prior: typeof small.prior = ["gmm", FEW],
  shift = 0,
  layers: Profile["layers"] = small.layers,
): { job: Job; kernels: Kernels } {
  const kernels = loadKernels(module, kernelMemory({ shared: true }));
  const planned = plan({ ...small, prior, layers }, builtins);
  const images = blobs(24), chosen = Array.from({ length: 12 }, (_, i) => i);
  const groups = [shift, 12].map((from, group) => {
    const numbers = [group, group + 2];
    return {
      training: finish(trainingPyramid(kernels, images, planned.sizes, chosen.map((i) => (from + i) % 24))),
      numbers,
      seedImages: seedImages(kernels, blobs(24, 16, 2), planned.sizes, numbers),
    };
  });
  return { job: { plan: planned, seed: 3, batch: 1, groups }, kernels };
}

/** Fits a job. Returns it with its fits, if it was not stopped, and its progress. */
async function fit(
  { job, kernels }: ReturnType<typeof work>,
  runner: Runner,
  step: () => void = () => {},
) {
  const told: number[] = [];
  let fitted: Job | undefined;
  for await (const event of fitParts({ job, runner, kernels })) {
    if (event.type === "fitted") fitted = event.job;
    else {
      told.push(event.done);
      step();
    }
  }
  return { told, fitted };
}

/** Fits and synthesizes; returns the images by their numbers, and the progress of the fit. */
async function images(threads: number, folder?: string, given = work()) {
  const told: number[] = [], done: GroupImage[] = [], runner = denoRunner({ threads, folder, quiet: true });
  let fitted: Job | undefined;
  for await (const event of run(given.job, runner, given.kernels)) {
    if (event.type === "fitted") fitted = event.job;
    if (event.type === "progress" && event.phase === "fit") told.push(event.done);
    if (event.type === "image") done.push(event.image);
  }
  return {
    images: done.toSorted((a, b) => a.number - b.number),
    told,
    fits: fitted!.groups.map(({ fitted }) => fitted),
  };
}

/** Makes the images with a prior that each task fits for itself. */
function unfitted({ job, kernels }: ReturnType<typeof work>): GroupImage[] {
  const done: (GroupImage & Partial<TracedImage>)[] = [];
  for (const event of runHere(kernels, job)) if (event.type === "image") done.push(event.image);
  return done.map(({ provenance: _, ...image }) => image).toSorted((a, b) => a.number - b.number);
}

Deno.test("fitParts: the same images on one thread and two, not fitted beforehand, fitted, kept and loaded", async () => {
  await withFolder(async (folder) => {
    const wanted = unfitted(work());
    const one = await images(1),
      two = await images(2, folder),
      again = await images(2, folder),
      last = await images(1, folder);
    for (const { images } of [one, two, again, last]) assertEquals(images, wanted);
    assertEquals(one.told.at(-1), 1);
    assertEquals(one.told, one.told.toSorted((a, b) => a - b));
    assertEquals(one.told.length, two.told.length);
    assertEquals([again.told, last.told], [[], []], "what was kept is not fitted again");
    assert(
      two.fits.every((group) => group!.flat().every(({ buffer }) => buffer instanceof SharedArrayBuffer)),
    );
  });
});

/** The files that were kept. */
async function kept(folder: string): Promise<string[]> {
  return (await files(join(folder, "fitted"))).map((name) => join(folder, "fitted", name));
}

Deno.test("fitParts: a kept file that is cut short, changed or empty is fitted again", async () => {
  await withFolder(async (folder) => {
    const { images: wanted } = await images(1, folder), [file, other] = await kept(folder);
    const whole = await Deno.readFile(file), changed = whole.with(whole.length - 3, whole.at(-3)! ^ 1);
    for (const bytes of [whole.subarray(0, -8), changed, new Uint8Array(0), new Uint8Array(100)]) {
      await Deno.writeFile(file, bytes);
      const { images: found, told } = await images(1, folder);
      assertEquals(found, wanted);
      assert(told.length > 0);
      assertEquals(await Deno.readFile(file), whole, "and kept again");
    }
    assertEquals(await kept(folder), [file, other]);
  });
});

Deno.test("fitParts: other images, options, contexts or layers are fitted anew; what old code fitted is removed", async () => {
  await withFolder(async (folder) => {
    const [others, ...old] = ["else-0123", ...Array.from({ length: MAX_VERSIONS }, (_, n) => `gmm-${n}123456789abcdef`)]
      .map((name) => join(folder, "fitted", name));
    for (const path of [...old, others]) {
      await Deno.mkdir(path, { recursive: true });
      await Deno.writeTextFile(join(path, "x.parts"), "");
    }
    const told = async (given: ReturnType<typeof work>) => (await images(1, folder, given)).told.length;
    assert(await told(work()) > 0);
    const left = await kept(folder);
    assertEquals(
      [left.length, left.includes(join(others, "x.parts"))],
      [2 + MAX_VERSIONS, true],
      "another prior's is nobody's business",
    );
    assertEquals(old.filter((path) => left.includes(join(path, "x.parts"))).length, MAX_VERSIONS - 1);
    assertEquals(await told(work()), 0);
    assert(await told(work(["gmm", { ...FEW, floor: 5 }])) > 0);
    assertEquals(await told(work(["gmm", { ...FEW, floor: 4 }])), 0, "the default");
    const all = (await images(1, folder)).fits, shifted = await images(1, folder, work(undefined, 1));
    assertEquals(shifted.told.length > 0, true);
    assertEquals(shifted.fits[1], all[1], "the group that is the same is taken");
    assertNotEquals(shifted.fits[0], all[0]);
    const narrow = work();
    const contextless = { ...narrow.job, plan: plan({ ...narrow.job.plan.profile, contexts: [] }, builtins) };
    assert(await told({ ...narrow, job: contextless }) > 0);
  });
});

Deno.test("fitParts: a folder that cannot be written is no error, nor is a stop", async () => {
  const file = await Deno.makeTempFile();
  const { images: found, told } = await images(1, file);
  assertEquals([found.length, told.length > 0], [4, true]);
  await Deno.remove(file);
  for (const threads of [1, 2]) {
    let steps = 0;
    const stop = new AbortController(), runner = denoRunner({ threads, folder: undefined, signal: stop.signal });
    const { fitted } = await fit(work(), runner, () => void (++steps === 3 && stop.abort()));
    assertEquals(fitted, undefined);
    assert(steps >= 3 && steps < 20, `${steps}`);
  }
});

Deno.test("fitParts: a prior that is not fitted in parts is left to its tasks", async () => {
  const given = work("local-nn"), { fitted, told } = await fit(given, denoRunner({ threads: 2 }));
  assert(fitted === given.job && told.length === 0);
});

Deno.test("fitParts: a fit in which third-party code has a part is neither kept nor taken from what was kept", async () => {
  const own = builtins.find("prior", "gmm"), square = builtins.find("context", "square");
  const prior = { ...own, name: "mine" } as typeof own, context = { ...square, name: "mine" } as typeof square;
  const asked: string[] = [], registry = builtins.with(prior as AnyPlugin, context as AnyPlugin);
  const cache = {
    read: (name: string) => Promise.resolve((asked.push(name), undefined)),
    write: (name: string) => Promise.resolve(void asked.push(name)),
  };
  const choices: [Partial<Profile>, boolean][] = [
    [{ prior: ["gmm", FEW] as never }, true],
    [{ prior: ["mine", FEW] as never }, false],
    [{ prior: ["gmm", FEW] as never, contexts: ["mine"] as never }, false],
  ];
  for (const [change, isKept] of choices) {
    const given = work(), planned = plan({ ...small, ...change } as Profile, registry);
    const runner = { ...denoRunner({ threads: 1, plugins: { ...BUILTIN_PLUGINS, registry } }), cache };
    asked.length = 0;
    const { told } = await fit({ ...given, job: { ...given.job, plan: planned } }, runner);
    assertEquals([told.length > 0, asked.length > 0], [true, isKept]);
  }
});

Deno.test("synth: --prior gmm, and a second time from what was kept", async () => {
  await withFolder(async (folder) => {
    const set = Object.entries(FEW).flatMap(([name, value]) => ["--set", `prior.${name}=${value}`]);
    const words = ["synth", "--profile", "digits", "--class", "1", "--count", "3", "--prior", "gmm", "--quiet", ...set];
    const env = { XDG_CACHE_HOME: join(folder, "cache") }, data = await smallData(join(folder, "data"));
    const run = async (out: string, threads: string) => {
      const { code, stderr } = await cli([...words, "--data", data, "--threads", threads, "--out", join(folder, out)], {
        env,
      });
      assertEquals([code, stderr], [0, ""]);
      return {
        ...await readResult(join(folder, out)),
        pixels: await Deno.readFile(join(folder, out, "images.idx3-ubyte")),
      };
    };
    const first = await run("a", "2"), second = await run("b", "1");
    assertEquals(second.pixels, first.pixels);
    assertEquals(first.run.prior.name, "gmm");
    const names = await kept(join(folder, "cache", "patchloom"));
    assertEquals(names.filter((name) => !/structure/.test(name)).length, 1, names.join());
  });
});

Deno.test("fitParts: a layer with a prior of its own that is fitted in parts, beside one that is not", async () => {
  await withFolder(async (folder) => {
    const mixed = () =>
      work(["local-nn", { neighbours: 10 }], 0, [small.layers[0], { ...small.layers[1], prior: ["gmm", FEW] }]);
    const wanted = unfitted(mixed());
    const one = await images(1, folder, mixed()), again = await images(2, folder, mixed());
    assertEquals([one.images, again.images, again.told], [wanted, wanted, []]);
    assert(
      one.told.length > 0 &&
        one.fits.every((group) => group![0].length === 0 && group![1].length > 0),
    );
    const other = await images(1, undefined, work(["local-nn", { neighbours: 10 }]));
    assertNotEquals(other.images, wanted);
  });
});
