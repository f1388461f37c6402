/** The packs of the visitor's own: the one that is open, and those that the browser keeps. They can be opened again and removed. */
import { type KeptEntry, MOST } from "../state/kept_packs.ts";
import type { PageState } from "../state/page_state.ts";
import type { Session } from "../state/session.ts";
import type { Store } from "../state/store.ts";
import { ask } from "./ask.ts";
import { byId, element, radios } from "./element.ts";

/** Returns the packs of the visitor's own, the newest first. One that the browser does not keep is there until the page is left. */
export function ownPacksOf({ ownPack, keptPacks }: PageState): readonly KeptEntry[] {
  const isKept = keptPacks.some(({ fingerprint }) => fingerprint === ownPack?.fingerprint);
  return ownPack && !isKept ? [ownPack, ...keptPacks] : keptPacks;
}

/** Lists the visitor's packs while one of them is open. */
export function ownPacksView(store: Store<PageState>, session: Session): void {
  const list = byId("own-packs"), note = byId("removed-packs");
  let shown = "";
  store.watch(["removedPacks"], ({ removedPacks }) => {
    note.hidden = removedPacks.length === 0;
    note.textContent = removedSentence(removedPacks);
  });
  store.watch(["current", "ownPack", "keptPacks"], (state) => {
    const packs = ownPacksOf(state), open = state.current?.choices.pack ?? "";
    list.hidden = !packs.some(({ fingerprint }) => fingerprint === open);
    const next = JSON.stringify([open, packs.map(({ fingerprint }) => fingerprint)]);
    if (list.hidden || next === shown) return;
    shown = next;
    const choices = packs.map((pack) => {
      const { thumbnail: src, title } = pack, picture = src ? [element("img", { src, alt: "" })] : [];
      return { value: pack.fingerprint, label: [...picture, title, element("small", {}, timeOf(pack))] };
    });
    list.querySelector("legend")!.textContent = `Your packs: ${packs.length}`;
    const hadFocus = list.contains(document.activeElement);
    radios(list, "own-pack", choices, open, (pack) => session.choosePack(pack));
    list.querySelectorAll(":scope > label").forEach((label, i) => {
      const { title, fingerprint } = packs[i], name = `Remove ${title}, ${timeOf(packs[i])}`;
      const remove = element(
        "button",
        { type: "button", className: "quiet", "aria-label": name, title: name },
        "\u00d7",
      );
      remove.addEventListener("click", async () => {
        if (await ask(`${name}? The pack is then gone for good, unless you saved it.`, "Remove")) {
          await session.removeOwn(fingerprint);
        }
      });
      const row = element("div", { className: "own-pack" });
      label.replaceWith(row);
      row.append(label, remove);
    });
    if (hadFocus) list.querySelector<HTMLInputElement>("input:checked")?.focus();
  });
}

/** When a pack was made or opened first, as the visitor writes times. */
function timeOf({ time }: KeptEntry): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Says which packs are no longer kept, and why. */
function removedSentence(removed: readonly KeptEntry[]): string {
  const titles = removed.map(({ title }) => title).join("; ");
  return `Removed to make room for this one: ${titles}. This browser keeps your last ${MOST} packs, fewer if they are large.`;
}
