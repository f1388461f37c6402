/** The messages of the page: problems, its status, and whether it is busy. */
import type { PageState } from "../state/page_state.ts";
import type { Store } from "../state/store.ts";
import { byId } from "./element.ts";

/** Shows problems in the part of the page that was used last, and the status. */
export function messagesView(store: Store<PageState>): void {
  const box = byId("problem"), synthesis = byId("synthesis"), top = box.parentElement!;
  let used: Element | undefined;
  for (const kind of ["click", "change", "drop", "paste"]) {
    addEventListener(kind, ({ target }) => {
      const element = target instanceof Element ? target : undefined;
      // A dialog lies over the part in which it was asked for.
      if (!element?.closest("dialog")) used = element;
    }, true);
  }
  addEventListener("hashchange", () => used = undefined);
  store.watch(["problems"], ({ problems }) => {
    box.textContent = problems.join(" ");
    box.hidden = problems.length === 0;
    if (box.hidden) return;
    const place = used?.closest("section, details")?.querySelector(".problem-place") ?? top;
    if (box.parentElement !== place) place.append(box);
    box.scrollIntoView({ block: "nearest" });
  });
  store.watch(["status"], ({ status }) => byId("status").textContent = status);
  store.watch(["busy"], ({ busy }) => {
    if (busy) synthesis.setAttribute("aria-busy", "true");
    else synthesis.removeAttribute("aria-busy");
  });
}
