import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { opaqueRectangle } from "../../datasets/opaque.ts";

const largest = (...rows: string[]) => {
  const alpha = Uint8Array.from([...rows.join("")], (cell) => cell === "#" ? 255 : cell === "+" ? 254 : 0);
  return opaqueRectangle(alpha, { height: rows.length, width: rows[0].length });
};

Deno.test("opaqueRectangle: the largest without a transparent pixel", () => {
  assertEquals(largest("....", ".##.", ".###"), { y: 1, x: 1, height: 2, width: 2 });
  assertEquals(largest("#+#", "###"), { y: 1, x: 0, height: 1, width: 3 });
  assertEquals(largest("##", "##"), { y: 0, x: 0, height: 2, width: 2 });
  assertEquals(largest("..", "..").height, 0);
});

Deno.test("opaqueRectangle: as large as any, and opaque", () => {
  const cells = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(cells, (opaque) => {
      const width = 6, height = 5, alpha = Uint8Array.from(opaque, (is) => is ? 255 : 0);
      const isOpaque = (y: number, x: number, h: number, w: number) =>
        Array.from({ length: h * w }, (_, i) => alpha[(y + Math.floor(i / w)) * width + x + i % w]).every((a) =>
          a === 255
        );
      const found = opaqueRectangle(alpha, { height, width });
      assertEquals(isOpaque(found.y, found.x, found.height, found.width), true);
      let most = 0;
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          for (let h = 1; y + h <= height; h++) {
            for (let w = 1; x + w <= width; w++) if (isOpaque(y, x, h, w)) most = Math.max(most, h * w);
          }
        }
      }
      assertEquals(found.height * found.width, most);
    }),
    { numRuns: 60 },
  );
});
