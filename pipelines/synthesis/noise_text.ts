/** Says how wide windows of images from noise were chosen, and why. */
import { counted } from "../../core/counted.ts";
import { classText } from "../../datasets/groups.ts";
import type { NoiseChoice, WindowSearch } from "../run/noise/choice.ts";

/**
 * Says what was chosen of each class; undefined where no windows were.
 *
 * @param labels the classes, in the order of the choices; undefined: all images together
 * @param names the names of the classes, if they have names
 */
export function windowsText(
  choices: readonly (NoiseChoice | undefined)[],
  labels: readonly (number | undefined)[],
  names?: readonly string[],
): string | undefined {
  const searches = choices.flatMap((choice, g) => {
    return choice?.search ? [{ search: choice.search, widest: Math.max(...choice.windows), label: labels[g] }] : [];
  });
  if (searches.length === 0) return undefined;
  const [{ search, widest, label }] = searches;
  if (label === undefined) return `Windows: ${searchText(search, widest)}`;
  const of = `Windows: of class ${classText(names, label)}, ${searchText(search, widest)}`;
  if (searches.length === 1) return of;
  const range = (values: readonly number[], text: (value: number) => string) => {
    const [least, most] = [Math.min(...values), Math.max(...values)].map(text);
    return least === most ? most : `${least} to ${most}`;
  };
  const reaches = range(searches.map(({ search: { reach } }) => reach), percent);
  const sides = range(searches.map(({ widest }) => widest), String);
  return `${of} Of all classes, the radius is ${reaches} of the side, in windows of up to ${sides} pixels.`;
}

/** Says what was chosen, and why: the narrowest that was tried and is wider did not pass. `widest`: the side in pixels. */
function searchText({ reach, leftOut, tried }: WindowSearch, widest: number): string {
  const chosen = tried.find((one) => one.reach === reach)!;
  const wider = tried.filter((one) => one.reach > reach).toSorted((a, b) => a.reach - b.reach)[0];
  const compared = `nearer to a training image than ${
    counted(leftOut, "left-out training image comes", "left-out training images come")
  }`;
  const but = wider ? `; with a radius of ${percent(wider.reach)} it is ${wider.near}, which is too many` : "";
  return `a radius of up to ${
    percent(reach)
  } of the side was chosen, in windows of up to ${widest} pixels. ${chosen.near} of ${chosen.images} trial images ` +
    `came ${compared}${but}. Such images are made again by themselves: nothing needs doing.`;
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}
