/** Progress of long work on stderr: a bar on a terminal, plain lines elsewhere, nothing where quiet. */
export interface Progress {
  /** Says how much of the work is done, 0..1. */
  update(done: number): void;
  /** Removes the bar. */
  end(): void;
}

const BAR = 30;
/** Seconds between plain lines. */
const EVERY = 5;

/** Starts to show progress of what `label` names. */
export function progress(label: string, quiet: boolean): Progress {
  const started = performance.now(), bar = Deno.stderr.isTerminal();
  const encoder = new TextEncoder(), write = (text: string) => Deno.stderr.writeSync(encoder.encode(text));
  let shown = started;
  return {
    update(done) {
      const now = performance.now();
      if (quiet || now - shown < (bar ? 100 : EVERY * 1000)) return;
      shown = now;
      const left = done > 0 ? (now - started) * (1 - done) / done / 1000 : NaN;
      const time = Number.isNaN(left) ? "" : `, ${Math.ceil(left)} s left`;
      const full = Math.round(done * BAR), percent = `${Math.floor(done * 100)} %`;
      if (bar) write(`\r\x1b[K${label} [${"#".repeat(full)}${"-".repeat(BAR - full)}] ${percent}${time}`);
      else write(`${label}: ${percent}${time}\n`);
    },
    end() {
      if (!quiet && bar) write("\r\x1b[K");
    },
  };
}
