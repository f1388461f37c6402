/**
 * Signs the address of an object in a store: a program of its own, without any permission, so that nobody downloads its package who
 * uses no store. The keys come on the standard input, where no other user of the machine sees them.
 */
import type { ObjectToSign } from "./object_store.ts";

/** The package, with its version. It is imported by a variable: Deno would download what it finds by reading the source. */
const AWS4FETCH = "npm:aws4fetch@1.0.20";
/** Seconds for which the address is valid. A transfer that began earlier goes on; one that is continued gets another address. */
const VALID = 3600;

const { url, keys }: ObjectToSign = JSON.parse(await new Response(Deno.stdin.readable).text());
const { AwsClient } = await import(AWS4FETCH), address = new URL(url);
address.searchParams.set("X-Amz-Expires", String(VALID));
const signed: Request = await new AwsClient({ ...keys, service: "s3" }).sign(address.href, {
  aws: { signQuery: true },
});
console.log(signed.url);
