/** Makes the picture of the page for the documents: `deno run -A tests/hosts/web/picture.ts tests/goldens/page.png`. */
import { traced, withBrowser } from "./browser.ts";

const [path] = Deno.args;
if (!path) throw new Error("Cannot make the picture: expected the path of a PNG file, got none");

await withBrowser(async ({ open }) => {
  const page = await open();
  await traced(page);
  await page.screenshot({ path, fullPage: true });
});
Deno.exit(); // Playwright keeps its pipes to the browser until the process ends
