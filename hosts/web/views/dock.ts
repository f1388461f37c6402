/** On phones, the picture stays in a corner of the screen while neither it nor its copy beside the drawing is in sight. */
import { byId } from "./element.ts";

/** Shows the corner's picture when no other one is in sight, and leads back to the picture. */
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
  dock.addEventListener("click", () => {
    byId("synthesis").scrollIntoView();
    byId("synthesis").focus({ preventScroll: true });
  });
}
