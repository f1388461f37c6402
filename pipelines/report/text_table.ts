/** Tables of text, as commands print them. */

/** Writes the lines of a table of text. The first `texts` columns are flush left, the others flush right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[], texts: number): string[] {
  const all = [head, ...rows], widths = head.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  return all.map((row) => {
    const cells = row.map((cell, c) => c < texts ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
    return cells.join("  ").trimEnd();
  });
}
