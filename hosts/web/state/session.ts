/** The actions of visitors: they open packs and change choices. Everything else follows from the choices. */
import type { Registry } from "../../../core/registry.ts";
import type { Client } from "../worker/client.ts";
import { type Choices, DEFAULTS, readChoices, writeChoices } from "../../../pipelines/page/choices.ts";
import { usableChoices } from "../../../pipelines/page/usable_choices.ts";
import type { KeptPacks } from "./kept_packs.ts";
import type { Current, PageState } from "./page_state.ts";
import type { EyePair } from "../../../datasets/faces/windows.ts";
import type { GreyImage } from "../../../datasets/formats/colour.ts";
import type { ExemplarSource } from "../worker/exemplar_pack.ts";
import type { AlignedFace } from "../worker/face_pack.ts";
import { ownData, type OwnPicture } from "./own_data.ts";
import type { OpenedPack } from "../worker/protocol.ts";
import type { Store } from "./store.ts";
import { type Tile, tilesOf } from "../../../pipelines/page/tiles.ts";

/** The choices of a page without choices in its address. */
const START = "pack=digits&class=3&from=4";
/** The packs that come with the page, and their titles. */
export const PACKS: Readonly<Record<string, string>> = { digits: "Digits", faces: "Faces", objects: "Objects" };

/** The names of files that a sentence lists. */
const LISTED = 3;

/** The actions of the page. */
export interface Session {
  /** Changes choices. `live`: more changes will follow at once, for instance while a pointer draws. */
  change(changed: Partial<Choices>, live?: boolean): void;
  /** Points at a pixel of the selected picture, or at none: its window is shown, and the chosen pixel stays. */
  point(pixel: PageState["pointed"]): void;
  /** Opens a pack by its name on the page, or the visitor's own by its fingerprint. The random seed and the view stay. */
  choosePack(pack: string): Promise<void>;
  /** Opens the choices of the page's address. A link within the page holds none: it changes nothing. */
  openAddress(): Promise<void>;
  /** Opens choices, written as in the page's address, as one step of the browser's history. */
  openChoices(address: string): Promise<void>;
  /** Opens a pack from a file. */
  openFile(file: File): Promise<void>;
  /** Makes a pack of pictures of `size` x `size` pixels and opens it. `others`: the names of files that are no pictures. */
  openPictures(pictures: readonly OwnPicture[], size: number, others: readonly string[]): Promise<void>;
  /** Makes a texture of one picture. `name`: of its file. */
  openTexture(from: ExemplarSource, name: string): Promise<void>;
  /** Finds the eyes of the face in a photograph; undefined if there is none. */
  findEyes(photograph: GreyImage): Promise<EyePair | undefined>;
  /** Forgets all packs of the visitor's own, also those that the browser keeps. */
  forgetOwn(): Promise<void>;
  /** Begins with a face. Faces that follow it are added to the same pack. */
  openFace(face: AlignedFace): Promise<void>;
}

/** The work that a session starts when choices change. */
export interface SessionOptions {
  readonly plugins: Registry;
  readonly kept: KeptPacks;
  /** Synthesizes the current requests' images. */
  synthesize(current: Current, tiles: readonly Tile[], live: boolean): void;
  /** Traces the chosen pixel. */
  inspect(): void;
}

/** Opens a session. Its choices are kept in the page's address. */
export function openSession(store: Store<PageState>, client: Client, options: SessionOptions): Session {
  return new PageSession(store, client, options);
}

/** How choices are taken. */
interface ChoiceOptions {
  /** More changes will follow at once. */
  readonly live?: boolean;
  /** Sentences about what led to the choices. */
  readonly problems?: readonly string[];
  /** The pack that they are for; by default the open one. */
  readonly pack?: OpenedPack;
  /** "given": the address has these choices already. "awaited": it has others, whose pack has to be opened first. */
  readonly address?: "given" | "awaited";
}

/** How a pack is opened. */
interface PackOptions {
  readonly problems?: readonly string[];
  readonly address?: ChoiceOptions["address"];
  /** Whether the page made it. */
  readonly made?: boolean;
}

/** The actions over the page's state. Each ends in `#choose`. */
class PageSession implements Session {
  readonly #store: Store<PageState>;
  readonly #client: Client;
  readonly #options: SessionOptions;

  constructor(store: Store<PageState>, client: Client, options: SessionOptions) {
    this.#store = store;
    this.#client = client;
    this.#options = options;
  }

  change(changed: Partial<Choices>, live?: boolean): void {
    const { current } = this.#store.state;
    if (current) this.#choose({ ...current.choices, ...changed }, { live });
  }

  point(pixel: PageState["pointed"]): void {
    const { pointed } = this.#store.state;
    if (pointed?.y === pixel?.y && pointed?.x === pixel?.x) return;
    this.#store.change({ pointed: pixel });
    if (pixel) this.#options.inspect();
  }

  async choosePack(pack: string): Promise<void> {
    const { ownPack, current } = this.#store.state, { seed, view, seedImage } = current!.choices;
    const from = pack === ownPack?.fingerprint ? ownPack.bytes : `${pack}.loom`;
    const source = seedImage === "noise" ? { seedImage } : {};
    await this.#openPack(from, { ...DEFAULTS, pack, seed, view, ...source }, { made: ownPack?.made });
  }

  async openAddress(): Promise<void> {
    const address = location.hash.slice(1), { current } = this.#store.state;
    if (current && address !== "" && !address.includes("=")) return this.#choose(current.choices);
    await this.#open(address || START, "given");
  }

  async openChoices(address: string): Promise<void> {
    await this.#open(address);
  }

  async #open(written: string, address?: "given"): Promise<void> {
    const { choices, problems } = readChoices(written), { current, ownPack } = this.#store.state, { pack } = choices;
    if (pack === current?.choices.pack) return this.#choose(choices, { problems, address });
    if (Object.hasOwn(PACKS, pack)) return await this.#openPack(`${pack}.loom`, choices, { problems, address });
    const own = pack === ownPack?.fingerprint ? ownPack : await this.#options.kept.find(pack);
    if (own) return await this.#openPack(own.bytes, choices, { problems, address, made: own.made });
    const sentence = `This link needs a pack of your own (${pack}), which this browser does not have: open its file ` +
      "(A pack) to see the link's picture.";
    const instead = readChoices(START).choices;
    await this.#openPack("digits.loom", instead, { problems: [...problems, sentence], address: "awaited" });
    this.#store.change({ awaited: choices });
  }

  async forgetOwn(): Promise<void> {
    await this.#options.kept.forget();
    const { current, ownPack } = this.#store.state;
    this.#store.change({ ownPack: undefined, keepsOwn: false });
    if (current && current.choices.pack === ownPack?.fingerprint) await this.#open(START);
    else if (current) this.#store.change({ current: { ...current } });
  }

  async openFile(file: File): Promise<void> {
    const bytes = await file.arrayBuffer().catch(() => undefined), { awaited, current } = this.#store.state;
    if (!bytes) return this.#store.change({ problems: [`Cannot read ${file.name}.`] });
    await this.#openPack(new Uint8Array(bytes), awaited ?? current?.choices ?? DEFAULTS);
  }

  async openPictures(pictures: readonly OwnPicture[], size: number, others: readonly string[]): Promise<void> {
    const problems = others.length === 0 ? [] : [`Skipped files that are no pictures: ${listed(others)}.`];
    await this.#openMade(`${pictures.length} pictures`, async () => {
      const { profile, data } = ownData(pictures, size);
      return await this.#client.makePack(profile, data);
    }, problems);
  }

  async openTexture(from: ExemplarSource, name: string): Promise<void> {
    await this.#openMade(name, () => this.#client.makeTexture(from, name));
  }

  async findEyes(photograph: GreyImage): Promise<EyePair | undefined> {
    return await this.#client.findEyes(photograph).catch((error) => {
      this.#store.change({ problems: [`${error.message}.`] });
      return undefined;
    });
  }

  async openFace(face: AlignedFace): Promise<void> {
    const { ownPack } = this.#store.state;
    const earlier = ownPack?.made && ownPack.name === "faces" ? ownPack.bytes : undefined;
    await this.#openMade(face.name, () => this.#client.addFace(earlier ?? "faces.loom", face));
  }

  /** Takes new choices: fits them to the pack, writes the address, and synthesizes what is not made yet. */
  #choose(next: Choices, options: ChoiceOptions = {}): void {
    const store = this.#store, { plugins, synthesize, inspect } = this.#options;
    const { live = false, problems = [], pack = store.state.current?.pack } = options;
    if (!pack) return;
    const { choices, planned, problems: unfit } = usableChoices(next, pack, plugins);
    const { requests, tiles } = tilesOf(choices, pack, plugins), before = store.state.current;
    const same = store.state.tiles.length > 0 && JSON.stringify(requests) === JSON.stringify(before?.requests);
    const current = { pack, choices, planned, requests: same ? before!.requests : requests };
    // A link that waits for its pack stays the address until other pictures are asked for.
    const awaits = options.address === "awaited" || same && store.state.awaited !== undefined;
    if (!awaits) writeAddress(choices, !options.address && !same ? before?.choices : undefined);
    // The trace of another picture is none of this one.
    const trace = same && before!.choices.tile !== choices.tile ? { trace: undefined, windowTrace: undefined } : {};
    store.change({ current, problems: [...problems, ...unfit], ...trace });
    if (same) inspect();
    else synthesize(current, tiles, live);
  }

  async #openPack(from: string | Uint8Array, next: Choices, options: PackOptions = {}): Promise<void> {
    const store = this.#store, { problems = [], made = false, address } = options;
    store.change({ status: "Opening the pack\u2026" });
    let pack: OpenedPack;
    try {
      ({ pack } = await this.#client.open(from));
    } catch (error) {
      return this.#keepPack([...problems, `${(error as Error).message}.`]);
    }
    if (typeof from !== "string") {
      const ownPack = { fingerprint: pack.fingerprint, name: pack.profile.name, bytes: from, made };
      store.change({ ownPack });
      void this.#options.kept.keep(ownPack).then((keepsOwn) => store.change({ keepsOwn }));
      // A link that names this pack waited for it. Any other choices were made with another pack.
      if (next.pack !== pack.fingerprint) next = { ...DEFAULTS, seed: next.seed, pack: pack.fingerprint };
    }
    // Textures have seed images of blocks of their picture.
    if (pack.profile.aligned === false && next.seedImage === "noise") next = { ...next, seedImage: 0 };
    store.change({ awaited: undefined, tiles: [], trace: undefined, windowTrace: undefined });
    this.#choose(next, { problems, pack, address });
  }

  /** Shows why a pack did not open. The one before stays open. */
  #keepPack(problems: readonly string[]): void {
    const { current, busy, summary } = this.#store.state;
    this.#store.change({ status: summary, problems });
    if (!current) return;
    if (busy) this.#store.change({ tiles: [] }); // opening the pack ended the synthesis before: it starts again
    this.#choose(current.choices, { problems });
  }

  /** Makes a pack and opens it. If that fails, the one before stays open. */
  async #openMade(
    title: string,
    make: () => Promise<Uint8Array>,
    problems: readonly string[] = [],
  ): Promise<void> {
    const { state } = this.#store, seed = state.current?.choices.seed ?? DEFAULTS.seed;
    try {
      this.#store.change({ status: `Making a pack of ${title}\u2026` });
      await this.#openPack(await make(), { ...DEFAULTS, seed }, { problems, made: true });
    } catch (error) {
      const { summary } = this.#store.state;
      this.#store.change({ status: summary, problems: [...problems, `${(error as Error).message}.`] });
    }
  }
}

/** Writes choices into the page's address. `before`: the choices to which Back returns; undefined: it returns to those before them. */
function writeAddress(choices: Choices, before: Choices | undefined): void {
  const address = `#${writeChoices(choices)}`;
  const isStep = before && address !== location.hash && !continuesDrawing(before, choices);
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}

/** Whether only the drawing differs, which goes on: each stroke would be a step of the history. */
function continuesDrawing(before: Choices, after: Choices): boolean {
  if (!(before.seedImage instanceof Uint8Array && after.seedImage instanceof Uint8Array)) return false;
  return writeChoices({ ...before, seedImage: 0 }) === writeChoices({ ...after, seedImage: 0 });
}

/** The first names, and how many there are beside them. */
function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
