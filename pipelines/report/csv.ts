/** Columns of numbers and texts as a CSV file (RFC 4180), with a head. */
import type { Data } from "./report.ts";

/** Writes a CSV file. Numbers have all their digits; one that is not finite is an empty field. */
export function csv({ columns, rows }: Data): string {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
}

function field(value: string | number): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
