/** Plugins of others, as sources: each test writes those that it needs into a folder outside the repository. */
import { join } from "@std/path";
import { smallData } from "../cli.ts";

/** Where a prior of `priorSource` does something else than others. */
export interface PriorParts {
  readonly before?: string;
  readonly entries?: string;
  readonly create?: string;
  readonly fit?: string;
  readonly draw?: string;
}

/** A prior `name` that copies the patch of a random training image, with something else in some of its places. */
export function priorSource(
  name: string,
  { before = "", entries = "", create = "", fit = "", draw = "" }: PriorParts = {},
) {
  return `${before}
export default {
  api: 1,
  kind: "prior",
  name: "${name}",
  about: "a patch of the same place of a random training image",
  options: { first: { default: 8, min: 1, max: 24, integer: true, about: "images to draw from; more: more variety" } },
  create({ first }) {
    ${create}
    return {
      fit({ kernels, hr, patch, width, height, channels, layer }) {
        const own = patch * patch, area = channels * own;
        ${fit}
        return {
          draw(at, measurements, step, random, out) {
            const bytes = kernels.u8(hr.at, hr.count * channels * width * height), uniforms = new Float64Array(measurements.batch);
            random.uniforms(uniforms);
            for (let b = 0; b < measurements.batch; b++) {
              const image = Math.floor(uniforms[b] * Math.min(first, hr.count));
              for (let p = 0; p < area; p++) {
                const plane = image * channels + Math.floor(p / own), row = at.y + Math.floor(p % own / patch);
                const place = (plane * height + row) * width + at.x + p % patch;
                out.patches[b * area + p] = bytes[place] / 255;
              }
              out.sources.set([image, at.y, at.x], 3 * b);
            }
            ${draw}
          },
        };
      },
    };
  },
  ${entries}
};
`;
}

/** A context `name`: the row of pixels above the patch. It is checked and drawn in a tenth of the time of a prior. */
export function contextSource(name: string): string {
  const mask = "Array.from({ length: patch }, (_, dx) => ({ dx, dy: -1, weight: 0.5 }))";
  return `export default {
  api: 1, kind: "context", name: "${name}", about: "the row above the patch", options: {},
  create: () => ({ mask: (patch) => ${mask} }),
};
`;
}

/** Writes sources by name into a folder, with small data in \`data\`; the words of a quick synthesis with that data. */
export async function withSources(folder: string, sources: Readonly<Record<string, string>>): Promise<string[]> {
  await smallData(join(folder, "data"));
  for (const [name, source] of Object.entries(sources)) await Deno.writeTextFile(join(folder, name), source);
  return ["synth", "--profile", "digits", "--data", "data", "--class", "1", "--count", "2", "--out", "out"];
}
