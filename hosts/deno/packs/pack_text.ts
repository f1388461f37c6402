/** Describes the content of a pack in words. */
import { type Shape, shapeText } from "../../../core/shape.ts";
import type { Pack } from "../../../datasets/formats/pack.ts";
import { knownClasses } from "../../../datasets/groups.ts";
import { counted } from "../../../core/counted.ts";

/** Writes a number of bytes in kB or MB. */
function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Describes the size of a pack's file and its content in one line. */
export function packLine({ train: { images, labels }, seeds }: Pack, bytes: number): string {
  const classes = labels ? ` of ${counted(knownClasses(labels).length, "class", "classes")}` : "";
  return `${sizeText(bytes)}, ${counted(images.count, "training image")} (${shapeText(images)})${classes} and ` +
    `${counted(seeds.count, "seed image")} (${shapeText(seeds)})`;
}

/** Describes a pack as plain data: what `unpack --info --json` prints. */
export function packInfo(
  { profile, origin, transparent, classes, train: { images, labels }, seeds }: Pack,
  bytes: number,
) {
  const countOf = (labels: Uint8Array | undefined, label: number) => {
    return labels?.reduce((count, one) => count + (one === label ? 1 : 0), 0);
  };
  return {
    bytes,
    profile,
    origin,
    ...transparent && { transparent },
    train: shapeOf(images),
    seeds: shapeOf(seeds),
    classes: labels && knownClasses(labels).map((label) => ({
      class: label,
      ...classes && { name: classes[label] },
      train: countOf(labels, label)!,
      seeds: countOf(seeds.labels, label)!,
    })),
  };
}

function shapeOf({ count, height, width, channels = 1 }: Shape & { count: number }) {
  return { count, height, width, channels };
}

/** Writes the same as lines of text. Texts of the file may hold control characters: these are replaced by spaces. */
export function infoText(info: ReturnType<typeof packInfo>, path: string): string[] {
  const { profile, train, seeds, classes } = info, { prior, contexts } = profile;
  const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
  const layers = Array.isArray(profile.layers) ? profile.layers : [];
  const rows = [
    ["profile", `${written(profile.name)}: ${written(profile.about)}`],
    ["made from", info.origin],
    ["size", `${sizeText(info.bytes)} (${info.bytes} bytes)`],
    ["training images", `${train.count} of ${shapeText(train)}`],
    ["seed images", `${seeds.count} of ${shapeText(seeds)}`],
    ...classes
      ? [["of each class", classes.map((one) => `${one.name ?? one.class}: ${one.train} + ${one.seeds}`).join(", ")]]
      : [],
    ["prior", written(prior)],
    ["contexts", written(contexts)],
    ...(["prior", "contexts"] as const).flatMap((name) =>
      layers.flatMap((layer, l) => layer?.[name] === undefined ? [] : [[`${name}, layer ${l}`, written(layer[name])]])
    ),
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}${text.replace(/\p{C}/gu, " ")}`);
  return [path, ...lines];
}
