/** Examples to try with one click, and surprises. */
import type { Session } from "../state/session.ts";
import { byId, element } from "./element.ts";

/** An example: what its button says, and its choices as the page's address has them. */
interface Try {
  readonly title: string;
  readonly address: string;
}

const TRIES: readonly Try[] = [
  { title: "A digit from noise", address: "pack=digits&class=3&from=noise" },
  { title: "A face from noise", address: "pack=faces&from=noise&seed=2" },
  { title: "A digit from 16 squares", address: "pack=digits&class=3&from=4" },
  { title: "A face from 64 squares", address: "pack=faces&from=1" },
  { title: "Shirts", address: "pack=objects&class=1&from=3" },
  { title: "Windows too large: copies", address: `pack=digits&class=3&from=noise&${wholeWindows()}` },
  { title: "Other methods", address: "pack=digits&class=3&from=4&view=priors" },
];

/** Settings with which each pixel compares whole pictures: the exact denoiser, which makes nothing but copies. */
function wholeWindows(): string {
  const windows = Array.from({ length: 20 }, (_, step) => `set=noise.windows.${step}=63`);
  return [...windows, "set=noise.minOriginality=0"].join("&");
}

/** The packs of surprises with their numbers of classes. */
const SURPRISES = [["digits", 10], ["faces", 0], ["objects", 4]] as const;

/** Shows a button for each example, and one for a surprise. */
export function triesView(session: Session): void {
  const button = ({ title, address }: Pick<Try, "title"> & { readonly address: () => string }) => {
    const made = element("button", { type: "button" }, title);
    made.addEventListener("click", () => session.openChoices(address()));
    return made;
  };
  byId("tries").replaceChildren(
    ...TRIES.map(({ title, address }) => button({ title, address: () => address })),
    button({ title: "Surprise me", address: () => surprise(crypto.getRandomValues(new Uint16Array(4))) }),
  );
}

/** Returns the address of a picture that four random numbers decide. */
export function surprise([kind, of, source, seed]: ArrayLike<number> & Iterable<number>): string {
  const [pack, classes] = SURPRISES[kind % SURPRISES.length];
  const choices = new URLSearchParams({ pack, seed: String(seed) });
  if (classes > 0) choices.set("class", String(of % classes));
  choices.set("from", source % 2 === 0 ? "noise" : String(source % 20));
  return choices.toString();
}
