/**
 * Moves about the page: to the picture, to the visitor's own pictures, and on phones a small copy in a corner while no picture is in
 * sight.
 */
import { byId } from "./element.ts";

/** Shows the corner's picture when no other one is in sight. It and the link lead to the picture. */
export function dockView(): void {
  const dock = byId("dock"), inSight = new Set<Element>();
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inSight.add(target);
      else inSight.delete(target);
    }
    dock.classList.toggle("away", inSight.size === 0);
  }, { threshold: 0.5 });
  for (const picture of [byId("stage"), ...document.querySelectorAll(".pair .preview")]) seen.observe(picture);
  dock.addEventListener("click", goToPicture);
  // The part of the address after `#` holds the choices.
  const lead = (id: string, go: () => void) => {
    byId(id).addEventListener("click", (event) => {
      event.preventDefault();
      go();
    });
  };
  lead("skip", goToPicture);
  lead("to-own", () => {
    byId("own-title").scrollIntoView();
    byId("own-pictures").focus({ preventScroll: true });
  });
}

/** Scrolls to the picture, unless it is in sight as a whole. The focus stays where it is. */
export function bringPictureIntoSight(): void {
  const { top, bottom } = byId("stage").getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) byId("synthesis").scrollIntoView();
}

function goToPicture(): void {
  byId("synthesis").scrollIntoView();
  byId("synthesis").focus({ preventScroll: true });
}
