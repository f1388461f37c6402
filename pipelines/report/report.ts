/** A report as plain data; html.ts writes it as a page. */

/** A report: its head and its sections. All texts are plain text; a blank line in `lead` or `text` starts a new paragraph. */
export interface Report {
  readonly title: string;
  /** Says what was done and what came out. */
  readonly lead: string;
  /** The command that makes the report again. */
  readonly command: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly sections: readonly Section[];
  /** The last line of the page: when the report was made, and by which version. */
  readonly footer?: string;
}

/** A part of a report; the table of contents lists it. */
export interface Section {
  readonly title: string;
  readonly text?: string;
  readonly figures: readonly Figure[];
}

/**
 * A numbered figure. Tables are counted apart from charts and pictures. `number` replaces the next number, for example by
 * "S1". The caption says what the reader should see.
 */
export type Figure =
  | {
    readonly kind: "table";
    readonly number?: string;
    readonly caption: string;
    /** The first column names the rows. */
    readonly columns: readonly string[];
    readonly rows: readonly (readonly Cell[])[];
    readonly note?: string;
  }
  | {
    readonly kind: "chart";
    readonly number?: string;
    readonly caption: string;
    /** Is put into the page unchanged. It must come from code that escapes its texts, as charts.ts does. */
    readonly svg: string;
    /** The numbers that are drawn, to download. */
    readonly data: Data;
  }
  | {
    readonly kind: "picture";
    readonly number?: string;
    readonly caption: string;
    /** Describes the picture to readers who cannot see it. */
    readonly alt: string;
    readonly png: Uint8Array;
    /** Draws pixels as squares and enlarges small pictures. */
    readonly pixelated?: boolean;
  };

/** Numbers and texts in columns. */
export interface Data {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** One cell of a table. Numbers are rounded so that a column can be compared; texts are shown unchanged. */
export type Cell = string | number | {
  readonly value: string | number;
  /** Small print below the value: an interval or a count. */
  readonly note?: string;
  /** True for the best value of its column. */
  readonly best?: boolean;
  /** True for a number quoted from elsewhere, not measured for this report. */
  readonly quoted?: boolean;
};
