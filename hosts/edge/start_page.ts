/** The page at `/` and the JSON at `/profiles`: the served profiles, the parameters, and examples to click. */
import { html, raw } from "hono/html";
import type { Registry } from "../../core/registry.ts";
import { canonicalQuery, signedQuery } from "./addresses.ts";
import { PARAMETERS } from "./parameters.ts";
import { type Limits, MAX_DRAW } from "./query.ts";
import { fitsLong, type ServedProfile, type ServedProfiles } from "./served_profiles.ts";

/** Describes the served profiles with their classes and content addresses, the plugins that a request can name, with their options, and the limits of a request. */
export async function profileList(
  served: ServedProfiles,
  { plugins }: Registry,
  { base, limits }: Pick<PageOptions, "base" | "limits">,
): Promise<object> {
  const table = (kind: "prior" | "context") => {
    const offered = plugins.filter((plugin) => plugin.kind === kind && !(plugin.kind === "prior" && fitsLong(plugin)));
    return offered.map(({ name, about, options }) => ({ name, about, options }));
  };
  return {
    profiles: await Promise.all([...served.values()].map(async ({ synthesizer: { pack, classes }, hash }) => {
      const address = `${base}/synth/${await hash()}`;
      return { ...pack.profile, classes, origin: pack.origin, examples: pack.train.images.count, address };
    })),
    priors: table("prior"),
    contexts: table("context"),
    limits: { ...limits, draw: MAX_DRAW },
    parameters: Object.entries(PARAMETERS).map(([name, about]) => ({ name, ...about })),
  };
}

/** The number of images of the sheet that the page links to, unless the limits of a request allow fewer. */
const SHEET = 12;

/** What the page depends on, beside the profiles. */
export interface PageOptions {
  readonly base: string;
  readonly limits: Limits;
  readonly signingKey?: string;
}

const STYLE = `
    body { max-width: 42rem; margin: 0 auto; padding: 2rem 1.2rem; font: 1rem/1.55 system-ui, sans-serif; }
    img { width: 96px; image-rendering: pixelated; }
    th { padding-right: 1rem; text-align: left; vertical-align: top; font-weight: 600; }
    code { font-size: .9em; }
    `;

/** The content security policy of the page: it shows images of this server, and has the style that it has. */
export async function pagePolicy(): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  const style = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  const none = ["default-src", "base-uri", "form-action", "frame-ancestors"].map((name) => `${name} 'none'`);
  return [...none, "img-src 'self'", `style-src ${style}`].join("; ");
}

/** Writes the page at `/`. */
export async function startPage(served: ServedProfiles, options: PageOptions): Promise<string> {
  const { base } = options;
  const sections = await Promise.all(
    [...served.values()].map((profile, n) => profileSection(profile, n === 0, options)),
  );
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Patchloom</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
    <h1>Patchloom</h1>
    <p>Image synthesis by randomized patch-matching. The same address gives the same bytes on every host. The addresses of
    these images contain a hash of the pack and the program: they may be cached for ever.</p>
    ${sections}
    <h2>Parameters</h2>
    <p><code>${base}/synth</code> answers with a PNG. With <code>Accept: application/json</code> it also says what made the
    image; with <code>Accept: text/event-stream</code> it sends every iteration.</p>
    <table>${Object.entries(PARAMETERS).map(([name, { about }]) => parameterRow(name, about))}</table>
    <p><a href="${base}/profiles">Profiles, priors and contexts as data</a>, <a href="${base}/health">health</a>,
    <a href="${base}/metrics">metrics</a></p>
      </body>
    </html>
  `.toString();
}

/** An image of a profile, and links to more of it. Addresses do not name the profile that is the default. */
async function profileSection(
  { synthesizer, hash }: ServedProfile,
  isDefault: boolean,
  { base, limits, signingKey }: PageOptions,
) {
  const { pack, classes } = synthesizer;
  const { name, about } = pack.profile;
  const path = `/synth/${await hash()}`;
  const link = async (path: string, parameters = "") => {
    const query = `${isDefault ? "" : `profile=${encodeURIComponent(name)}&`}seed=7${parameters}`;
    const signed = signingKey === undefined
      ? canonicalQuery(new URLSearchParams(query))
      : await signedQuery(query, signingKey);
    return `${base}${path}?${signed}`;
  };
  const one = await link(path);
  const stream = await link("/synth/stream");
  const ofClasses = await Promise.all(classes.map(async (label) => {
    return { label, address: await link(path, `&class=${label}`) };
  }));
  const { total } = synthesizer.workOf({ seed: 7, images: [0] });
  const inSheet = Math.min(SHEET, limits.count, Math.floor(limits.work / total));
  const sheet = await link(path, `&count=${inSheet}`);
  return html`
    <section>
      <h2>${name}</h2>
      <p>${about}. Made from ${pack.train.images.count} images: ${pack.origin}.</p>
      <p><img src="${one}" alt="a synthesized image"></p>
      <p><a href="${one}">one image</a>, ${inSheet > 1 ? html`<a href="${sheet}">a sheet of ${inSheet}</a>,` : ""}
    ${ofClasses.map(({ label, address }) =>
      html`
        <a href="${address}">class ${label}</a>,
      `
    )}
    <a href="${stream}">every iteration as server-sent events</a></p>
    </section>
  `;
}

function parameterRow(name: string, about: string) {
  return html`
    <tr>
      <th>${name}</th>
      <td>${about}</td>
    </tr>
  `;
}
