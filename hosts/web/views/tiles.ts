/** The pictures side by side. */
import { frameIndex, hasNewTiles, type PageState, type TileState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { copyOf } from "./copies.ts";
import { byId, element } from "./element.ts";
import { inPlainWords, methodTitle } from "./methods.ts";
import { paint } from "./picture.ts";

/** Shows the tiles. Each shows the same frame of its own film, or its newest one if it has not come so far. */
export function tilesView(store: Store<PageState>, session: Session): void {
  store.watch(["current", "tiles", "playhead", "busy"], (state) => {
    if (!hasNewTiles(state)) return showWait(state);
    const { choices } = state.current!, frame = choices.frame ? frameIndex(state) : state.playhead;
    showTiles(state, frame, (tile) => session.change({ tile }));
    showMethod(state.tiles[choices.tile]);
  });
}

/** Says that the selected picture is being made, where there is none yet. The earlier pictures stay until there are new ones. */
function showWait({ busy, current }: PageState): void {
  const empty = byId("tiles").querySelectorAll("label")[current?.choices.tile ?? 0]?.querySelector(".refused");
  if (busy && empty) empty.textContent = WORKING;
}

const WORKING = "Working\u2026";

/** What a tile says in place of its picture; undefined where it has one, or will have one soon. */
function sentenceOf({ refused, request, slow, frames }: TileState, busy: boolean): string | undefined {
  if (refused) return refused;
  if (request < 0) return "\u25b6 Slow: select it to start";
  // The seed image is none of its own.
  if (slow && frames.every(({ iteration }) => iteration < 0)) return busy ? WORKING : "Stopped";
}

function showTiles(state: PageState, frame: number, change: (tile: number) => void): void {
  const { tiles, busy, current } = state, chosen = current!.choices.tile;
  const group = byId("tiles"), old = [...group.querySelectorAll("label")];
  if (old.length !== tiles.length) {
    old.forEach((label) => label.remove());
    tiles.forEach((_, i) => {
      const input = element("input", { type: "radio", name: "tile", value: String(i) });
      input.addEventListener("change", () => change(i));
      group.append(element("label", { className: "choice" }, input, element("span", {})));
    });
  }
  group.querySelectorAll("label").forEach((label, i) => {
    const { title, about, note, frames, result } = tiles[i], input = label.querySelector("input")!;
    const name = methodTitle(title), sentence = sentenceOf(tiles[i], busy);
    input.checked = i === chosen;
    input.setAttribute("aria-label", sentence ? `${name}: ${sentence}` : name);
    label.title = name === title ? about ?? "" : `${title}: ${about}`;
    const span = label.querySelector("span")!, shown = frames[Math.min(frame, frames.length - 1)];
    const captions = [name, result && copyOf(result, current!.pack)?.short, note].filter((text) => text !== undefined);
    if (sentence) {
      return span.replaceChildren(element("div", { className: "refused" }, sentence), ...captions.map(caption));
    }
    const canvas = span.querySelector("canvas") ?? element("canvas", { width: 1, height: 1 });
    if (shown) paint(canvas, shown.shape, shown.pixels);
    const before = [...span.querySelectorAll("small")].map(({ textContent }) => textContent);
    if (!canvas.parentElement || String(before) !== String(captions)) {
      span.replaceChildren(canvas, ...captions.map(caption));
    }
  });
}

/** Says what the method of the selected tile does. */
function showMethod({ title, about, note }: TileState): void {
  const box = byId("method-note"), begins = note ? ` Its picture comes ${note}.` : "";
  box.hidden = !about;
  box.replaceChildren(element("strong", {}, methodTitle(title)), ` (${title}): ${inPlainWords(about ?? "")}.${begins}`);
}

function caption(text: string): HTMLElement {
  return element("small", {}, text);
}
