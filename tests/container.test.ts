/** `Dockerfile`: what can be checked without a container engine. Its steps are those that `tests/hosts/node/` runs from npm. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DENO, PARTS } from "../hosts/deno/build/build_command.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../${path}`, import.meta.url));
const dockerfile = read("Dockerfile");

Deno.test("Dockerfile: one version of Deno everywhere, pinned", () => {
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image).filter((image) => image !== "app");
  const [image, ...others] = new Set(images), [name, digest] = image.split("@");
  assertEquals([name, others], [`denoland/deno:debian-${DENO}`, []]);
  assertMatch(digest, /^sha256:[0-9a-f]{64}$/);
  for (
    const file of [
      "README.md",
      "CONTRIBUTING.md",
      ".ci/run",
      ".github/workflows/ci.yml",
      ".github/workflows/release.yml",
      "docs/command_line.md",
      "docs/library.md",
      "docs/python.md",
      "examples/patchloom.ipynb",
    ]
  ) {
    for (const [, version] of read(file).matchAll(/deno@([\d.]+\d)/g)) assertEquals(version, DENO, file);
  }
});

Deno.test("Dockerfile: copies what the commands need and nothing else, and runs without rights", () => {
  const [all, ...allowed] = read(".dockerignore").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assertEquals(all, "*");
  const paths = allowed.map((line) => line.replace(/^!/, ""));
  for (const path of paths) Deno.statSync(new URL(`../${path}`, import.meta.url));
  for (const part of [...PARTS, "LICENSE", "deno.json", "deno.lock"]) assert(paths.includes(part), part);
  assert(!paths.some((path) => /^(tests|docs|bench|\.git|out)$/.test(path)), paths.join());
  for (const [, path] of dockerfile.matchAll(/\/app\/([\w./]+\.[jt]s)"/g)) {
    Deno.statSync(new URL(`../${path}`, import.meta.url));
  }
  // Workers run as the user who owns their folder, who cannot download packages into the container.
  const locked = Object.keys(JSON.parse(read("hosts/deno/queue/engine.lock")).specifiers);
  assertEquals(dockerfile.match(/npm:[\w-]+@[\d.]+/g), locked);
  const stages = dockerfile.split(/^FROM /m);
  assert(stages.find((stage) => stage.includes("AS app"))!.includes("\nUSER deno\n"));
  assert(stages.find((stage) => stage.includes("AS server"))!.includes("HEALTHCHECK"));
});

Deno.test("Dockerfile: the check asks for the health of the server at the port that PORT names", async () => {
  const [, words] = /^HEALTHCHECK .*\\\n +CMD (\[.*\])$/m.exec(dockerfile)!, [program, ...args] = JSON.parse(words);
  assertEquals(program, "deno");
  for (const status of [200, 500]) {
    const asked: string[] = [];
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
      asked.push(new URL(url).pathname);
      return new Response(null, { status });
    });
    const env = { PORT: String(server.addr.port) };
    const { code } = await new Deno.Command(Deno.execPath(), { args, env }).output();
    assertEquals([code, asked], [status === 200 ? 0 : 1, ["/health"]]);
    await server.shutdown();
  }
});
