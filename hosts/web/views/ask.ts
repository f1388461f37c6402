/** Asks before something is lost for good. */
import { byId } from "./element.ts";

/** Asks a question in a dialog. Resolves to whether the visitor chose the button `yes`. */
export function ask(question: string, yes: string): Promise<boolean> {
  const dialog = byId<HTMLDialogElement>("ask");
  byId("ask-question").textContent = question;
  byId("ask-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
