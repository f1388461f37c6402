/** The page in a real browser: Chromium without a window, and the page's files on a loopback address. */
import { delimiter } from "node:path";
import { join } from "@std/path";
import { chromium, type Page } from "playwright-core";
import { buildPage } from "../../../hosts/deno/build/build_page.ts";
import { respond } from "../../../hosts/deno/commands/demo.ts";

/** Where Chromium is installed, if it is. */
export const CHROMIUM = (Deno.env.get("PATH") ?? "").split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });

/** What a page is opened with. */
export interface View {
  readonly width?: number;
  readonly motion?: boolean;
  readonly dark?: boolean;
}

/** A browser that has the page at an address. */
export interface Browsing {
  readonly address: string;
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Opens the page; `hash` is what is behind `#`. Every error of it fails the test. */
  open(hash?: string, view?: View): Promise<Page>;
  /** A new page of a context of its own, not yet at any address. */
  blank(view?: View): Promise<Page>;
}

/** Runs a test with the page in a browser, and closes both. */
export async function withBrowser(test: (browsing: Browsing) => Promise<void>): Promise<void> {
  const files = await buildPage();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    return respond(files, new URL(request.url).pathname);
  });
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  const address = `http://127.0.0.1:${server.addr.port}/`, said: string[] = [];
  const blank = async ({ width = 1280, motion = false, dark = false }: View = {}) => {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
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
    await server.shutdown();
  }
}

/** Waits until all pictures that were asked for are made and shown. */
export async function done(page: Page): Promise<void> {
  await page.waitForSelector("#synthesis:not([aria-busy])");
  await page.waitForFunction(() => /pictures? of/.test(document.getElementById("status")!.textContent!));
}

/** Waits until nothing more is asked for, and for the trace of a pixel, which its text names. */
export async function traced(page: Page, text = "row"): Promise<string> {
  await page.waitForSelector("#trace:not([aria-busy])");
  await page.waitForFunction((text) => {
    return document.querySelector("#marks .patch") && document.getElementById("trace")!.textContent!.includes(text);
  }, text);
  return await page.locator("#trace").innerText();
}

/** The pixels of a canvas: the red channel, in hexadecimal their SHA-256. Throws where a pixel is not grey. */
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
