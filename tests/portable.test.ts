/** Everything below the hosts runs anywhere: no Deno, no DOM, no clock, no random numbers of the engine. */
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const root = fromFileUrl(new URL("../", import.meta.url));

/** All TypeScript files below a folder of the project. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? sources(path) : name.endsWith(".ts") ? [path] : [];
  });
}

Deno.test("core type-checks as a web worker's code, without Deno", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const config = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(
      config,
      JSON.stringify({
        imports,
        nodeModulesDir: "none",
        compilerOptions: { lib: ["esnext", "webworker"], types: [join(root, "hosts/deno/std.d.ts")] },
      }),
    );
    const check = async (...files: string[]) => {
      const args = ["check", "--config", config, "--no-lock", ...files];
      const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
      return { code, said: new TextDecoder().decode(stderr) };
    };
    const core = await check(...sources("core").map((file) => join(root, file)));
    assertEquals(core.code, 0, core.said);
    // The check really hides what core must not use.
    const probe = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(probe, "export const here = [Deno.pid, document.title];\n");
    const { said } = await check(probe);
    await Deno.remove(probe);
    assertEquals(["Deno", "document"].filter((name) => !said.includes(`Cannot find name '${name}'`)), [], said);
  } finally {
    await Deno.remove(config);
  }
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
