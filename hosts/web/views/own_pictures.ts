/** Takes a visitor's files: a pack, or pictures, which the browser decodes, crops to squares and scales. */
import { counted } from "../../../core/counted.ts";
import { isPack } from "../../../datasets/formats/pack.ts";
import { MIN_PICTURES, OWN_SIZES, type OwnPicture } from "../state/own_data.ts";
import { MOST } from "../state/kept_packs.ts";
import { packTitle } from "../state/pack_title.ts";
import type { PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import type { Client } from "../worker/client.ts";
import { ask } from "./ask.ts";
import { bringPictureIntoSight } from "./dock.ts";
import { byId, element } from "./element.ts";
import { ownPacksOf } from "./own_packs.ts";
import { eyesDialog, photographOf } from "./eyes.ts";
import { noPicture, skippedFiles, withoutFaces } from "./unreadable.ts";
import { facePictures } from "./face_pictures.ts";
import { fillDialog } from "./fill.ts";
import { decode, exemplarOf, spriteSide, usualSide } from "./picture_files.ts";
import { saveFile } from "./save_file.ts";

/** A file, and the name of the folder that it lies in. */
interface Given {
  readonly file: File;
  readonly folder?: string;
}

/** Takes files from the buttons, dropped files and folders, and pasted pictures; saves the pack that was made of them. */
export function ownPicturesView(store: Store<PageState>, session: Session, start: () => Client): void {
  const size = byId<HTMLSelectElement>("own-size"), savePack = byId<HTMLButtonElement>("save-pack");
  size.replaceChildren(
    element("option", { value: "" }, "Size"),
    ...OWN_SIZES.map((side) => element("option", { value: String(side) }, `${side}\u00d7${side}`)),
  );
  const files = new OwnFiles(store, session, size, start), take = (given: readonly Given[]) => files.take(given);
  /** Whether a question about a picture is open: another picture would ask a second one. */
  const isAsking = () => {
    const asks = document.querySelector("dialog[open]") !== null;
    if (asks) {
      store.change({ problems: ["Cannot take two pictures at a time: finish the first one, then give the other."] });
    }
    return asks;
  };
  /** Pictures that were pasted one after another belong together. */
  let pasted: Given[] = [];
  chosenFiles("file", ([{ file }]) => files.openPack(file));
  chosenFiles("own-pictures", (given) => given.length > 1 ? take(given) : files.takeOne(given[0].file, true));
  chosenFiles("own-texture", ([{ file }]) => files.takeTexture(file));
  chosenFiles("own-fill", ([{ file }]) => files.takeHoled(file));
  chosenFiles("own-face", ([{ file }]) => files.takeOne(file, false));
  takeDropped((given) => {
    if (!isAsking()) take(given);
  }, (sentence) => store.change({ problems: [sentence] }));
  addEventListener("paste", ({ clipboardData }) => {
    const files = [...clipboardData?.files ?? []].filter(({ type }) => type.startsWith("image/"));
    if (files.length > 0 && !isAsking()) take(pasted = [...pasted, ...files.map((file) => ({ file }))]);
  });
  store.watch(["current", "ownPack", "keptPacks"], (state) => {
    const { current, ownPack, keptPacks } = state;
    savePack.hidden = !ownPack?.made || current?.choices.pack !== ownPack.fingerprint;
    byId("kept").hidden = !ownPack && keptPacks.length === 0;
    byId("kept-note").textContent = ownPacksOf(state).length === keptPacks.length
      ? `This browser keeps your last ${MOST} packs: choose Yours to see them. `
      : "This browser does not keep your pictures: they are lost when the page is left or loaded again. Save pack keeps them. ";
  });
  byId("forget").addEventListener("click", async () => {
    const packs = counted(ownPacksOf(store.state).length, "pack");
    const question =
      `Forget ${packs} of your own? What was made of your pictures is then gone for good, unless you saved it.`;
    if (await ask(question, `Forget ${packs}`)) await session.forgetOwn();
  });
  savePack.addEventListener("click", () => {
    const { ownPack } = store.state;
    if (ownPack) saveFile(new Blob([ownPack.bytes as BlobPart]), `${ownPack.name}.loom`);
  });
}

/** Shows beside the buttons what is being read or made, until the page has a picture of it or a problem. */
function ownStatusView(store: Store<PageState>): { show(): void } {
  const note = byId("own-status");
  store.watch(["status"], ({ status, summary }) => {
    note.textContent = status;
    if (status === summary) note.hidden = true;
  });
  store.watch(["current", "problems"], () => note.hidden = true);
  return { show: () => note.hidden = false };
}

/** What becomes of a visitor's files. Pictures that are made of them come into sight. */
class OwnFiles {
  readonly #store: Store<PageState>;
  readonly #session: Session;
  readonly #size: HTMLSelectElement;
  readonly #askForEyes = eyesDialog();
  readonly #fillHoles: ReturnType<typeof fillDialog>;
  /** The file of the last texture, and the pack that was made of it. */
  #texture: { readonly file: File; readonly pack: string | undefined } | undefined;
  /** The files of the last pictures, their side, and the pack that was made of them. */
  #sized: { readonly given: readonly Given[]; readonly side: number; readonly pack: string | undefined } | undefined;
  readonly #status: { show(): void };

  /**
   * @param size the chosen side of pictures that are no sprites; empty: the usual one
   * @param start starts a client of a worker of its own
   */
  constructor(store: Store<PageState>, session: Session, size: HTMLSelectElement, start: () => Client) {
    this.#fillHoles = fillDialog(start);
    const button = byId("texture-fill").querySelector("button")!;
    button.addEventListener("click", () => this.#texture && this.takeHoled(this.#texture.file));
    store.watch(["current"], () => {
      this.#offerFilling();
      this.#offerSize();
    });
    this.#store = store;
    this.#session = session;
    this.#size = size;
    this.#status = ownStatusView(store);
  }

  /** Opens the file of a pack. */
  async openPack(file: File): Promise<void> {
    this.#reading(file.name);
    await this.#inSight(this.#session.openFile(file));
  }

  /** Opens one file, or makes a pack of several pictures. `wanted`: their side, in place of the chosen or the usual one. */
  async take(given: readonly Given[], wanted?: number): Promise<void> {
    const [{ file } = { file: undefined }] = given;
    if (!file) return this.#store.change({ problems: ["There are no files in it."] });
    if (given.length === 1) {
      return await (await isPackFile(file) ? this.openPack(file) : this.takeOne(file, true));
    }
    this.#reading(`${given.length} files`);
    const files = given.map(({ file }) => file), sprite = await spriteSide(files);
    const side = sprite ?? wanted ?? (Number(this.#size.value) || await usualSide(files));
    const faces = sprite === undefined ? await this.#facesOf(files, side) : undefined;
    const pictures: OwnPicture[] = [], others: string[] = [], used: { name: string; folder?: string }[] = [];
    for (const { file, folder } of given) {
      const rgba = faces ? faces.get(file) : await decode(file, side, sprite !== undefined);
      if (!rgba) {
        others.push(file.name);
        continue;
      }
      used.push({ name: file.name, folder });
      pictures.push({ rgba, folder });
    }
    const problems = faces ? withoutFaces(others) : skippedFiles(others), areFaces = faces !== undefined;
    const title = wanted ? `${packTitle(used)}, ${wanted}\u00d7${wanted}` : packTitle(used);
    const opened = this.#session.openPictures(pictures, side, { title, areFaces, problems });
    if (!await this.#inSight(opened)) return;
    this.#sized = sprite === undefined ? { given, side, pack: this.#store.state.ownPack?.fingerprint } : undefined;
    this.#offerSize();
  }

  /** Offers the other size of the pictures that are open. */
  #offerSize(): void {
    const { given, side, pack } = this.#sized ?? {}, line = byId("other-size");
    line.hidden = !given || pack === undefined || this.#store.state.current?.choices.pack !== pack;
    if (line.hidden) return;
    const other = OWN_SIZES.find((one) => one !== side)!, button = element("button", { type: "button" });
    button.textContent = `${other}\u00d7${other}: ${other > side! ? "finer" : "quicker"}`;
    button.addEventListener("click", () => this.take(given!, other));
    line.replaceChildren(`Size ${side}\u00d7${side}. `, button);
  }

  /** The aligned faces of photographs; undefined if they show others, or too few. */
  #facesOf(files: readonly File[], side: number): Promise<Map<File, Uint8ClampedArray> | undefined> {
    if (files.length < MIN_PICTURES) return Promise.resolve(undefined);
    return facePictures(files, side, {
      findEyes: (photograph) => this.#session.findEyes(photograph),
      onLooked: (looked) => {
        this.#store.change({ status: `Looking for faces: ${looked} of ${files.length} pictures\u2026` });
      },
    });
  }

  /**
   * Takes one picture: a face, if the visitor agrees, or else the exemplar of a texture. `sure`: whether only a picture in which a
   * face is found may be one of a face.
   */
  async takeOne(file: File, sure: boolean): Promise<void> {
    this.#reading(file.name);
    const kind = await this.#takeFace(file, sure);
    if (kind === "texture") await this.takeTexture(file);
    if (kind === "fill") await this.takeHoled(file);
  }

  /** Takes a picture out of which something is to be taken. */
  async takeHoled(file: File): Promise<void> {
    this.#reading(file.name);
    const opened = await this.#fillHoles(file), { summary } = this.#store.state;
    this.#store.change({ status: summary, ...!opened && { problems: [noPicture(file.name)] } });
  }

  /** Takes the exemplar of a texture. */
  async takeTexture(file: File): Promise<void> {
    this.#reading(file.name);
    const from = await exemplarOf(file), { summary } = this.#store.state;
    if (!from) return this.#store.change({ status: summary, problems: [noPicture(file.name)] });
    const isOpen = await this.#inSight(this.#session.openTexture(from, file.name));
    if (isOpen) this.#texture = { file, pack: this.#store.state.ownPack?.fingerprint };
    this.#offerFilling();
  }

  /** Returns what becomes of a photograph. */
  async #takeFace(file: File, sure: boolean): Promise<"face" | "texture" | "fill" | "nothing"> {
    const photograph = await photographOf(file), { summary } = this.#store.state;
    const eyes = photograph && await this.#session.findEyes(photograph.grey);
    if (!photograph || !eyes && sure) return "texture";
    this.#store.change({ status: summary }); // the page waits for the visitor: nothing is being read
    const answer = await this.#askForEyes(photograph, eyes);
    if (answer?.kind === "face") {
      this.#status.show();
      await this.#inSight(this.#session.openFace({ ...answer, name: file.name }));
    }
    return answer?.kind ?? "nothing";
  }

  /** Offers to take something out of the picture of the texture that is shown. */
  #offerFilling(): void {
    const pack = this.#texture?.pack, { current } = this.#store.state;
    byId("texture-fill").hidden = pack === undefined || current?.choices.pack !== pack;
  }

  #reading(what: string): void {
    this.#store.change({ status: `Reading ${what}\u2026`, problems: [] });
    this.#status.show();
  }

  /** Waits until files are opened. If another pack is open now, brings the picture into sight, and resolves to true. */
  async #inSight(opened: Promise<void>): Promise<boolean> {
    const before = this.#store.state.current?.pack;
    await opened;
    const isOpen = this.#store.state.current?.pack !== before;
    if (isOpen) bringPictureIntoSight();
    return isOpen;
  }
}

/** Whether a file is a pack, or is called one. */
async function isPackFile(file: File): Promise<boolean> {
  const begin = await file.slice(0, PACK_BEGIN).arrayBuffer().catch(() => new ArrayBuffer(0));
  return /\.loom$/i.test(file.name) || isPack(new Uint8Array(begin));
}

/** More bytes than a pack's first ones. */
const PACK_BEGIN = 16;

/** Calls `take` with the files that are chosen by a button. */
function chosenFiles(id: string, take: (given: readonly Given[]) => unknown): void {
  byId<HTMLInputElement>(id).addEventListener("change", ({ target }) => {
    const input = target as HTMLInputElement, files = [...input.files ?? []];
    if (files.length > 0) take(files.map((file) => ({ file })));
    input.value = ""; // so that choosing the same files again is a change, too
  });
}

/** Takes files and folders that are dropped on the page. `refuse` gets one sentence where a folder cannot be read. */
function takeDropped(take: (given: readonly Given[]) => void, refuse: (sentence: string) => void): void {
  let entered = 0; // elements that the pointer has entered and not left
  addEventListener("dragenter", () => document.body.classList.toggle("dropping", ++entered > 0));
  addEventListener("dragleave", () => document.body.classList.toggle("dropping", --entered > 0));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async ({ dataTransfer }) => {
    entered = 0;
    document.body.classList.remove("dropping");
    // Entries can be asked for during the event only.
    const items = [...dataTransfer?.items ?? []], entries = items.map((item) => item.webkitGetAsEntry?.());
    const files = [...dataTransfer?.files ?? []];
    if (!entries.some((entry) => entry?.isDirectory)) return take(files.map((file) => ({ file })));
    try {
      take((await Promise.all(entries.map((entry) => entry ? below(entry) : []))).flat());
    } catch (error) {
      refuse(`Cannot read what was dropped: ${(error as Error).message}.`);
    }
  });
  addEventListener("drop", (event) => event.preventDefault());
}

/** The files in a dropped entry, each with the name of its folder, in the order of their names. */
async function below(entry: FileSystemEntry, folder?: string): Promise<Given[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return file.name.startsWith(".") ? [] : [{ file, folder }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader(), all: FileSystemEntry[] = [];
  for (;;) { // a reader hands out a hundred entries at a time
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    all.push(...some);
  }
  all.sort((a, b) => a.name < b.name ? -1 : 1);
  return (await Promise.all(all.map((one) => below(one, entry.name)))).flat();
}
