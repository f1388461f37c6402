import { assertEquals } from "@std/assert";
import { noPicture, skippedFiles, withoutFaces } from "../../../../hosts/web/views/unreadable.ts";

Deno.test("unreadable: files are named, and photographs in HEIC with what helps", () => {
  assertEquals(
    noPicture("notes.docx"),
    "Cannot use notes.docx: it is neither a picture that this browser reads, such as PNG or JPEG, nor a saved pack (.loom).",
  );
  const heic = "Cannot use IMG_1.HEIC: this browser does not read HEIC. Save the photograph as JPEG first.";
  assertEquals(noPicture("IMG_1.HEIC"), heic);
  assertEquals(skippedFiles([]), []);
  assertEquals(skippedFiles(["a.txt", "b", "c", "d", "e.heif"]), [
    "Skipped files that are no pictures: a.txt, b, c and 1 more.",
    "Skipped e.heif. This browser does not read HEIC: save such photographs as JPEG first.",
  ]);
  assertEquals(skippedFiles(["a.heic", "b.heif"]), [
    "Skipped a.heic, b.heif. This browser does not read HEIC: save such photographs as JPEG first.",
  ]);
  assertEquals(withoutFaces([]), []);
  assertEquals(withoutFaces(["1.jpg", "2.jpg"]), ["Left out files in which no face was found: 1.jpg, 2.jpg."]);
});
