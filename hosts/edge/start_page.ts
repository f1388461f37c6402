/** The page at `/` and the JSON at `/profiles`: the served profiles, the parameters, and examples to click. */
import { html } from "hono/html";
import type { Registry } from "../../core/registry.ts";
import { fitsLong, type Limits, PARAMETERS } from "./query.ts";
import type { ServedProfile, ServedProfiles } from "./served_profiles.ts";

/** Describes the served profiles with their classes and content addresses, and the plugins that a request can name, with their options. */
export async function profileList(served: ServedProfiles, { plugins }: Registry, base: string): Promise<object> {
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
    parameters: Object.entries(PARAMETERS).map(([name, about]) => ({ name, ...about })),
  };
}

/** The images of a sheet that the page leads to, if the limits of a request allow so many. */
const SHEET = 12;

/** Writes the page at `/`. */
export async function startPage(served: ServedProfiles, base: string, limits: Limits): Promise<string> {
  const profile = async ({ synthesizer, hash }: ServedProfile) => {
    const { name, about } = synthesizer.pack.profile, query = `profile=${encodeURIComponent(name)}`;
    const one = `${base}/synth/${await hash()}?${query}&seed=7`,
      { total } = synthesizer.workOf({ seed: 7, images: [0] });
    const inSheet = Math.min(SHEET, limits.count, Math.floor(limits.work / total));
    return html`
      <section>
        <h2>${name}</h2>
        <p>${about}. Made from ${synthesizer.pack.train.images.count} images: ${synthesizer.pack.origin}.</p>
        <p><img src="${one}" alt="a synthesized image"></p>
        <p><a href="${one}">one image</a>, ${inSheet > 1
          ? html`<a href="${one}&count=${inSheet}">a sheet of ${inSheet}</a>,`
          : ""}
      ${synthesizer.classes.map((label) =>
        html`
          <a href="${one}&class=${label}">class ${label}</a>,
        `
      )}
      <a href="${base}/synth/stream?${query}&seed=7">every iteration as server-sent events</a></p>
      </section>
    `;
  };
  const row = ([name, { about }]: [string, { about: string }]) =>
    html`
      <tr>
        <th>${name}</th>
        <td>${about}</td>
      </tr>
    `;
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Patchloom</title>
        <style>
    body { max-width: 42rem; margin: 0 auto; padding: 2rem 1.2rem; font: 1rem/1.55 system-ui, sans-serif; }
    img { width: 96px; image-rendering: pixelated; }
    th { padding-right: 1rem; text-align: left; vertical-align: top; font-weight: 600; }
    code { font-size: .9em; }
    </style>
      </head>
      <body>
    <h1>Patchloom</h1>
    <p>Image synthesis by randomized patch-matching. The same address gives the same bytes on every host. The addresses of
    these images contain a hash of the pack and the program: they may be cached for ever.</p>
    ${await Promise.all([...served.values()].map(profile))}
    <h2>Parameters</h2>
    <p><code>${base}/synth</code> answers with a PNG. With <code>Accept: application/json</code> it also says what made the
    image; with <code>Accept: text/event-stream</code> it sends every iteration.</p>
    <table>${Object.entries(PARAMETERS).map(row)}</table>
    <p><a href="${base}/profiles">Profiles, priors and contexts as data</a>, <a href="${base}/health">health</a></p>
      </body>
    </html>
  `.toString();
}
