/** Everything below the hosts runs anywhere: no Deno, no DOM, no clock, no random numbers of the engine. */
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import configuration from "../deno.json" with { type: "json" };

const root = fromFileUrl(new URL("../", import.meta.url));

/** All TypeScript files below a folder of the project. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? sources(path) : name.endsWith(".ts") ? [path] : [];
  });
}

/** Checks the types of files with what some hosts know, and returns what is said; undefined if nothing is wrong. */
async function typeFaults(lib: readonly string[], files: readonly string[]): Promise<string | undefined> {
  const { imports } = configuration,
    config = await Deno.makeTempFile({ suffix: ".json" }),
    types = [join(root, "hosts/deno/std.d.ts")];
  try {
    const settings = { imports, nodeModulesDir: "none", compilerOptions: { lib, types } };
    await Deno.writeTextFile(config, JSON.stringify(settings));
    const args = ["check", "--config", config, "--no-lock", ...files];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
    return success ? undefined : new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(config);
  }
}

/** As `typeFaults`, of a text. */
async function faultsOfText(lib: readonly string[], text: string): Promise<string> {
  const probe = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(probe, text);
    return await typeFaults(lib, [probe]) ?? "";
  } finally {
    await Deno.remove(probe);
  }
}

Deno.test("core type-checks as a web worker's code, without Deno", async () => {
  const worker = ["esnext", "webworker"];
  assertEquals(await typeFaults(worker, sources("core").map((file) => join(root, file))), undefined);
  // The check really hides what core must not use.
  const said = await faultsOfText(worker, "export const here = [Deno.pid, document.title];\n");
  assertEquals(["Deno", "document"].filter((name) => !said.includes(`Cannot find name '${name}'`)), [], said);
});

Deno.test("the library, the handler and the page use nothing that is younger than Node 20 and its browsers", async () => {
  // ES2023 and what Node 20 has of ES2024.
  const node = ["es2023", "es2024.string", "dom", "dom.iterable"];
  const entries = [...Object.values(configuration.exports), ...sources("hosts/web")];
  assertEquals(await typeFaults(node, entries.map((file) => join(root, file))), undefined);
  // The types of the DOM have it, the first versions of Node 20 do not.
  const parsing = [...sources("hosts/edge"), ...sources("pipelines"), ...sources("datasets"), ...sources("core")];
  assertEquals(parsing.filter((path) => /\bURL\.parse\(/.test(Deno.readTextFileSync(join(root, path)))), []);
  const said = await faultsOfText(node, "export const younger = new Map([[1, 2]]).keys().take(1).toArray();\n");
  assertEquals(said.includes("'take' does not exist"), true, said);
});

/** Names that portable, reproducible code does not use. */
const FORBIDDEN =
  /\b(Deno|document|window\s*\.|fetch|console|Math\s*\.\s*random|Date|performance|crypto|setTimeout|process)\b/g;

/** Comments and texts in quotes, the text of a template up to its end or its next `${`, and any other character. */
const TOKEN = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\])*"|[\s\S]/gy;
const TEMPLATE_TEXT = /(?:\\.|[^`\\$]|\$(?!\{))*(?:`|\$\{)/gy;

/** A source text without its comments and its texts; the expressions of templates are code. */
function code(text: string): string {
  let out = "", at = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [token] = pattern.exec(text) ?? [""];
    at = token ? pattern.lastIndex : text.length;
    return token;
  };
  // How many braces are open in the expression of each template around.
  const braces: number[] = [];
  const template = () => next(TEMPLATE_TEXT).endsWith("${") ? braces.push(0) : undefined;
  while (at < text.length) {
    const token = next(TOKEN);
    out += token.length > 1 ? " " : token;
    if (token === "`") template();
    if (braces.length === 0) continue;
    if (token === "{") braces[braces.length - 1]++;
    if (token === "}" && braces[braces.length - 1]-- === 0) {
      braces.pop();
      template();
    }
  }
  assertEquals(braces.length, 0, "a template is not closed");
  return out;
}

Deno.test("code: comments and texts are no code", () => {
  const text = 'a(); // Date\n/* fetch\n * console */ b("Deno \\" Date"); `${performance.now()}` Math.random()';
  assertEquals(code(text).match(FORBIDDEN), ["performance", "Math.random"]);
  const templates =
    "`Date ${a ? `fetch ${{ b: { c: Deno } }.b} process` : crypto} \\`Date $ ${1}console` + performance";
  assertEquals(code(templates).match(FORBIDDEN), ["Deno", "crypto", "performance"]);
});

/** A pause between the steps of a long computation, which every host has and which changes no result. */
const ALLOWED = ["pipelines/report/embed.ts: setTimeout"];

for (const folder of ["core", "priors", "plugins", "datasets", "pipelines"]) {
  Deno.test(`${folder} uses nothing of a host`, () => {
    const found = sources(folder).flatMap((file) => {
      const names = code(Deno.readTextFileSync(join(root, file))).match(FORBIDDEN) ?? [];
      return names.map((name) => `${file}: ${name}`);
    });
    assertEquals(found.filter((one) => !ALLOWED.includes(one)), []);
  });
}
