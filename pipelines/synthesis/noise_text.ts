/** Says in a line how wide windows of images from noise were chosen, and why. */
import { classText } from "../../datasets/groups.ts";
import type { NoiseChoice, WindowSearch } from "../run/noise_choice.ts";

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
  const searches = choices.flatMap(({ search } = {} as NoiseChoice, g) => search ? [{ search, label: labels[g] }] : []);
  if (searches.length === 0) return undefined;
  const [{ search, label }] = searches;
  if (label === undefined) return `Windows: ${searchText(search)}`;
  const reaches = searches.map(({ search: { reach } }) => reach).sort((a, b) => a - b);
  const range = [...new Set([reaches[0], reaches[reaches.length - 1]])].join(" to ");
  const more = searches.length === 1 ? "" : `radius up to ${range} of the side; `;
  return `Windows: ${more}class ${classText(names, label)}: ${searchText(search)}`;
}

/** Says what was tried, the widest that passed and the narrowest that did not. */
function searchText({ reach, leftOut, tried }: WindowSearch): string {
  const chosen = tried.find((one) => one.reach === reach)!;
  const wider = tried.filter((one) => one.reach > reach).toSorted((a, b) => a.reach - b.reach)[0];
  const most =
    `${chosen.near} of ${chosen.images} trial images are too near to a training image (as ${leftOut} left-out ` +
    "ones are not), and would be made again";
  return `radius up to ${reach} of the side: ${most}${wider ? `; with ${wider.reach} it is ${wider.near}` : ""}`;
}
