/** The JSON Schema of profiles, for editors. It is made of the tables that `plan` checks with. */
import { type Entry, type EntryShape, keysOf, type Table } from "./entries.ts";
import type { AnyPlugin, Kinds, Option } from "./plugin.ts";
import { PROFILE } from "./profile.ts";
import type { Registry } from "./registry.ts";

/** A part of a JSON Schema. */
export type Schema = { readonly [key: string]: unknown };

/**
 * Makes the JSON Schema (draft 2020-12) of profiles with these plugins. It checks each value by itself. How values depend on
 * each other (lists as long as the iterations, a size that halves at every layer, offsets below the patch's side less its
 * overlap) is checked by `plan` alone.
 */
export function profileSchema(plugins: Registry): Schema {
  const { properties, ...profile } = tableSchema(PROFILE, plugins);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A profile of Patchloom",
    ...profile,
    properties: {
      $schema: { type: "string", description: "where this schema is" },
      plugins: {
        type: "array",
        items: { type: "string" },
        description: "third-party plugins that the profile needs: paths relative to its file, or npm:, jsr:, https:",
      },
      ...properties as Schema,
    },
  };
}

/** The schema of the objects that a table describes. */
export function tableSchema(table: Table, plugins: Registry): Schema {
  const properties = Object.entries(table).map(([key, entry]) => [key, entrySchema(entry, plugins)]);
  return object(Object.fromEntries(properties), keysOf(table).needed);
}

function entrySchema(entry: Entry, plugins: Registry): Schema {
  const { about: description, default: usual } = entry;
  return { ...shapeSchema(entry, plugins), ...usual !== undefined && { default: usual }, description };
}

function shapeSchema(shape: EntryShape, plugins: Registry): Schema {
  switch (shape.type) {
    case "text":
      return { type: "string", pattern: "^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$" };
    case "boolean":
      return { type: "boolean" };
    case "choice":
      return { enum: shape.choices };
    case "integer": {
      const { min: minimum, max: maximum, parity } = shape;
      const even = { multipleOf: 2 };
      return { type: "integer", minimum, maximum, ...parity === "even" ? even : parity === "odd" ? { not: even } : {} };
    }
    case "number":
      return defined({ type: "number", minimum: shape.min, exclusiveMinimum: shape.above, maximum: shape.max });
    case "pair": {
      const item = shapeSchema(shape.of, plugins);
      return pair(item, item);
    }
    case "list": {
      const items = shapeSchema(shape.of, plugins);
      return defined({ type: "array", items, minItems: shape.length ? 1 : undefined });
    }
    case "either":
      return { anyOf: shape.of.map((one) => shapeSchema(one, plugins)) };
    case "plugin":
      return choice(plugins, shape.kind);
    case "object":
      return tableSchema(shape.entries, plugins);
    case "objects":
      return { type: "array", items: tableSchema(shape.entries, plugins), minItems: 1 };
  }
}

/** The entries that are not undefined. */
function defined(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
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
  const schema = plainOptionSchema(option);
  const named = Object.entries(words ?? {});
  if (named.length === 0) return schema;
  const { default: number, description, ...numbers } = schema;
  const usual = named.find(([, value]) => value === number)?.[0] ?? number;
  return { anyOf: [numbers, { enum: named.map(([word]) => word) }], default: usual, description };
}

function plainOptionSchema({ default: usual, about, min, max, integer, choices }: Option): Schema {
  const type = typeof usual === "number" && integer ? "integer" : typeof usual;
  return {
    type,
    default: usual,
    description: about,
    ...(Number.isFinite(min) && { minimum: min }),
    ...(Number.isFinite(max) && { maximum: max }),
    ...(choices && { enum: choices }),
  };
}
