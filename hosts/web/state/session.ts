/** The actions of visitors: they open packs and change choices. Everything else follows from the choices. */
import type { Registry } from "../../../core/registry.ts";
import type { Client } from "../worker/client.ts";
import { type Choices, DEFAULTS, readChoices, writeChoices } from "../../../pipelines/page/choices.ts";
import { usableChoices } from "../../../pipelines/page/usable_choices.ts";
import type { KeptEntry, KeptPack, KeptPacks } from "./kept_packs.ts";
import type { Current, PageState } from "./page_state.ts";
import { betterSample } from "./following.ts";
import type { EyePair } from "../../../datasets/faces/windows.ts";
import type { GreyImage } from "../../../datasets/formats/colour.ts";
import type { ExemplarSource } from "../worker/exemplar_pack.ts";
import type { AlignedFace } from "../worker/face_pack.ts";
import { areMixed, ownData, type OwnPicture } from "./own_data.ts";
import type { OpenedPack } from "../worker/protocol.ts";
import type { Store } from "./store.ts";
import { greyAddress, thumbnailOf } from "./thumbnail.ts";
import { ownTile, type Tile, tilesOf } from "../../../pipelines/page/tiles.ts";

/** The choices of a page without choices in its address. */
const START = "pack=digits&class=3&from=4";
/** The packs that come with the page, and their titles. */
export const PACKS: Readonly<Record<string, string>> = { digits: "Digits", faces: "Faces", objects: "Objects" };

/** What is known of a visitor's pictures. */
export interface AboutPictures {
  /** What names their pack. */
  readonly title: string;
  /** Whether they are faces that are aligned by their eyes. */
  readonly areFaces: boolean;
  /** Sentences about the files. */
  readonly problems: readonly string[];
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

/** How choices are taken. */
interface ChoiceOptions {
  /** More changes will follow at once. */
  readonly live?: boolean;
  /** They are a stroke of a drawing. */
  readonly isStroke?: boolean;
  /** Sentences about what led to the choices. */
  readonly problems?: readonly string[];
  /** The pack that they are for; by default the open one. */
  readonly pack?: OpenedPack;
  /** "given": the address has these choices already. "awaited": it has others, whose pack has to be opened first. */
  readonly address?: "given" | "awaited";
  /** Whether they are those of a link, whose sample stays. */
  readonly isLink?: boolean;
}

/** How a pack is opened. */
interface PackOptions {
  readonly problems?: readonly string[];
  readonly address?: ChoiceOptions["address"];
  /** Whether the pack alone was chosen, and no picture of it. */
  readonly isChosen?: boolean;
  /** Whether the choices are those of a link that waits for its pack. */
  readonly isAwaited?: boolean;
  /** What is known of a pack of the visitor's own. */
  readonly own?: Omit<KeptEntry, "fingerprint" | "thumbnail">;
}

/** The actions of the page. Each ends in `#choose`. The choices are kept in the page's address. */
export class Session {
  readonly #store: Store<PageState>;
  readonly #client: Client;
  readonly #options: SessionOptions;
  /** Whether the last step of the history is a drawing's: a stroke that follows goes on with it. */
  #isDrawing = false;
  /** Whether the sample was chosen by an address or a link: it stays. */
  #isGiven = false;

  constructor(store: Store<PageState>, client: Client, options: SessionOptions) {
    this.#store = store;
    this.#client = client;
    this.#options = options;
  }

  /**
   * Changes choices. `live`: more changes will follow at once, for instance while a pointer draws. `isStroke`: they are a stroke of a
   * drawing, which goes on with the strokes before it as one step of the browser's history.
   */
  change(changed: Partial<Choices>, how?: { readonly live?: boolean; readonly isStroke?: boolean }): void {
    const { current } = this.#store.state;
    if (current) this.#choose({ ...current.choices, ...changed }, how);
  }

  /** Changes what the pictures side by side are. Of methods, the one that makes the samples is selected. */
  compare(changed: Partial<Choices>): void {
    const { current } = this.#store.state;
    if (current) this.#choose(this.#ownMethod({ ...current.choices, ...changed }, current.pack));
  }

  /** Selects, of methods side by side, the one that makes the samples. */
  #ownMethod(choices: Choices, pack: OpenedPack): Choices {
    return { ...choices, tile: ownTile(choices, pack, this.#options.plugins) };
  }

  /** Selects the sample that follows its squares best, unless an address chose one. */
  showFollowing(): void {
    const tile = this.#isGiven ? undefined : betterSample(this.#store.state);
    const { current, problems } = this.#store.state;
    if (current && tile !== undefined) this.#choose({ ...current.choices, tile }, { problems });
  }

  /** Points at a pixel of the selected picture, or at none: its window is shown, and the chosen pixel stays. */
  point(pixel: PageState["pointed"]): void {
    const { pointed } = this.#store.state;
    if (pointed?.y === pixel?.y && pointed?.x === pixel?.x) return;
    this.#store.change({ pointed: pixel });
    if (pixel) this.#options.inspect();
  }

  /** Opens a pack by its name on the page, or the visitor's own by its fingerprint. The random seed and the view stay. */
  async choosePack(pack: string): Promise<void> {
    const { seed, view, seedImage } = this.#store.state.current!.choices;
    const next = { ...DEFAULTS, pack, seed, view, ...seedImage === "noise" ? { seedImage } : {} };
    if (Object.hasOwn(PACKS, pack)) return await this.#openPack(`${pack}.loom`, next, { isChosen: true });
    const own = await this.#ownPack(pack);
    if (own) await this.#openPack(own.bytes, next, { own, isChosen: true });
    else this.#store.change({ problems: ["This browser no longer keeps the pack."] });
  }

  /** Finds a pack of the visitor's own. */
  async #ownPack(fingerprint: string): Promise<KeptPack | undefined> {
    const { ownPack } = this.#store.state;
    return fingerprint === ownPack?.fingerprint ? ownPack : await this.#options.kept.find(fingerprint);
  }

  /** Opens the choices of the page's address. A link within the page holds none: it changes nothing. */
  async openAddress(): Promise<void> {
    const address = location.hash.slice(1), { current } = this.#store.state;
    if (current && address !== "" && !address.includes("=")) return this.#choose(current.choices);
    await this.openChoices(address || START, "given");
  }

  /** Opens choices, written as in the page's address, as one step of the browser's history. `address` "given": the page has it. */
  async openChoices(written: string, address?: "given"): Promise<void> {
    const { choices, problems } = readChoices(written), { current } = this.#store.state, { pack } = choices;
    if (pack === current?.choices.pack) return this.#choose(choices, { problems, address });
    if (Object.hasOwn(PACKS, pack)) return await this.#openPack(`${pack}.loom`, choices, { problems, address });
    const own = await this.#ownPack(pack);
    if (own) return await this.#openPack(own.bytes, choices, { problems, address, own });
    const sentence = `This link needs a pack of your own (${pack}), which this browser does not have: open its file ` +
      "(A saved pack) to see the link's picture.";
    const instead = readChoices(START).choices;
    await this.#openPack("digits.loom", instead, { problems: [...problems, sentence], address: "awaited" });
    this.#store.change({ awaited: choices });
  }

  /** Forgets all packs of the visitor's own, also those that the browser keeps. */
  async forgetOwn(): Promise<void> {
    await this.#options.kept.forget();
    const { current } = this.#store.state;
    this.#store.change({ ownPack: undefined, keptPacks: [] });
    if (current && !Object.hasOwn(PACKS, current.choices.pack)) await this.openChoices(START);
  }

  /** Forgets a pack of the visitor's own. */
  async removeOwn(fingerprint: string): Promise<void> {
    const { kept } = this.#options;
    await kept.remove(fingerprint);
    const keptPacks = await kept.list(), { ownPack, current } = this.#store.state;
    this.#store.change({ keptPacks, ...ownPack?.fingerprint === fingerprint && { ownPack: undefined } });
    if (current?.choices.pack === fingerprint) await this.openChoices(START);
  }

  /** Opens a pack from a file. */
  async openFile(file: File): Promise<void> {
    const bytes = await file.arrayBuffer().catch(() => undefined), { awaited, current } = this.#store.state;
    if (!bytes) {
      return this.#store.change({ status: this.#store.state.summary, problems: [`Cannot read ${file.name}.`] });
    }
    const own = { title: file.name, time: Date.now(), made: false };
    await this.#openPack(new Uint8Array(bytes), awaited ?? current?.choices ?? DEFAULTS, {
      own,
      isAwaited: awaited !== undefined,
    });
  }

  /** Makes a pack of pictures of `size` x `size` pixels and opens it. */
  async openPictures(
    pictures: readonly OwnPicture[],
    size: number,
    { title, areFaces, problems }: AboutPictures,
  ): Promise<void> {
    await this.#openMade(title, async () => {
      const { profile, data, mixed } = ownData(pictures, size, areFaces),
        plain = () => this.#client.makePack(profile, data);
      return await (mixed ? this.#client.makePack(mixed.profile, mixed.data).catch(plain) : plain());
    }, { problems });
  }

  /** Makes a texture of one picture. `name`: of its file. */
  async openTexture(from: ExemplarSource, name: string): Promise<void> {
    await this.#openMade(name, () => this.#client.makeTexture(from, name));
  }

  /** Finds the eyes of the face in a photograph; undefined if there is none. */
  async findEyes(photograph: GreyImage): Promise<EyePair | undefined> {
    return await this.#client.findEyes(photograph).catch((error) => {
      this.#store.change({ problems: [`${error.message}.`] });
      return undefined;
    });
  }

  /** Begins with a face. Faces that follow it are added to the same pack. */
  async openFace(face: AlignedFace): Promise<void> {
    const { ownPack } = this.#store.state;
    const earlier = ownPack?.made && ownPack.name === "faces" ? ownPack.bytes : undefined;
    await this.#openMade(face.name, () => this.#client.addFace(earlier ?? "faces.loom", face), {
      photograph: greyAddress(face.pixels),
    });
  }

  /** Takes new choices: fits them to the pack, writes the address, and synthesizes what is not made yet. */
  #choose(next: Choices, options: ChoiceOptions = {}): void {
    const store = this.#store, { plugins, synthesize, inspect } = this.#options;
    const { live = false, problems = [], pack = store.state.current?.pack } = options;
    if (!pack) return;
    const { choices, planned, problems: unfit } = usableChoices(next, pack, plugins);
    const { requests, tiles } = tilesOf(choices, pack, plugins), before = store.state.current;
    const same = before !== undefined && store.state.tiles.length > 0 && asksForNoMore({ choices, requests }, before);
    const current = { pack, choices, planned, requests: same ? before.requests : requests };
    if (!same) this.#isGiven = options.address === "given" || options.isLink === true;
    // A link that waits for its pack stays the address until other pictures are asked for.
    const awaits = options.address === "awaited" || same && store.state.awaited !== undefined;
    if (!awaits) this.#writeAddress(choices, !options.address && !same && before !== undefined, options);
    // The trace of another picture is none of this one.
    const trace = same && before!.choices.tile !== choices.tile ? { trace: undefined, windowTrace: undefined } : {};
    store.change({ current, problems: [...problems, ...unfit], ...trace, ...!awaits && { awaited: undefined } });
    if (same) inspect();
    else synthesize(current, tiles, live);
  }

  /** Writes choices into the page's address. `isOther`: they are a step of the history, if the address becomes another. */
  #writeAddress(choices: Choices, isOther: boolean, { address: given, isStroke = false }: ChoiceOptions): void {
    const address = `#${writeChoices(choices)}`, isStep = isOther && address !== location.hash;
    history[isStep && !(isStroke && this.#isDrawing) ? "pushState" : "replaceState"](null, "", address);
    if (isStep || given) this.#isDrawing = isStep && isStroke;
  }

  async #openPack(from: string | Uint8Array, next: Choices, options: PackOptions = {}): Promise<void> {
    const store = this.#store, { problems = [], own, address } = options;
    let isLink = options.isAwaited;
    store.change({ status: "Opening the pack\u2026" });
    let pack: OpenedPack;
    try {
      ({ pack } = await this.#client.open(from));
    } catch (error) {
      return this.#keepPack([...problems, `${(error as Error).message}.`]);
    }
    if (typeof from !== "string" && own) {
      const { kept } = this.#options, { title, time, made, photograph } = own, { fingerprint } = pack;
      const known = store.state.keptPacks.find((one) => one.fingerprint === fingerprint);
      const entry = { ...known ?? { fingerprint, title, time, made, photograph }, thumbnail: thumbnailOf(pack) };
      store.change({ ownPack: { ...entry, name: pack.profile.name, bytes: from } });
      void kept.keep({ ...entry, bytes: from }).then(async (removedPacks) => {
        store.change({ keptPacks: await kept.list(), removedPacks });
      });
      // A link that names this pack waited for it. Any other choices were made with another pack.
      if (next.pack !== pack.fingerprint) {
        const seedImage = areMixed(pack) ? "noise" : DEFAULTS.seedImage;
        next = { ...DEFAULTS, seed: next.seed, pack: pack.fingerprint, seedImage };
        isLink = false;
      }
    }
    // Textures have seed images of blocks of their picture.
    if (pack.profile.aligned === false && next.seedImage === "noise") next = { ...next, seedImage: 0 };
    if (options.isChosen) next = this.#ownMethod(next, pack);
    store.change({ awaited: undefined, tiles: [], trace: undefined, windowTrace: undefined });
    this.#choose(next, { problems, pack, address, isLink });
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
    { problems = [], photograph }: Pick<PackOptions, "problems"> & Pick<KeptEntry, "photograph"> = {},
  ): Promise<void> {
    const { state } = this.#store, seed = state.current?.choices.seed ?? DEFAULTS.seed;
    try {
      this.#store.change({ status: `Making a pack of ${title}\u2026` });
      const own = { title, time: Date.now(), made: true, photograph };
      await this.#openPack(await make(), { ...DEFAULTS, seed }, { problems, own });
    } catch (error) {
      const { summary } = this.#store.state;
      this.#store.change({ status: summary, problems: [...problems, `${(error as Error).message}.`] });
    }
  }
}

/** Whether all requests are among those before, as they are where another one of the images side by side is selected. */
function asksForNoMore({ choices, requests }: Pick<Current, "choices" | "requests">, before: Current): boolean {
  const written = requests.map((one) => JSON.stringify(one)), known = before.requests.map((one) => JSON.stringify(one));
  const unselected = (all: Choices) => writeChoices({ ...all, tile: 0, frame: undefined, pixel: undefined });
  if (String(written) === String(known)) return true;
  return unselected(choices) === unselected(before.choices) && written.every((one) => known.includes(one));
}
