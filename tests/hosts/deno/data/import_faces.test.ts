import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { imagesFromIdx } from "../../../../datasets/formats/idx.ts";
import { dataCommand } from "../in_process.ts";
import { findData } from "../../../../hosts/deno/data/find_data.ts";
import { importFaces } from "../../../../hosts/deno/data/import_faces.ts";
import { jpegOf, pngOf, type Scene } from "./photographs.ts";
import { withFolder } from "../with_folder.ts";

const near = (x: number, y: number, eye: number) => Math.hypot(x - eye, y - 70) < 9;
/** 200x160, bright at the left eye (60, 70), dark at the right one (120, 70). */
const face: Scene = (x, y) => near(x, y, 60) ? 250 : near(x, y, 120) ? 10 : 128;

/** Twenty photographs, PNG and JPEG in turn, one of them on its side, and the table of their eyes. */
async function withPhotographs(run: (folder: string, eyes: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    let table = "file,left_x,left_y,right_x,right_y\n";
    for (let i = 0; i < 20; i++) {
      const name = i % 2 ? `${i}.jpg` : `${i}.png`;
      await Deno.writeFile(join(folder, name), (i % 2 ? jpegOf : pngOf)(200, 160, face));
      table += `${name},60,70,120,70\n`;
    }
    await Deno.writeFile(join(folder, "1.jpg"), jpegOf(160, 200, (column, row) => face(199 - row, column), 6));
    const eyes = join(folder, "eyes.csv");
    await Deno.writeTextFile(eyes, table);
    await run(folder, eyes);
  });
}

Deno.test("data import: the eyes of every photograph come to lie at (44, 52) and (84, 52)", async () => {
  await withPhotographs(async (folder, eyes) => {
    const printed: string[] = [], env = { HOME: folder }, out = join(folder, ".cache/patchloom/faces");
    const words = ["import", folder, "--eyes", eyes, "--out", out];
    await dataCommand(words, { env, print: (text) => printed.push(text) });
    assertEquals(printed, [
      `18 training and 2 test images of 128x128 pixels are in ${out}`,
      `Make others like them: deno task synth --profile faces --data ${out}`,
    ]);
    const data = await findData("faces", undefined, env);
    assertEquals(data.origin, `faces, 18 + 2 images from ${out}`);
    for (const { images: { count, height, width, pixels } } of [data.train, data.test]) {
      assertEquals([height, width], [128, 128]);
      for (let i = 0; i < count; i++) {
        const image = pixels.subarray(i * 128 * 128, (i + 1) * 128 * 128);
        const found = [image[52 * 128 + 44], image[52 * 128 + 84], image[52 * 128 + 64], image[0]];
        [250, 10, 128, 128].forEach((grey, k) => assert(Math.abs(found[k] - grey) <= 4, `image ${i}: ${found}`));
      }
    }
    assertEquals(Array.from(Deno.readDirSync(out), ({ name }) => name).sort(), [
      "run.json",
      "test-images-idx3-ubyte",
      "train-images-idx3-ubyte",
    ]);
  });
});

Deno.test("importFaces: any share is held out in the order of the table; two photographs suffice", async () => {
  await withPhotographs(async (folder, eyes) => {
    const out = join(folder, "out");
    assertEquals(await importFaces(folder, eyes, out, 25), { train: 15, test: 5 });
    // Columns in any order, blank lines, quotes, CRLF, a byte order mark, and the eyes the other way round.
    const table =
      '\ufeffright_x,right_y,left_x,left_y,who,file\r\n\r\n60,70,120,70,"A, B",0.png\r\n60,70, 120 ,70,,"1.jpg"\r\n';
    await Deno.writeTextFile(eyes, table);
    assertEquals(await importFaces(folder, eyes, out, 10), { train: 1, test: 1 });
    const { pixels } = imagesFromIdx(await Deno.readFile(join(out, "train-images-idx3-ubyte")), "out");
    assertEquals([pixels[52 * 128 + 44], pixels[52 * 128 + 84]], [250, 10]);
  });
});

Deno.test("data import: one photograph is aligned to be restored, and the command for it is printed", async () => {
  await withPhotographs(async (folder, eyes) => {
    await Deno.writeTextFile(eyes, "file,left_x,left_y,right_x,right_y\n0.png,60,70,120,70");
    for (const colour of [true, false]) {
      const printed: string[] = [], out = join(folder, colour ? "coloured" : "grey");
      const said = { env: { HOME: folder }, print: (text: string) => printed.push(text) };
      await dataCommand(["import", folder, "--eyes", eyes, ...colour ? ["--colour"] : [], "--out", out], said);
      const file = join(out, colour ? "train/0000.png" : "train-images-idx3-ubyte");
      assert((await Deno.stat(file)).isFile);
      assertEquals(printed, [
        `1 image of 128x128 pixels${
          colour ? " in colour" : ""
        } is ${file}: too few to make others from, but it can be restored`,
        `Fill what is white in a mask: deno task restore --profile ${colour ? "colour-faces --size 128" : "faces"} ` +
        `--task inpaint --mask MASK.png --degraded ${file}`,
      ]);
    }
  });
});

Deno.test("importFaces: an error names the file and the line of the table, and nothing is written", async () => {
  await withPhotographs(async (folder, eyes) => {
    const header = "file,left_x,left_y,right_x,right_y";
    const whole = jpegOf(200, 160, face);
    await Deno.writeFile(join(folder, "broken.jpg"), whole.subarray(0, whole.length >> 1));
    await Deno.writeTextFile(join(folder, "text.png"), "not an image");
    const wrong: [string, string][] = [
      ["", `expected the columns ${header}, got no line (missing: file, left_x`],
      ["file,left_x,left_y,right_x\n0.png,1,2,3", "(missing: right_y)"],
      [header, "eyes.csv: expected a line for each photograph, got only the header"],
      [`${header}\n0.png,60,70,120`, "eyes.csv line 2: expected 5 fields, got 4"],
      [`${header}\n\n0.png,60,70,120,NaN`, 'eyes.csv line 3: expected a number of pixels as right_y, got "NaN"'],
      [`${header}\n0.png,0x3c,70,120,70`, 'eyes.csv line 2: expected a number of pixels as left_x, got "0x3c"'],
      [`\ufeff${header}\n0.png,60,,120,70`, 'eyes.csv line 2: expected a number of pixels as left_y, got ""'],
      [`${header}\n0.png,1e999,70,120,70`, 'got "1e999"'],
      [`${header}\n,60,70,120,70`, "eyes.csv line 2: expected the name of a file, got none"],
      [
        `${header}\n0.png,60,70,60,70`,
        "eyes.csv line 2: expected two eyes in 0.png, got the same point twice, (60, 70)",
      ],
      [
        `${header}\n0.png,60,70,120,70\n1.jpg,60,70,120,70\n0.png,60,70,120,70`,
        "eyes.csv line 4: expected each file once, got 0.png also in",
      ],
      [`${header}\n0.png,"60,70,120,70`, "eyes.csv line 2 is not CSV"],
      [
        `${header}\n0.png,60,70,120,70\nnone.png,60,70,120,70`,
        `eyes.csv line 3: there is no file ${join(folder, "none.png")}`,
      ],
      ...["../outside.png", "a/../../outside.png", join(folder, "0.png")].map((file): [string, string] => [
        `${header}\n0.png,60,70,120,70\n${file},60,70,120,70`,
        `eyes.csv line 3: expected a file below ${folder}, got ${file}`,
      ]),
      [
        `${header}\n0.png,60,70,199.5,70\n2.png,60,70,120,70`,
        "eyes.csv line 2: expected eyes inside 0.png, 200x160 pixels, got one at (199.5, 70)",
      ],
      [`${header}\n0.png,-1,70,120,70\n2.png,60,70,120,70`, "got one at (-1, 70)"],
      [
        `${header}\n1.jpg,60,160,120,70\n2.png,60,70,120,70`,
        "expected eyes inside 1.jpg, 200x160 pixels, got one at (60, 160)",
      ],
      [
        `${header}\nbroken.jpg,60,70,120,70\n2.png,60,70,120,70`,
        "broken.jpg is a damaged JPEG file, or of a kind that cannot be read",
      ],
      [`${header}\ntext.png,60,70,120,70\n2.png,60,70,120,70`, "text.png is no picture"],
      [`${header},used\n0.png,60,70,120,70,no`, "eyes.csv: expected photographs, got none"],
      [`${header},used\n0.png,60,70,120,70,No`, "eyes.csv: expected photographs, got none"],
      [`${header},used\n0.png,60,70,120,70,false`, 'eyes.csv line 2: expected yes or no as used, got "false"'],
    ];
    for (const [table, sentence] of wrong) {
      await Deno.writeTextFile(eyes, table);
      const error = await assertRejects(() => importFaces(folder, eyes, join(folder, "out"), 10), Error, sentence);
      assert(!error.message.includes("\n") && error.message.includes("eyes.csv"), error.message);
    }
    await assertRejects(() => importFaces(folder, join(folder, "no.csv"), folder, 10), Error, "Cannot read");
    await assertRejects(() => Deno.stat(join(folder, "out")), Deno.errors.NotFound);
  });
});

Deno.test("data import --colour: pictures in train and test that colour-faces finds", async () => {
  await withPhotographs(async (folder, eyes) => {
    const printed: string[] = [], env = { HOME: folder }, out = join(folder, ".cache/patchloom/faces-colour");
    const said = { env, print: (text: string) => printed.push(text) };
    await dataCommand(["import", folder, "--eyes", eyes, "--colour", "--out", out], said);
    assertEquals(printed, [
      `18 training and 2 test images of 128x128 pixels in colour are in ${out}`,
      `Make others like them: deno task synth --profile colour-faces --data ${out} --size 128`,
    ]);
    const size = { height: 64, width: 64 };
    const { train, test, origin } = await findData("faces-colour", undefined, env, { channels: 3, size });
    assertEquals([train.images.count, test.images.count], [18, 2]);
    assertEquals([train.images.height, train.images.width, train.images.channels], [64, 64, 3]);
    assert(origin.includes("scaled from 128x128 to 64x64 pixels"), origin);
    const error = "Cannot use --colour without --faces or --eyes";
    await assertRejects(() => dataCommand(["import", folder, "--size", "32", "--colour"], said), Error, error);
  });
});
