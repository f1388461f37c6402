import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DOWNLOADS } from "../../../../hosts/deno/data/downloads.ts";
import { pull } from "../../../../hosts/deno/data/pull.ts";
import { type Answer, assertComplete, CONTENT, download, half, noise, ranged, whole, withMirror } from "./mirror.ts";
import { withFolder } from "../with_folder.ts";

const quiet = () => {};

Deno.test("pull: what broke off is continued, whether the server says so or not", async () => {
  for (const ends of [true, false]) {
    await withFolder((folder) =>
      withMirror(async (mirror) => {
        const wanted = await download(mirror.url);
        mirror.answer = (content, from) => content.length > 100_000 ? half(content, ends) : ranged(content, from);
        const error = await assertRejects(
          () => pull(wanted, folder, quiet),
          Error,
          `Cannot fetch train.gz: ${mirror.url}/train.gz`,
        );
        if (ends) assertStringIncludes(error.message, "ended after 100000 of 300000 bytes; run again to continue");
        const { size } = await Deno.stat(join(folder, "train.gz.part"));
        assertEquals(size, 100_000);
        mirror.answer = ranged;
        assertEquals(await pull(wanted, folder, quiet), 1);
        assertEquals(mirror.requests, ["test.gz 0", "train.gz 0", "train.gz 100000"]);
        await assertComplete(folder);
      })
    );
  }
});

Deno.test("pull: a disk that is full is the reason that is said", async () => {
  if (Deno.build.os !== "linux") return; // other systems have no device that is full
  await withFolder((folder) =>
    withMirror(async (mirror) => {
      const wanted = await download(mirror.url), part = join(folder, "test.gz.part");
      await Deno.symlink("/dev/full", part);
      await assertRejects(
        () => pull(wanted, folder, quiet),
        Error,
        `Cannot fetch test.gz: ${mirror.url}/test.gz was not written to ${part}: no space is left on the disk`,
      );
    })
  );
});

Deno.test("pull: a part is begun anew where the server does not continue it or it is wrong", async () => {
  await withFolder((folder) =>
    withMirror(async (mirror) => {
      const wanted = await download(mirror.url), part = join(folder, "train.gz.part"), content = CONTENT["train.gz"];
      mirror.answer = whole; // a server without Range
      await Deno.writeFile(part, content.subarray(0, 5000));
      await pull(wanted, folder, quiet);
      await assertComplete(folder);

      const again = async (bytes: Uint8Array, answer: Answer) => {
        await Deno.remove(join(folder, "train.gz")).catch(() => {});
        await Deno.writeFile(part, bytes);
        mirror.answer = answer;
        mirror.requests.length = 0;
        await pull(wanted, folder, quiet);
        await assertComplete(folder);
        return mirror.requests;
      };
      assertEquals(await again(content, ranged), [], "a whole part is only put in its place");
      assertEquals(await again(noise(300_001, 4), ranged), ["train.gz 0"], "too long");
      assertEquals(await again(noise(300_000, 4), ranged), ["train.gz 0"], "as long, but wrong");

      const refused = (sentence: string, answer: Answer) =>
        assertRejects(() => again(content.subarray(0, 10), answer), Error, sentence);
      const headers = { "content-range": "bytes 0-299999/300000" };
      await refused("continued at another place than byte 10", (content) =>
        new Response(content, { status: 206, headers }));
      await assertRejects(() =>
        Deno.stat(part), Deno.errors.NotFound);
      await refused("answered 416", () => new Response(null, { status: 416 }));
      await assertRejects(() => Deno.stat(part), Deno.errors.NotFound);
      await refused("answered 503", () => new Response(null, { status: 503 }));
      assertEquals((await Deno.stat(part)).size, 10, "a server in trouble is no reason to throw the part away");
      await refused("offers 20 bytes: expected 300000", () => new Response("<html>Welcome</html>"));
    })
  );
});

Deno.test("pull: wrong bytes are deleted, and the next mirror is tried", async () => {
  await withFolder((folder) =>
    withMirror(async (mirror) => {
      const said: string[] = [], say = (text: string) => said.push(text);
      const wrong = (content: Uint8Array<ArrayBuffer>) => new Response(noise(content.length, 5));
      mirror.answer = wrong;
      const sentence =
        /^Cannot fetch test.gz: http.*test.gz sent other bytes: expected SHA-256 [0-9a-f]{64}, got [0-9a-f]{64}; they were deleted$/;
      const error = await assertRejects(async () => await pull(await download(mirror.url), folder, say), Error);
      assertMatch(error.message, sentence);
      assertEquals([...Deno.readDirSync(folder)], []);

      mirror.answer = (content, from) => mirror.requests.length % 2 === 0 ? wrong(content) : ranged(content, from);
      mirror.requests.length = 1;
      assertEquals(await pull(await download(mirror.url, mirror.url), folder, say), 2);
      await assertComplete(folder);
      assertEquals(said.filter((line) => line.endsWith("; trying the next mirror")).length, 2);

      await Deno.remove(join(folder, "test.gz"));
      const missing = {
        mirrors: [`${mirror.url}/`, "http://127.0.0.1:9/x"],
        files: [{ name: "no.gz", bytes: 1, sha256: "" }],
      };
      const both = await assertRejects(
        () => pull(missing, folder, say),
        Error,
        "/mnist/no.gz answered 404 Not Found; http://127.0.0.1:9/",
      );
      assert(!both.message.includes("\n"));
    })
  );
});

Deno.test("pull: a server that says nothing is given up", async () => {
  await withFolder((folder) =>
    withMirror(async (mirror) => {
      let release = () => {};
      mirror.answer = (content) =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(content.subarray(0, 500));
              release = () => controller.close();
            },
            cancel() {
              release = () => {};
            },
          }),
        );
      const wanted = await download(mirror.url);
      await assertRejects(
        () => pull(wanted, folder, quiet, 200),
        Error,
        "sent nothing for 0.2 s; run again to continue",
      );
      assertEquals((await Deno.stat(join(folder, "test.gz.part"))).size, 500);
      release();
    })
  );
});

Deno.test("DOWNLOADS: the table of mnist is that of the four files, training images last", () => {
  const { files, mirrors } = DOWNLOADS.mnist;
  assertEquals(files.map(({ name }) => name).at(-1), "train-images-idx3-ubyte.gz");
  assertEquals([files.length, mirrors.length], [4, 2]);
  for (const { sha256 } of files) assertMatch(sha256, /^[0-9a-f]{64}$/);
});
