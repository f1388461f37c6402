/** Light and dark colours: the system's until the visitor chooses. */
import { byId } from "./element.ts";

/** Sets the colours and the button that changes them. The choice is kept in the browser's storage. */
export function startTheme(): void {
  const button = byId("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Without access to the storage the choice lasts as long as the page.
  }
  const show = () => {
    const theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to ${theme === "dark" ? "light" : "dark"} colours`);
  };
  dark.addEventListener("change", show);
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", chosen);
    } catch {
      // As above.
    }
    show();
  });
  show();
}
