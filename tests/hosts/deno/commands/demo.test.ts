import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { respond, servePage } from "../../../../hosts/deno/page/serve_page.ts";
import { openSynthesizer } from "../../../../pipelines/synthesis/synthesizer.ts";
import { readPack } from "../../../../datasets/formats/pack.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { newKernels } from "../../../datasets/formats/packs.ts";
import { PAGE } from "../../../../hosts/deno/page/package_page.ts";
import { assertSentence, cli, files, start, withFolder } from "../cli.ts";

Deno.test("demo --out: a folder with all that the page asks for", async () => {
  await withFolder(async (folder) => {
    const out = join(folder, "page"), { code, stdout, stderr } = await cli(["demo", "--out", out]);
    assertEquals([code, stdout], [0, ""], stderr);
    assertMatch(stderr, /page: 12 files, \d\.\d MB, for any static host\n$/);
    assertEquals(await files(out), [
      "digits.loom",
      "eye_finder.json",
      "faces.loom",
      "icon.svg",
      "index.html",
      "kernels.wasm",
      "manifest.webmanifest",
      "objects.loom",
      "offline.js",
      "page.js",
      "run.json",
      "style.css",
      "worker.js",
    ]);
    const kernels = await Deno.readFile(new URL("../../../../assembly/kernels.wasm", import.meta.url));
    assertEquals(await Deno.readFile(join(out, "kernels.wasm")), kernels);
    for (
      const [name, profile, least] of [["digits", "digits-paper", 1500], ["faces", "faces", 100], [
        "objects",
        "objects",
        100,
      ]] as const
    ) {
      const pack = readPack(await Deno.readFile(join(out, `${name}.loom`)));
      assertEquals(openSynthesizer(newKernels(), pack, builtins).pack.profile.name, profile);
      assert(pack.train.images.count >= least);
    }
    // Whatever the page asks for is there, by a relative address: it works below any path.
    const html = await Deno.readTextFile(join(out, "index.html"));
    for (const [, link] of html.matchAll(/<(?!a )[^>]* (?:src|href)="([^"#]+)"/g)) {
      if (!link.startsWith("data:")) assert((await files(out)).includes(link), link);
    }
    assert(html.includes(`<a href="${PAGE}">Source code</a>`), "no link to the repository");
    for (const name of ["page.js", "worker.js"]) {
      assert(
        !/https?:\/\/(?!www\.w3\.org)/.test(await Deno.readTextFile(join(out, name))),
        `${name} asks another host`,
      );
    }
  });
});

Deno.test("demo: serves the page on this machine until Ctrl-C, and says where", async () => {
  const child = start(["demo", "--port", "0", "--quiet"]), reader = child.stdout.getReader();
  const { value } = await reader.read(), line = new TextDecoder().decode(value);
  assertMatch(line, /^http:\/\/127\.0\.0\.1:\d+\/\n$/);
  const get = async (path: string) => {
    const response = await fetch(new URL(path, line.trim()));
    return [response.status, response.headers.get("content-type"), (await response.bytes()).length > 0];
  };
  assertEquals(await get(""), [200, "text/html; charset=utf-8", true]);
  assertEquals(await get("worker.js"), [200, "text/javascript; charset=utf-8", true]);
  assertEquals(await get("kernels.wasm"), [200, "application/wasm", true]);
  assertEquals((await get("../deno.json"))[0], 404);
  const port = new URL(line.trim()).port;
  // The port is asked for before the page is built, which takes a while.
  const build = () => Promise.reject(new Error("built"));
  const sentence = `Cannot serve on port ${port}: Address already in use`;
  await assertRejects(() => servePage(Number(port), () => {}, build), Error, sentence);
  const { message } = await assertRejects(() => servePage(0, () => {}, build), Error);
  assertEquals(message, "built", "what fails in the building is not a port");
  child.kill("SIGINT");
  reader.releaseLock();
  await child.stdout.cancel();
  await child.stderr.cancel();
  assertEquals((await child.status).code, 0);
});

Deno.test("demo: wrong flags and folders that cannot be written are one sentence", async () => {
  assertSentence(await cli(["demo", "--port", "70000"]), 2, "--port 70000", "65535");
  assertSentence(await cli(["demo", "--out", "x", "--port", "1"]), 2, "--out", "--port");
  assertSentence(await cli(["demo", "there"]), 2, "there");
  assertSentence(await cli(["demo", "--quiet", "--out", "/dev/null/page"]), 1, "--out /dev/null/page");
});

Deno.test("respond: the page's files and nothing else", async () => {
  const page = new Map([["index.html", new TextEncoder().encode("hello")]]);
  assertEquals(await respond(page, "/").text(), "hello");
  for (const path of ["/x", "/../deno.json", "//index.html", "/constructor"]) {
    assertEquals(respond(page, path).status, 404, path);
  }
});
