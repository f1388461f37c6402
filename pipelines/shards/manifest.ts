/** The manifest of a whole data set: its settings, and every part with the SHA-256 of its files. */
import { VERSION } from "../../core/version.ts";
import { type NearCopies, totalNearCopies } from "../run/near_copies.ts";
import { type Acceptance, type PartEntry, rangeOf } from "./part.ts";
import { doubleRanges, missingRanges, type NumberRange, rangeText } from "./ranges.ts";
import type { Settings } from "./settings.ts";

/** The name of its file. */
export const MANIFEST = "manifest.json";

/** A whole data set. It says nothing of when and where it was made: equal data sets of equal parts have equal manifests. */
export interface Manifest {
  readonly format: "patchloom-manifest-1";
  /** The version of Patchloom. */
  readonly program: string;
  readonly settings: Settings;
  /** The SHA-256 of the settings as JSON. */
  readonly settingsSha256: string;
  /** How many images there are. */
  readonly count: number;
  /** The bytes of all files of the parts. */
  readonly bytes: number;
  /** How often images were drawn until they were accepted, and accepted images per drawing; given if there were limits. */
  readonly acceptance?: Acceptance & { readonly rate: number };
  /** Near copies of training images; given if there are any. */
  readonly copies?: NearCopies;
  /** All parts in the order of their images. */
  readonly parts: readonly PartEntry[];
}

/** What keeps parts from being a whole. */
interface Gaps {
  /** Numbers that no part has. */
  readonly missing: readonly NumberRange[];
  /** Numbers that several parts have. */
  readonly double: readonly NumberRange[];
}

/** Compares parts with the numbers that they should have. */
export function gapsOf(whole: NumberRange, entries: readonly PartEntry[]): Gaps {
  const ranges = entries.map(rangeOf);
  return { missing: missingRanges(whole, ranges), double: doubleRanges(ranges) };
}

/**
 * Assembles the manifest.
 *
 * @param settingsSha256 `fingerprint` of the settings
 * @throws {Error} unless the parts have these settings and every image once
 */
export function assembleManifest(
  settings: Settings,
  settingsSha256: string,
  entries: readonly PartEntry[],
): Manifest {
  const { missing, double } = gapsOf({ first: 0, end: settings.count }, entries);
  const texts = [
    ...missing.map((range) => `${rangeText(range)} missing`),
    ...double.map((range) => `${rangeText(range)} double`),
  ];
  const other = entries.find((entry) => entry.settings !== settingsSha256);
  if (other) texts.push(`${rangeText(rangeOf(other))} of other settings`);
  if (texts.length > 0) {
    const more = texts.length > 1 ? ` (and ${texts.length - 1} more)` : "";
    throw new Error(`Cannot assemble the data set: expected every image once, got ${texts[0]}${more}`);
  }
  const parts = entries.toSorted((a, b) => a.first - b.first);
  const acceptance = totalAcceptance(parts);
  return {
    format: "patchloom-manifest-1",
    program: `patchloom ${VERSION}`,
    settings,
    settingsSha256,
    count: settings.count,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    acceptance: acceptance && { ...acceptance, rate: acceptance.accepted / acceptance.drawn },
    copies: totalNearCopies(parts),
    parts,
  };
}

/** What parts count of their images, added up: what the record of a folder of parts says. */
export function totalsOf(entries: readonly PartEntry[]): Pick<PartEntry, "acceptance" | "copies"> {
  return { acceptance: totalAcceptance(entries), copies: totalNearCopies(entries) };
}

/** Adds up the drawings of parts; undefined if the run has no limits. */
function totalAcceptance(entries: readonly PartEntry[]): Acceptance | undefined {
  const own = entries.map(({ acceptance }) => acceptance).filter((one) => one !== undefined);
  if (own.length === 0) return undefined;
  const sum = (of: keyof Acceptance) => own.reduce((all, one) => all + one[of], 0);
  return { drawn: sum("drawn"), accepted: sum("accepted"), unmet: sum("unmet") };
}
