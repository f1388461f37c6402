/**
 * Two lint rules on who imports whom: `import-ladder` keeps every file to the rungs below its own, and
 * `no-import-circles` reports files that import each other, directly or by way of others, for their types alone too.
 */

/** A host may use anything but another host. */
const BELOW_HOSTS = ["assembly/", "core/", "priors/", "plugins/", "datasets/", "pipelines/", "deno.json", "mod.ts"];
/** Who may import whom. A file's rung is the first whose folder it lies in; it may import its own rung and those listed. */
const LADDER: readonly (readonly [folder: string, mayImport: readonly string[]])[] = [
  ["assembly/", []],
  ["core/testing/", ["core/"]],
  ["core/", []],
  ["priors/", ["core/"]],
  ["plugins/mod.ts", ["priors/", "plugins/", "core/"]],
  ["plugins/", ["core/"]],
  ["datasets/", ["plugins/mod.ts", "core/"]],
  ["pipelines/", ["datasets/", "plugins/", "core/"]],
  ["mod.ts", ["core/", "plugins/mod.ts", "datasets/", "pipelines/"]],
  ["hosts/deno/", BELOW_HOSTS],
  ["hosts/edge/", BELOW_HOSTS],
  ["hosts/node/", []],
  ["hosts/web/", BELOW_HOSTS],
];
/** Folders whose files must not import each other: no prior another prior, no command another command. */
const APART = ["priors/", "plugins/", "hosts/deno/commands/"];
/** What the other files of such a folder may import all the same: what commands share, and arithmetic in files of its own. */
const SHARED = [
  "hosts/deno/commands/flags/",
  "plugins/denoisers/gaussian.ts",
  "plugins/denoisers/mask_changes.ts",
  "plugins/metrics/balls.ts",
  "plugins/metrics/features/",
  "plugins/metrics/judge/",
  "plugins/metrics/metric_input.ts",
  "plugins/metrics/perplexity.ts",
  "priors/example/",
  "priors/mixture/",
];

/**
 * The rooms of the Deno host, from its ground floor, `system`, by way of the features to the commands, and the programs that build the
 * project. A room may import those before it. So no circle of rooms can come to be.
 */
const ROOMS = [
  "system",
  "folders",
  "threads",
  "data",
  "plugins",
  "workers",
  "packs",
  "page",
  "server",
  "runs",
  "queue",
  "experiments",
  "restorations",
  "assessments",
  "commands",
  "build",
];
/** The room of a file of the Deno host; of the programs beside the rooms, such as main.ts, there is none. */
const roomOf = (file: string) => /^hosts\/deno\/([^/]+)\//.exec(file)?.[1];
/** Files that programs of others begin with, in place of a room. */
const TEMPLATES = "templates";

/** Whether a file of the Deno host may import another file. */
function mayImportInDeno(from: string, to: string): boolean {
  const here = roomOf(from), there = roomOf(to);
  if (here === undefined || here === TEMPLATES) return true;
  // The ground floor stands on nothing but the configuration.
  if (!to.startsWith("hosts/deno/")) return here !== ROOMS[0] || to === "deno.json";
  if (there === undefined || !ROOMS.includes(here) || !ROOMS.includes(there)) return false;
  return ROOMS.indexOf(there) <= ROOMS.indexOf(here);
}

const isIn = (folders: readonly string[]) => (file: string) => folders.some((folder) => file.startsWith(folder));

/** Whether the file at `from` may import the file at `to`; both are paths below the project's root. */
export function mayImport(from: string, to: string): boolean {
  const rung = LADDER.find(([folder]) => from.startsWith(folder));
  if (!rung || from === to) return true;
  const [folder, allowed] = rung, apart = APART.find((other) => other.startsWith(folder) && from.startsWith(other));
  if (apart && to.startsWith(apart)) return isIn(SHARED)(to);
  if (from.startsWith("hosts/deno/") && !mayImportInDeno(from, to)) return false;
  return to.startsWith(folder) || isIn(allowed)(to);
}

/** Static imports and exports at the start of a line, so that examples in comments do not count. */
const STATIC = /^(?:(?:import|export)\s[^"';()=]*?from\s*|import\s*)"(\.[^"]+)"/gm;
/** Imports in the middle of code: `await import("./x.ts")`, or the type `import("./x.ts").X`. */
const WITHIN = /^(?!\s*(?:\*|\/[/*])).*\bimport\(\s*"(\.[^"]+)"/gm;

/** The relative specifiers that a module's source imports or exports from, types included. */
export function importedBy(source: string): string[] {
  return [STATIC, WITHIN].flatMap((pattern) => Array.from(source.matchAll(pattern), (match) => match[1]));
}

/** The shortest way back to `from` that starts with its import of `to`, as the files on it; undefined without one. */
export function circle(
  from: string,
  to: string,
  importsOf: (file: string) => readonly string[],
): string[] | undefined {
  const ways: string[][] = [[from, to]], seen = new Set([to]);
  for (const way of ways) {
    const last = way.at(-1)!;
    if (last === from) return way;
    for (const next of importsOf(last)) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
}

const root = new URL("../../", import.meta.url);

/** The path below the root of what a file's specifier names; undefined for packages and computed specifiers. */
function target(context: Deno.lint.RuleContext, specifier: unknown): { from: string; to: string } | undefined {
  if (typeof specifier !== "string" || !specifier.startsWith(".")) return;
  const file = new URL(`file://${context.filename}`);
  return {
    from: file.pathname.slice(root.pathname.length),
    to: new URL(specifier, file).pathname.slice(root.pathname.length),
  };
}

/** The files that a file on disk imports; none where there is no such file. */
function importsOnDisk(file: string): string[] {
  let source;
  try {
    source = Deno.readTextFileSync(new URL(file, root));
  } catch {
    return [];
  }
  return importedBy(source).map((specifier) =>
    new URL(specifier, new URL(file, root)).pathname.slice(root.pathname.length)
  );
}

/** A rule that calls `check` for every specifier of a file. */
const rule = (
  check: (context: Deno.lint.RuleContext) => (from: string, to: string) => string | undefined,
): Deno.lint.Rule => ({
  create(context) {
    const problem = check(context);
    const visit = (node: Deno.lint.Node, specifier: unknown) => {
      const found = target(context, specifier), message = found && problem(found.from, found.to);
      if (message) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => visit(node, node.source.value),
      ExportNamedDeclaration: (node) => visit(node, node.source?.value),
      ExportAllDeclaration: (node) => visit(node, node.source.value),
      ImportExpression: (node) => visit(node, node.source.type === "Literal" ? node.source.value : undefined),
      TSImportType: ({ argument }) => {
        if (argument.type === "TSLiteralType" && argument.literal.type === "Literal") {
          visit(argument, argument.literal.value);
        }
      },
    };
  },
});

const plugin: Deno.lint.Plugin = {
  name: "patchloom",
  rules: {
    "import-ladder": rule(() => (from, to) => {
      if (!mayImport(from, to)) return `${from} must not import ${to} (see the ladder)`;
    }),
    "no-import-circles": rule(() => {
      // A file is read once for all imports of the file that is linted.
      const known = new Map<string, string[]>();
      const importsOf = (file: string) => known.get(file) ?? known.set(file, importsOnDisk(file)).get(file)!;
      return (from, to) => {
        const way = LADDER.some(([folder]) => from.startsWith(folder)) ? circle(from, to, importsOf) : undefined;
        if (way) return `${way.join(" -> ")} is a circle`;
      };
    }),
  },
};
export default plugin;
