/** The pack: which one is open, its classes, and some of its examples. */
import { type Current, examplesOf, type PageState, withTransparent } from "../state/page_state.ts";
import { PACKS, type Session } from "../state/session.ts";
import { transparencyOf } from "../state/palette.ts";
import type { Store } from "../state/store.ts";
import { classOf } from "../../../pipelines/page/tiles.ts";
import { ALIGNED, OWN_PICTURES } from "../state/own_data.ts";
import { byId, element, radios } from "./element.ts";
import { inPlainWords } from "./methods.ts";
import { ownPacksOf } from "./own_packs.ts";
import { paint } from "./picture.ts";

/** What pictures of a visitor's own need: pieces are compared with those at the same place. */
const PLACES = "New ones are clearest where the objects lie at the same place in all pictures.";

/** How many thumbnails of examples fit side by side. */
const THUMBNAILS = 8;

/** Shows the packs, and the classes and examples of the open one. */
export function packsView(store: Store<PageState>, session: Session): void {
  store.watch(["current", "ownPack", "keptPacks"], (state) => {
    const { current } = state;
    if (!current) return;
    const { pack: open } = current.choices, own = ownPacksOf(state).map(({ fingerprint }) => fingerprint);
    const packs = Object.entries(PACKS).map(([value, title]) => ({ value, label: [title] }));
    // The open one, or the one that was opened last.
    const [last] = own.includes(open) ? [open] : own;
    if (last) packs.push({ value: last, label: ["Yours"] });
    radios(byId("packs"), "pack", packs, open, (pack) => session.choosePack(pack));
  });
  store.watch(["current"], ({ current }) => {
    if (!current) return;
    showClasses(current, session);
    showExamples(current);
  });
}

function showClasses({ pack, choices }: Current, session: Session): void {
  const classes = pack.classes.map((one) => ({ value: String(one), label: [pack.classNames?.[one] ?? String(one)] }));
  if (classes.length > 1) classes.push({ value: "all", label: ["all"] });
  byId("classes").classList.toggle("named", pack.classNames !== undefined);
  radios(byId("classes"), "class", classes, String(classOf(choices, pack)), (value) => {
    // A drawn seed image stays; the pack's are numbered anew in each class.
    const seedImage = typeof choices.seedImage === "number" ? 0 : choices.seedImage;
    session.change({ class: value === "all" ? "all" : Number(value), seedImage, frame: undefined });
  });
}

/** Shows some examples of the class, or one of each class, and says how many there are. */
function showExamples({ pack, choices }: Current): void {
  const { examples, exampleShape } = pack, label = classOf(choices, pack);
  const shape = withTransparent(exampleShape, transparencyOf(pack), false);
  const pictures = label === "all"
    ? examples.slice(0, THUMBNAILS).map((one) => one.pictures[0])
    : (examples.find((one) => one.label === label) ?? examples[0]).pictures;
  byId("shown-examples").replaceChildren(...pictures.map((bytes) => paint(element("canvas"), shape, bytes)));
  document.body.classList.toggle("checkered", pack.transparent !== undefined);
  byId("shown-examples").classList.toggle("single", pictures.length === 1);
  const ofClass = typeof label === "number" ? `, ${examplesOf({ pack, choices })} of them in the chosen class` : "";
  const origin = inPlainWords(pack.origin);
  const advice = pack.profile.dataset === OWN_PICTURES && !origin.includes(ALIGNED) ? ` ${PLACES}` : "";
  byId("pack-note").textContent = `${origin.slice(0, 1).toUpperCase()}${origin.slice(1)}${ofClass}.${advice}`;
}
