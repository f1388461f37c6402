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
  ["hosts/web/", BELOW_HOSTS],
];
/** Rungs whose files stand side by side and must not know each other: a prior sees no other prior. */
const APART = ["priors/", "plugins/"];
/** What the others on such a rung may import all the same: arithmetic that several of them need, no plugins. */
const SHARED = ["plugins/metrics/neighbours.ts", "plugins/metrics/perplexity.ts", "priors/example/", "priors/mixture/"];

/** Whether the file at `from` may import the file at `to`; both are paths below the project's root. */
export function mayImport(from: string, to: string): boolean {
  const rung = LADDER.find(([folder]) => from.startsWith(folder));
  if (!rung) return true;
  const [folder, allowed] = rung;
  if (to.startsWith(folder)) {
    return !APART.includes(folder) || from === to || SHARED.some((shared) => to.startsWith(shared));
  }
  return allowed.some((other) => to.startsWith(other));
}

const root = new URL("../../", import.meta.url);

function check(context: Deno.lint.RuleContext, node: Deno.lint.Node, specifier: unknown): void {
  if (typeof specifier !== "string" || !specifier.startsWith(".")) return;
  const file = new URL(`file://${context.filename}`);
  const from = file.pathname.slice(root.pathname.length);
  const to = new URL(specifier, file).pathname.slice(root.pathname.length);
  if (!mayImport(from, to)) context.report({ node, message: `${from} must not import ${to} (see the ladder)` });
}

const plugin: Deno.lint.Plugin = {
  name: "patchloom",
  rules: {
    "import-ladder": {
      create: (context) => ({
        ImportDeclaration: (node) => check(context, node, node.source.value),
        ExportNamedDeclaration: (node) => check(context, node, node.source?.value),
        ExportAllDeclaration: (node) => check(context, node, node.source.value),
        ImportExpression: (node) =>
          check(context, node, node.source.type === "Literal" ? node.source.value : undefined),
      }),
    },
  },
};
export default plugin;
