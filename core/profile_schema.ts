/** The JSON Schema of profiles, for editors. It is made of the option tables and limits that `plan` checks with. */
import type { AnyPlugin, Kinds, Option } from "./plugin.ts";
import { ORDERS } from "./locations.ts";
import { TILES } from "./tiling.ts";
import { MAX_FEATHER } from "./merge_weights.ts";
import { LARGEST_SIDE } from "./shape.ts";
import {
  LAYER_KEYS,
  type OPTIONAL_KEYS,
  type OPTIONAL_LAYER_KEYS,
  PROFILE_KEYS,
  SEED_MODELS,
  Z_STEPS,
} from "./profile.ts";
import type { Registry } from "./registry.ts";

/** A part of a JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/**
 * Makes the JSON Schema (draft 2020-12) of profiles with these plugins. It checks each value by itself. How values depend on
 * each other (lists as long as the iterations, a size that halves at every layer, offsets below the patch's side less its
 * overlap) is checked by `plan` alone.
 */
export function profileSchema(plugins: Registry): Schema {
  const side = whole(2, LARGEST_SIDE);
  const properties = {
    $schema: text("where this schema is"),
    name: text("also the folder of the results"),
    about: text("one line for people"),
    dataset: text("the data set's name, such as mnist or faces"),
    size: { anyOf: [side, pair(side, side)], description: "side of the images in pixels, or [width, height]" },
    channels: { enum: [1, 3], default: 1, description: "1 grey, 3 colour" },
    aligned: {
      type: "boolean",
      default: true,
      description: "whether a place means the same in all images, as in faces",
    },
    classwise: { type: "boolean", description: "whether each class is synthesized from its own training images" },
    patch: { ...whole(2, LARGEST_SIDE, "n: side of a patch; even"), multipleOf: 2 },
    prior: { ...choice(plugins, "prior"), description: "the prior, or [prior, options]" },
    contexts: {
      type: "array",
      items: choice(plugins, "context"),
      description: "each a context, or [context, options]",
    },
    zStep: { enum: Z_STEPS, default: "sample", description: "what the z-step takes from the posterior" },
    relativeH: {
      type: "boolean",
      default: false,
      description: "whether h counts in variances of the LR training images, not in squares of grey values in [0, 1]",
    },
    seedNoise: {
      type: "number",
      minimum: 0,
      maximum: 1,
      default: 0,
      description: "standard deviation of the noise that is added to seed images",
    },
    seedModel: {
      enum: SEED_MODELS,
      default: "gaussian",
      description: "the model that seed images are drawn from where they are not given",
    },
    pixelArt: {
      type: "boolean",
      default: false,
      description: "whether pixels take the colour of most patches, not the average, and transparent pixels are kept",
    },
    restoredAs: text("name of the built-in profile that restores degraded images of this kind; this one by default"),
    tile: { enum: TILES, description: "directions in which images of exemplars tile without a seam; none by default" },
    layers: list(layerSchema(plugins), "l = 0, the finest layer, first"),
  } satisfies Record<"$schema" | typeof PROFILE_KEYS[number] | typeof OPTIONAL_KEYS[number], Schema>;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A profile of Patchloom",
    ...object(properties, PROFILE_KEYS),
  };
}

/** The schema of a profile's layer. */
function layerSchema(plugins: Registry): Schema {
  const positive = { type: "number", exclusiveMinimum: 0 };
  const layer = {
    overlap: whole(0, LARGEST_SIDE, "pixels that neighbouring patches share; below the patch's side"),
    iterations: whole(1, 65535, "K: iterations of the ADMM"),
    window: whole(0, LARGEST_SIDE, "neighbouring positions have an offset below it; 0 and 1 are the location itself"),
    h: list(positive, "randomness of the prior, one for each iteration; larger: more variety"),
    lambda: list({ type: "number", minimum: 0 }, "weight of the LR image, one for each iteration"),
    rho: list(positive, "weight of the agreement of patches, one for each iteration"),
    offsets: list(
      pair(whole(0, LARGEST_SIDE), whole(0, LARGEST_SIDE)),
      "shift [x, y] of the patches, one for each iteration",
    ),
    feather: {
      ...whole(
        0,
        MAX_FEATHER,
        "how much patches count less towards their borders where they are merged; 0: the average",
      ),
      default: 0,
    },
    patch: {
      ...whole(2, LARGEST_SIDE, "n in this layer; the profile's where it is left out"),
      multipleOf: 2,
    },
    order: {
      enum: ORDERS,
      default: "rows",
      description: "order of the patches: row by row, or each row from its centre outwards",
    },
    minOriginality: {
      type: "number",
      minimum: 0,
      default: 0,
      description: "images of this layer that are nearer to a training image are drawn again; 0: none",
    },
    projection: {
      ...whole(0, 65535, "iterations at the end that take the nearest training patches of the same place"),
      default: 0,
    },
    prior: {
      ...choice(plugins, "prior"),
      description: "another prior than the profile's; options that are left out are the profile's",
    },
    contexts: {
      type: "array",
      items: choice(plugins, "context"),
      description: "other contexts than the profile's; options that are left out are the profile's",
    },
  } satisfies Record<typeof LAYER_KEYS[number] | typeof OPTIONAL_LAYER_KEYS[number], Schema>;
  return object(layer, LAYER_KEYS);
}

function text(description: string): Schema {
  return { type: "string", description };
}

function whole(minimum: number, maximum: number, description?: string): Schema {
  return { type: "integer", minimum, maximum, description };
}

function list(items: Schema, description: string): Schema {
  return { type: "array", items, minItems: 1, description };
}

function object(properties: Schema, required: readonly string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

function pair(first: Schema, second: Schema): Schema {
  return { type: "array", prefixItems: [first, second], minItems: 2, maxItems: 2 };
}

/** One of the plugins of a kind, by name or with options. */
function choice(plugins: Registry, kind: keyof Kinds): Schema {
  const some = plugins.plugins.filter((plugin) => plugin.kind === kind);
  return {
    anyOf: some.flatMap(({ name, about, options }: AnyPlugin) => {
      const table = Object.entries(options as Record<string, Option>).map((
        [key, option],
      ) => [key, optionSchema(option)]);
      const named = { const: name, description: about };
      return [named, pair(named, object(Object.fromEntries(table), []))];
    }),
  };
}

function optionSchema({ words, ...option }: Option): Schema {
  const schema = plainOptionSchema(option), own = Object.entries(words ?? {});
  if (own.length === 0) return schema;
  const { default: number, description, ...numbers } = schema;
  const usual = own.find(([, value]) => value === number)?.[0] ?? number;
  return { anyOf: [numbers, { enum: own.map(([word]) => word) }], default: usual, description };
}

function plainOptionSchema({ default: own, about, min, max, integer, choices }: Option): Schema {
  const type = typeof own === "number" && integer ? "integer" : typeof own;
  return {
    type,
    default: own,
    description: about,
    ...(Number.isFinite(min) && { minimum: min }),
    ...(Number.isFinite(max) && { maximum: max }),
    ...(choices && { enum: choices }),
  };
}
