/**
 * Two lint rules on length: `short-functions` keeps functions to 60 lines and `short-files` keeps files to 350, in all that is not
 * a test. What has to be longer says why: `// deno-lint-ignore patchloom-length/short-functions -- because ...`.
 */

/** Lines of a function, and of a file, at most. */
export const MAX_FUNCTION = 60, MAX_FILE = 350;

const root = new URL("../../", import.meta.url).pathname;
const isMeasured = (file: string) => !/^(tests|out)\//.test(file);

/** The path of a linted file below the root. */
function pathOf({ filename }: Deno.lint.RuleContext): string {
  return new URL(`file://${filename}`).pathname.slice(root.length);
}

/** The number of lines of a text. */
function linesOf(text: string): number {
  return text.trimEnd().split("\n").length;
}

type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/** The name of a function, or of what holds it: a variable, a property, a method. */
function nameOf(node: FunctionNode): string {
  if ("id" in node && node.id) return node.id.name;
  const { parent } = node;
  if (parent.type === "VariableDeclarator" && parent.id.type === "Identifier") return parent.id.name;
  if (parent.type === "Property" || parent.type === "MethodDefinition") {
    if (parent.key.type === "Identifier") return parent.key.name;
    if (parent.key.type === "PrivateIdentifier") return `#${parent.key.name}`;
  }
  return "a function";
}

const plugin: Deno.lint.Plugin = {
  name: "patchloom-length",
  rules: {
    "short-functions": {
      create(context) {
        const file = pathOf(context);
        if (!isMeasured(file)) return {};
        const check = (node: FunctionNode) => {
          const lines = linesOf(context.sourceCode.getText(node));
          if (lines <= MAX_FUNCTION) return;
          const message = `${nameOf(node)} has ${lines} lines: expected at most ${MAX_FUNCTION}`;
          context.report({ node, message });
        };
        return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
      },
    },
    "short-files": {
      create(context) {
        const file = pathOf(context);
        if (!isMeasured(file)) return {};
        return {
          Program(node) {
            const lines = linesOf(context.sourceCode.text);
            if (lines <= MAX_FILE) return;
            const message = `${file} has ${lines} lines: expected at most ${MAX_FILE}`;
            context.report({ node, message });
          },
        };
      },
    },
  },
};
export default plugin;
