/** Columns of numbers and texts as a CSV file (RFC 4180), with a head. */
import type { Data } from "./report.ts";

/** What spreadsheets take for a formula: the texts may be names of files by anybody. */
const FORMULA = /^[=+@\t\r-]/;

/**
 * Writes a CSV file. Numbers have all their digits; one that is not finite is an empty field. A text that a spreadsheet would take for
 * a formula begins with an apostrophe: see `textOfField`.
 */
export function csv({ columns, rows }: Data): string {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
}

function field(value: string | number): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = FORMULA.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a field that `csv` wrote. */
export function textOfField(field: string): string {
  return field.startsWith("'") && FORMULA.test(field.slice(1)) ? field.slice(1) : field;
}
