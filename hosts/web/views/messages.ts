/** The messages of the page: problems, its status, and whether it is busy. */
import type { PageState } from "../state/page_state.ts";
import type { Store } from "../state/store.ts";
import { byId } from "./element.ts";

/** Shows problems and the status. */
export function messagesView(store: Store<PageState>): void {
  const box = byId("problem"), synthesis = byId("synthesis");
  store.watch(["problems"], ({ problems }) => {
    box.textContent = problems.join(" ");
    box.hidden = problems.length === 0;
  });
  store.watch(["status"], ({ status }) => byId("status").textContent = status);
  store.watch(["busy"], ({ busy }) => {
    if (busy) synthesis.setAttribute("aria-busy", "true");
    else synthesis.removeAttribute("aria-busy");
  });
}
