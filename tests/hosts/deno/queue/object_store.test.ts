/** Packs in object stores: whose requests a store accepts is computed here anew, and checked with an example of Amazon's. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { createHash, createHmac } from "node:crypto";
import { readObjectStore } from "../../../../hosts/deno/queue/object_store.ts";
import { packFinder } from "../../../../hosts/deno/queue/packs.ts";
import { withFolder } from "../cli.ts";

/** The keys of the examples in Amazon's documentation of S3. */
const KEYS = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const from = (variables: Record<string, string>) => (name: string) => variables[name];

/** The signature (version 4) of a request to read an object, as a store computes it from the secret key. */
function signatureOf(url: URL, secret: string): string {
  const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest();
  const query = [...url.searchParams].filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encodeURIComponent).join("=")).sort().join("&");
  const request = ["GET", url.pathname, query, `host:${url.host}\n`, "host", "UNSIGNED-PAYLOAD"].join("\n");
  const scope = url.searchParams.get("X-Amz-Credential")!.split("/").slice(1);
  const hashed = createHash("sha256").update(request).digest("hex");
  const text = ["AWS4-HMAC-SHA256", url.searchParams.get("X-Amz-Date"), scope.join("/"), hashed].join("\n");
  return hmac(scope.reduce<string | Uint8Array>(hmac, `AWS4${secret}`), text).toString("hex");
}

Deno.test("object store: the signature that the tests expect is that of Amazon's example", () => {
  const url = new URL("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256");
  url.searchParams.set("X-Amz-Credential", `${KEYS.AWS_ACCESS_KEY_ID}/20130524/us-east-1/s3/aws4_request`);
  url.searchParams.set("X-Amz-Date", "20130524T000000Z");
  url.searchParams.set("X-Amz-Expires", "86400");
  url.searchParams.set("X-Amz-SignedHeaders", "host");
  assertEquals(
    signatureOf(url, KEYS.AWS_SECRET_ACCESS_KEY),
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

Deno.test("object store: a worker fetches a pack with its user's keys, goes on where it was cut off, and names no signature", async () => {
  const pack = crypto.getRandomValues(new Uint8Array(5000));
  const sha256 = createHash("sha256").update(pack).digest("hex"), ranges: (string | null)[] = [];
  await using store = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const url = new URL(request.url),
      range = request.headers.get("range"),
      first = Number(/\d+/.exec(range ?? "")?.[0] ?? 0);
    const isSigned = url.searchParams.get("X-Amz-Signature") === signatureOf(url, KEYS.AWS_SECRET_ACCESS_KEY);
    if (!isSigned || url.searchParams.get("X-Amz-Expires") !== "3600") return new Response(null, { status: 403 });
    assertEquals(url.pathname, "/bucket/packs/some-digits.loom");
    ranges.push(range);
    if (first === 0) return new Response(new Blob([pack.slice(0, 1000)]).stream());
    return new Response(pack.slice(first), { status: 206, headers: { "content-range": `bytes ${first}-` } });
  });
  const endpoint = { AWS_ENDPOINT_URL: `http://127.0.0.1:${store.addr.port}/` };
  await withFolder(async (cache) => {
    const places = { folders: [], packUrls: ["s3://bucket/packs/"], cache };
    const job = { from: "s3://bucket/packs/some-digits.loom", bytes: pack.length, sha256 };
    const wrong = readObjectStore(from({ ...KEYS, ...endpoint, AWS_SECRET_ACCESS_KEY: "another" }));
    const { message } = await assertRejects(() => packFinder({ ...places, store: wrong })(job), Error, "403");
    assert(!/Amz|AKIA|another/.test(message), message);

    const right = packFinder({
      ...places,
      store: readObjectStore(from({ ...KEYS, ...endpoint, AWS_REGION: "eu-west-1" })),
    });
    await assertRejects(() => right(job), Error, "run again to continue");
    const path = await right(job);
    assertEquals(path, join(cache, "packs", sha256, "some-digits.loom"));
    assertEquals(await Deno.readFile(path), pack);
    assertEquals(ranges, [null, "bytes=1000-"]);
    await assertRejects(
      () => right({ ...job, from: "s3://other/packs/some-digits.loom", sha256: "0" }),
      Error,
      "--pack-url",
    );
  });
});

Deno.test("object store: what is missing is named", () => {
  const { endpoint, keys } = readObjectStore(from({ ...KEYS, AWS_REGION: "eu-north-1" }));
  assertEquals([endpoint, keys.region], ["https://s3.eu-north-1.amazonaws.com", "eu-north-1"]);
  assertThrows(() => readObjectStore(() => undefined), Error, "AWS_ACCESS_KEY_ID");
  for (const AWS_ENDPOINT_URL of ["store", "ftp://store", "https://me:secret@store", "https://store?a"]) {
    assertThrows(
      () => readObjectStore(from({ ...KEYS, AWS_ENDPOINT_URL })),
      Error,
      "Cannot use AWS_ENDPOINT_URL: expected",
    );
  }
});
