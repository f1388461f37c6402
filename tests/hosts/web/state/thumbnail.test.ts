import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { thumbnailOf } from "../../../../hosts/web/state/thumbnail.ts";

/** The pixels of a thumbnail. */
function pixelsOf(address: string | undefined) {
  const begin = "data:image/png;base64,";
  assert(address!.startsWith(begin), address);
  const { width, height, data } = decode(Uint8Array.fromBase64(address!.slice(begin.length)));
  return { width, height, data: [...data] };
}

Deno.test("thumbnailOf: small examples keep their pixels, transparent ones too; larger ones are reduced", () => {
  const magenta = [255, 0, 255] as const, small = { height: 1, width: 2, channels: 3 };
  const pictures = [Uint8Array.of(255, 9, 0, 8, 255, 7)]; // planes of red, green and blue
  assertEquals(pixelsOf(thumbnailOf({ examples: [{ pictures }], exampleShape: small, transparent: magenta })), {
    width: 2,
    height: 1,
    data: [255, 0, 255, 0, 9, 8, 7, 255],
  });
  const large = { height: 64, width: 128, channels: 1 },
    ramp = Uint8Array.from({ length: 64 * 128 }, (_, i) => i % 128);
  const { width, height, data } = pixelsOf(thumbnailOf({ examples: [{ pictures: [ramp] }], exampleShape: large }));
  assertEquals([width, height, data.slice(0, 8)], [32, 16, [0, 0, 0, 255, 4, 4, 4, 255]]);
  assertEquals(thumbnailOf({ examples: [], exampleShape: small }), undefined);
});
