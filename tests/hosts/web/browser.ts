/** Opens the page in a browser: headless Chromium, with the page's files served on a loopback address. */
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import axe from "axe-core";
import { chromium, type Page } from "playwright-core";
import { buildPage } from "../../../hosts/deno/page/build_page.ts";
import { respond } from "../../../hosts/deno/page/serve_page.ts";
import { KEPT, once } from "../../once.ts";
import { CHROMIUM } from "../../programs.ts";
import { sourcesHash } from "../../released.ts";

/** The second of the four samples. */
export const TILE = "#tiles label:nth-of-type(2) canvas";

/** What the page's address says after `#`. */
export function hash(page: Page): URLSearchParams {
  return new URLSearchParams(new URL(page.url()).hash.slice(1));
}

/** How a page is opened; by default 1280 pixels wide and 900 high, light, without motion. */
export interface View {
  readonly width?: number;
  readonly height?: number;
  readonly motion?: boolean;
  readonly dark?: boolean;
}

/** A browser, and a server of the page. */
export interface Browsing {
  readonly address: string;
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Opens the page; `hash` is the address after `#`. Every error on the page's console fails the test. */
  open(hash?: string, view?: View): Promise<Page>;
  /** Opens an empty page in a browser context of its own. */
  blank(view?: View): Promise<Page>;
}

/** Builds the page, once for all tests, and serves it. */
export async function servePage(): Promise<Pick<Browsing, "address" | "files"> & AsyncDisposable> {
  const folder = await once("page", await sourcesHash(), async (folder) => {
    for (const [name, bytes] of await buildPage(join(KEPT, "patchloom"))) {
      await Deno.writeFile(join(folder, name), bytes);
    }
  });
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (name !== "done") files.set(name, await Deno.readFile(join(folder, name)));
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    return respond(files, new URL(request.url).pathname);
  });
  return { address: `http://127.0.0.1:${server.addr.port}/`, files, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Runs a test with a browser and a server, and closes both. */
export async function withBrowser(test: (browsing: Browsing) => Promise<void>): Promise<void> {
  await using served = await servePage();
  const { address, files } = served;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  const said: string[] = [];
  const blank = async ({ width = 1280, height = 900, motion = false, dark = false }: View = {}) => {
    const page = await browser.newPage({
      viewport: { width, height },
      reducedMotion: motion ? "no-preference" : "reduce",
      colorScheme: dark ? "dark" : "light",
    });
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error.stack)));
    return page;
  };
  try {
    await test({
      address,
      files,
      blank,
      async open(hash = "", view) {
        const page = await blank(view);
        await page.goto(address + (hash && `#${hash}`));
        await done(page);
        return page;
      },
    });
    if (said.length > 0) throw new Error(`The page said: ${said.join("; ")}`);
  } finally {
    await browser.close();
  }
}

/** Makes the window of an open page as `open` would: the page's places follow from its style alone, so it need not be opened again. */
export async function resized(page: Page, { width = 1280, height = 900, dark = false }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  const theme = dark ? "dark" : "light";
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, theme);
}

/** Waits until all requested pictures are made and shown. */
export async function done(page: Page): Promise<void> {
  await page.waitForSelector("#synthesis:not([aria-busy])");
  await page.waitForFunction(() => /pictures? of/.test(document.getElementById("status")!.textContent!));
}

/** Asserts that a page breaks no rule of axe. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate((axe as unknown as { source: string }).source);
  // What passes is counted, not described: that takes the most time.
  const { violations } = await page.evaluate("axe.run({ resultTypes: ['violations'] })") as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  assertEquals(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
}

/** Waits for the trace of a pixel whose text includes `text`, and returns the text. */
export async function traced(page: Page, text = "row"): Promise<string> {
  await page.waitForSelector("#trace:not([aria-busy])");
  await page.waitForFunction((text) => {
    return document.querySelector("#marks .patch") && document.getElementById("trace")!.textContent!.includes(text);
  }, text);
  return await page.locator("#trace").innerText();
}

/** The SHA-256 of the pixels of a grey canvas, one byte each, in hexadecimal. Throws where a pixel is not grey. */
export async function sha256Of(page: Page, selector: string): Promise<string> {
  const bytes = await page.evaluate((selector) => {
    const canvas = document.querySelector(selector) as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height), grey: number[] = [];
    for (let p = 0; p < data.length; p += 4) {
      if (data[p] !== data[p + 1] || data[p] !== data[p + 2] || data[p + 3] !== 255) throw new Error("not grey");
      grey.push(data[p]);
    }
    return grey;
  }, selector);
  return await sha256(Uint8Array.from(bytes));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
