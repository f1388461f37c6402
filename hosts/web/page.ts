/** The page: one set of choices, from which all that it shows follows. */
import { type Plan, plan } from "../../core/plan.ts";
import { pngOf } from "../../datasets/formats/write_png.ts";
import { requestedPlan, type SynthesisRequest } from "../../pipelines/synthesis/request.ts";
import { builtins } from "../../plugins/mod.ts";
import { type Choices, readChoices, writeChoices } from "./choices.ts";
import { type Coming, startClient } from "./client.ts";
import { showControls } from "./controls.ts";
import { byId, element, radios } from "./element.ts";
import { fit, shapeOf } from "./fit.ts";
import { marksOf, type Shown, showOrigin } from "./origin.ts";
import { cellAfterKey, levelByte, LEVELS } from "./levels.ts";
import { paint, toByte } from "./picture.ts";
import type { Opened } from "./protocol.ts";
import { describeRun } from "./run_record.ts";
import { seedEditor } from "./seed_editor.ts";
import { requestFor, settingsOf } from "./settings.ts";
import { marks, nameOf, showFilm, showTiles, sides, type TileFrame, type TileState } from "./stage.ts";
import { startTheme } from "./theme.ts";
import { classOf, seedImageOf, tilesOf } from "./tiles.ts";
import type { Traced } from "./trace.ts";

/** What a page without choices in its address starts with. */
const START = "pack=digits&class=3&from=4";
/** The packs that come with the page, by what people call them. */
const PACKS: Readonly<Record<string, string>> = { digits: "Digits", faces: "Faces" };
/** Milliseconds for which each iteration is shown while the film runs. */
const PACE = 30;
/** Milliseconds to wait for another change before looking into a picture. */
const PAUSE = 120;

const client = startClient(
  () => new Worker(new URL("worker.js", import.meta.url), { type: "module" }),
  (sentence) => complain([sentence]),
);
const still = matchMedia("(prefers-reduced-motion: reduce)");

let choices: Choices, pack: Opened | undefined, planned: Plan;
/** The pack that was opened from a file last: choosing it again opens it again. */
let opened: { fingerprint: string; name: string; bytes: Uint8Array } | undefined;
let synthesisRequests: readonly SynthesisRequest[] = [], tiles: TileState[] = [], running = 0, finished = true;
/** What was made last, for the status. */
let summary = "";
/** The frame that is shown while the film runs. */
let frame = 0, due = 0;
let traced: Traced | undefined, shown: Shown = { draw: 0 };

// --- What the page says

function complain(problems: readonly string[]): void {
  const box = byId("problem");
  box.textContent = problems.join(" ");
  box.hidden = problems.length === 0;
}

function say(text: string): void {
  byId("status").textContent = text;
}

const sentenceOf = (error: unknown) => error instanceof Error ? error.message : String(error);

// --- Packs

async function openPack(from: string | Uint8Array, next: Choices, problems: readonly string[] = []): Promise<void> {
  const before = pack;
  try {
    say("Opening the pack\u2026");
    pack = await client.open(from);
  } catch (error) {
    pack = before;
    say(summary);
    problems = [...problems, `${sentenceOf(error)}.`];
    if (!pack) return complain(problems);
    if (!finished) tiles = []; // opening ended the synthesis before: it starts again
    return choose(choices, { problems });
  }
  if (typeof from !== "string") {
    opened = { fingerprint: pack.fingerprint, name: pack.profile.name, bytes: from };
    // A link that names this file waited for it; any other choices were made for another pack.
    if (next.pack !== pack.fingerprint) next = { ...readChoices("").choices, seed: next.seed, pack: pack.fingerprint };
  }
  awaited = undefined;
  tiles = [];
  traced = undefined;
  choose(next, { problems });
}

/** Opens what an address asks for. */
async function openAddress(): Promise<void> {
  const { choices: wanted, problems } = readChoices(location.hash.slice(1) || START);
  if (pack && choices && wanted.pack === choices.pack) return choose(wanted, { problems });
  if (Object.hasOwn(PACKS, wanted.pack)) return await openPack(`${wanted.pack}.loom`, wanted, problems);
  if (wanted.pack === opened?.fingerprint) return await openPack(opened.bytes, wanted, problems);
  const asked = `This link needs a pack of your own (${wanted.pack}): open its file and the picture comes back.`;
  await openPack("digits.loom", readChoices(START).choices, [...problems, asked]);
  awaited = wanted;
}
/** What a link asks for whose pack is still to be opened. */
let awaited: Choices | undefined;

async function openFile(file: File): Promise<void> {
  const bytes = await file.arrayBuffer().catch(() => undefined);
  if (!bytes) return complain([`Cannot read ${file.name}.`]);
  await openPack(new Uint8Array(bytes), awaited ?? choices);
}

// --- Choices

interface Choosing {
  /** While a pointer draws: no film, no look inside. */
  readonly live?: boolean;
  readonly problems?: readonly string[];
}

/** Takes new choices: shows them, writes them into the address, makes what is not made yet. */
function choose(next: Choices, { live = false, problems = [] }: Choosing = {}): void {
  if (!pack) return;
  const fitted = fit(next, pack, builtins);
  choices = fitted.choices;
  planned = fitted.planned;
  complain([...problems, ...fitted.problems]);
  history.replaceState(null, "", `#${writeChoices(choices)}`);
  const made = tilesOf(choices, pack, builtins);
  if (tiles.length === 0 || JSON.stringify(made.synthesisRequests) !== JSON.stringify(synthesisRequests)) {
    synthesisRequests = made.synthesisRequests;
    showInputs();
    make(made.tiles, live);
  } else {
    showInputs();
    showPictures();
    lookInside();
  }
}

function change(changed: Partial<Choices>, options?: Choosing): void {
  choose({ ...choices, ...changed }, options);
}

// --- Making

async function make(next: readonly Omit<TileState, "frames">[], live: boolean): Promise<void> {
  const run = ++running, started = performance.now();
  finished = false;
  let first = true;
  say("Synthesizing\u2026");
  byId("synthesis").setAttribute("aria-busy", "true");
  const coming = (message: Coming) => {
    if (run !== running) return;
    // The pictures before stay until there are new ones.
    if (first) {
      const seed: TileFrame = {
        layer: planned.layers.length,
        iteration: -1,
        shape: pack!.seeds.shape,
        pixels: seedBytes(),
      };
      tiles = next.map((tile) => ({ ...tile, frames: [seed] }));
      traced = undefined;
      frame = 0;
      first = false;
    }
    for (const tile of tiles.filter(({ synthesisRequest }) => synthesisRequest === message.synthesisRequest)) {
      if (message.kind === "refused") tile.refused = message.sentence;
      else if (message.kind === "made") {
        tile.made = message.images[tile.image];
        tile.frames[tile.frames.length - 1] = { ...tile.frames.at(-1)!, pixels: tile.made.pixels };
      } else {
        const { layer, iteration, shape, pictures } = message.frame;
        tile.frames.push({ layer, iteration, shape, pixels: pictures[tile.image] });
      }
    }
    if (live || still.matches) frame = Infinity;
    else if (message.kind === "frame" && frame === 0) runFilm();
    showPictures();
  };
  try {
    await client.make(synthesisRequests, coming);
  } catch (error) {
    if (run === running) complain([`${sentenceOf(error)}.`]);
  }
  if (run !== running) return;
  finished = true;
  byId("synthesis").removeAttribute("aria-busy");
  const seconds = ((performance.now() - started) / 1000).toFixed(1), { height, width } = shapeOf(planned, 0);
  const many = tiles.filter(({ made }) => made).length;
  summary = `${many} pictures of ${width}\u00d7${height} in ${seconds} s`;
  say(summary);
  showPictures();
  lookInside();
}

/** Lets the film run from the frame that is shown to the newest there is. */
function runFilm(): void {
  due = performance.now() + PACE;
  const step = (now: number) => {
    const film = tiles[choices.tile]?.frames ?? [];
    if (frame >= film.length - 1 && finished) {
      frame = Infinity;
      return showTrace();
    }
    if (now >= due && frame < film.length - 1) {
      frame++;
      due = now + PACE;
      showPictures();
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// --- Looking inside

let pause = 0, look = 0;
function lookInside(): void {
  byId("trace").setAttribute("aria-busy", "true");
  clearTimeout(pause);
  const own = ++look;
  pause = setTimeout(async () => {
    try {
      await askInside(() => own === look);
    } catch (error) {
      complain([`${sentenceOf(error)}.`]);
    }
    if (own === look) byId("trace").removeAttribute("aria-busy");
  }, PAUSE);
}

/** Shows what the chosen frame was made from, unless something else is asked for before the answer. */
async function askInside(wanted: () => boolean): Promise<void> {
  const tile = tiles[choices.tile];
  if (!tile || !finished || tile.refused) return;
  const { layer, iteration } = choices.frame ?? { layer: 0, iteration: planned.layers[0].iterations.length - 1 };
  if (iteration < 0) {
    traced = undefined;
    byId("trace").replaceChildren(
      element("p", { className: "note" }, "Nothing is drawn yet in this frame: choose an iteration."),
    );
    return showMarks();
  }
  const synthesisRequest = synthesisRequests[tile.synthesisRequest],
    length = synthesisRequest.seedImages!.length / synthesisRequest.images.length;
  const one = {
    ...synthesisRequest,
    images: [synthesisRequest.images[tile.image]],
    seedImages: synthesisRequest.seedImages!.slice(tile.image * length, (tile.image + 1) * length),
  };
  const { y, x } = pixelOf(), answer = await client.trace(one, { layer, iteration, y, x });
  if (!wanted()) return;
  traced = answer;
  shown = { draw: 0 };
  showTrace();
}

/** The chosen pixel, or one that shows something: the middle. */
function pixelOf(): { y: number; x: number } {
  const { height, width } = shapeOf(planned, choices.frame?.layer ?? 0);
  return choices.pixel ?? { y: height >> 1, x: width >> 1 };
}

function showTrace(): void {
  const current = currentFrame();
  if (!traced || !current || !isTraced(current)) return;
  showOrigin(traced, current.pixels, shown, (next) => {
    shown = next;
    showTrace();
  });
  showMarks();
}

function showMarks(): void {
  const current = currentFrame(), overlay = byId("marks") as unknown as Element;
  if (!current) return;
  const { y, x } = pixelOf(), fits = isTraced(current) && traced!.at.y === y && traced!.at.x === x;
  // Until the patches are known the pixel is marked alone.
  const pixel = ["edge", "pixel"].map((kind) => ({ y, x, height: 1, width: 1, kind })),
    looking = finished && current === tracedFrame();
  marks(overlay, current.shape, [...fits ? marksOf(traced!, shown) : [], ...looking ? pixel : []]);
}

/** The frame that is looked into: the chosen one, or the last. */
function tracedFrame(): TileFrame | undefined {
  const { frames } = tiles[choices.tile];
  return choices.frame ? currentFrame() : frames.at(-1);
}

function isTraced({ layer, iteration }: TileFrame): boolean {
  return traced?.at.layer === layer && traced.at.iteration === iteration;
}

// --- Showing

/** The plan of a tile: priors and contexts side by side have plans of their own. */
function planOf(tile: TileState): Plan {
  return requestedPlan(pack!.profile, synthesisRequests[tile.synthesisRequest], builtins);
}

/** Which frame of the chosen tile is shown. */
function frameIndex(): number {
  const film = tiles[choices.tile]?.frames ?? [], { frame: chosen } = choices;
  const found = chosen ? film.findIndex((one) => one.layer === chosen.layer && one.iteration === chosen.iteration) : -1;
  return found >= 0 ? found : Math.min(frame, film.length - 1);
}

function currentFrame(): TileFrame | undefined {
  return tiles[choices.tile]?.frames[frameIndex()];
}

function showPictures(): void {
  const index = frameIndex(), tile = tiles[choices.tile];
  showTiles(tiles, choices.tile, choices.frame ? index : frame, (tile) => change({ tile }));
  if (!tile) return;
  showFilm(tile.frames, index, (chosen) => chooseFrame(tile.frames[chosen]));
  const current = tile.frames[index];
  if (!current) return;
  paint(byId<HTMLCanvasElement>("picture"), current.shape, current.pixels);
  const seed = index === 0, last = tile.made && index === tile.frames.length - 1;
  byId("stage").setAttribute("aria-label", `Picture, ${nameOf(current, seed)}, ${sides(current.shape)} pixels`);
  const distance = last && tile.made
    ? `. The nearest training image is ${tile.made.nearest.distance.toFixed(2)} away, ` +
      `that one's own nearest ${tile.made.nearest.trainingDistance.toFixed(2)}`
    : "";
  byId("caption").textContent = `${nameOf(current, seed)}${distance}.`;
  const nearest = byId<HTMLCanvasElement>("nearest");
  if (last && tile.made) paint(nearest, current.shape, tile.made.nearestPixels);
  nearest.hidden = !last;
  for (const id of ["png", "run"]) byId<HTMLButtonElement>(id).disabled = !tile.made;
  showMarks();
}

function chooseFrame({ layer, iteration, shape }: TileFrame): void {
  const now = currentFrame(), last = layer === 0 && iteration === planned.layers[0].iterations.length - 1;
  const scale = shape.width / (now?.shape.width ?? shape.width), { pixel } = choices;
  change({
    frame: last ? undefined : { layer, iteration },
    pixel: pixel && { y: Math.floor(pixel.y * scale), x: Math.floor(pixel.x * scale) },
  });
}

/** Shows the choices on the page's controls. */
function showInputs(): void {
  const { profile, classes, examples, train } = pack!, label = classOf(choices, pack!);
  const packs = Object.entries(PACKS).map(([value, name]) => ({ value, label: [name] }));
  const own = opened && { value: opened.fingerprint, label: [opened.name] };
  radios(byId("packs"), "pack", own ? [...packs, own] : packs, choices.pack, (value) => {
    openPack(value === opened?.fingerprint ? opened.bytes : `${value}.loom`, {
      ...readChoices("").choices,
      pack: value,
      seed: choices.seed,
      view: choices.view,
    });
  });
  const list = classes.map((one) => ({ value: String(one), label: [String(one)] }));
  if (classes.length > 1) list.push({ value: "all", label: ["all"] });
  radios(byId("classes"), "class", list, String(label), (value) => {
    const seedImage = typeof choices.seedImage === "number" ? 0 : choices.seedImage;
    change({ class: value === "all" ? "all" : Number(value), seedImage });
  });
  const pictures = (examples.find((one) => one.label === label) ?? examples[0]).pictures;
  const mixed = label === "all" ? examples.slice(0, 8).map((one) => one.pictures[0]) : pictures;
  byId("shown-examples").replaceChildren(...mixed.map((bytes) => paint(element("canvas"), pack!.shape, bytes)));
  const count = typeof label === "number" ? train.labels!.filter((one) => one === label).length : train.count;
  const origin = pack!.origin.slice(0, 1).toUpperCase() + pack!.origin.slice(1);
  byId("pack-note").textContent = `${origin}${typeof label === "number" ? `, ${count} of this class` : ""}.`;

  editor.show(pack!.seeds.shape, seedBytes(), brightest());
  const gain = 255 / brightest();
  byId("gain").textContent = gain > 1.1 ? ` Shown ${gain.toFixed(1)} times as bright as it is.` : "";
  radios(
    byId("views"),
    "view",
    [
      { value: "samples", label: ["Samples"] },
      { value: "priors", label: ["Priors"] },
      { value: "contexts", label: ["Contexts"] },
    ],
    choices.view,
    (view) => change({ view: view as Choices["view"], tile: 0 }),
  );
  const seed = byId<HTMLInputElement>("seed");
  if (document.activeElement !== seed) seed.value = String(choices.seed);
  const own2 = plan(profile, builtins);
  showControls(
    { planned, own: own2, settings: settingsOf(planned, choices.set), plugins: builtins },
    (settings) => {
      const { prior, contexts, zStep, set } = requestFor(profile, settings, builtins);
      change({ prior, contexts, zStep, set });
    },
    () => change({ prior: undefined, contexts: undefined, zStep: undefined, set: [] }),
  );
}

function seedBytes(): Uint8Array {
  return Uint8Array.from(seedImageOf(choices, pack!), toByte);
}

/** The brightest byte of the pack's seed images: white, for who draws one. */
function brightest(): number {
  return Math.max(1, toByte(pack!.seeds.images.reduce((most, value) => Math.max(most, value), 0)));
}

// --- What people do

const editor = seedEditor((bytes, live) => change({ seedImage: bytes }, { live }));

byId("another").addEventListener("click", () => {
  const { seedImage } = choices, label = classOf(choices, pack!), { labels, count } = pack!.seeds;
  const most = typeof label === "number" ? labels!.filter((one) => one === label).length : count;
  change({ seedImage: typeof seedImage === "number" ? (seedImage + 1) % most : 0 });
});
byId("clear").addEventListener("click", () => change({ seedImage: new Uint8Array(seedBytes().length) }));
byId("random").addEventListener("click", () => {
  const random = crypto.getRandomValues(new Uint8Array(seedBytes().length));
  change({ seedImage: random.map((byte) => levelByte(byte % LEVELS, brightest())) });
});
byId("new-seed").addEventListener("click", () => change({ seed: crypto.getRandomValues(new Uint16Array(1))[0] }));
byId<HTMLInputElement>("seed").addEventListener("change", ({ target }) => {
  const input = target as HTMLInputElement;
  if (input.value !== "" && input.checkValidity()) change({ seed: Number(input.value) });
  else input.reportValidity();
});
byId("play").addEventListener("click", () => {
  frame = 0;
  change({ frame: undefined });
  runFilm();
});

const stage = byId("stage");
stage.addEventListener("click", (event) => {
  const current = currentFrame();
  if (!current) return;
  const box = byId("picture").getBoundingClientRect(), { height, width } = current.shape;
  const inside = (part: number, most: number) => Math.min(Math.max(Math.floor(part * most), 0), most - 1);
  pickPixel({
    y: inside((event.clientY - box.top) / box.height, height),
    x: inside((event.clientX - box.left) / box.width, width),
  });
});
stage.addEventListener("keydown", (event) => {
  const current = currentFrame(), next = current && cellAfterKey(pixelOf(), event.key, current.shape);
  if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  pickPixel(next);
});

/** Looks at a pixel of the frame that is shown, which then stays. */
function pickPixel(pixel: { y: number; x: number }): void {
  const film = tiles[choices.tile].frames;
  if (!choices.frame && frameIndex() < film.length - 1) frame = Infinity;
  change({ pixel });
}

byId("png").addEventListener("click", () => {
  const bytes = pngOf(shapeOf(planned, 0), tiles[choices.tile].made!.pixels);
  save(new Blob([bytes], { type: "image/png" }), "png");
});
byId("run").addEventListener("click", () => {
  const tile = tiles[choices.tile],
    made = tiles.filter(({ synthesisRequest }) => synthesisRequest === tile.synthesisRequest).map((one) => one.made!);
  const synthesisRequest = synthesisRequests[tile.synthesisRequest],
    content = describeRun(pack!, planOf(tile), synthesisRequest, made, location.href);
  save(new Blob([JSON.stringify(content, null, 2) + "\n"], { type: "application/json" }), "json");
});
function save(blob: Blob, ending: string): void {
  const href = URL.createObjectURL(blob), label = classOf(choices, pack!);
  const name = ["patchloom", pack!.profile.name, label ?? "", `seed${choices.seed}`, choices.tile + 1].filter((part) =>
    part !== ""
  );
  element("a", { href, download: ending === "json" ? "run.json" : `${name.join("-")}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
byId("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied: it holds all you see.");
  } catch {
    say("The address bar holds the link: copy it from there.");
  }
});

byId<HTMLInputElement>("file").addEventListener("change", ({ target }) => {
  const input = target as HTMLInputElement, [file] = input.files ?? [];
  if (file) openFile(file);
  input.value = "";
});
let dragging = 0;
addEventListener("dragenter", () => document.body.classList.toggle("dropping", ++dragging > 0));
addEventListener("dragleave", () => document.body.classList.toggle("dropping", --dragging > 0));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  dragging = 0;
  document.body.classList.remove("dropping");
  const file = event.dataTransfer?.files[0];
  if (file) openFile(file);
});
addEventListener("hashchange", () => openAddress());

startTheme();
openAddress();
