/** What kind of pictures a path holds: their size, and whether they are in colour. */
import { join } from "node:path";
import type { Size } from "../../../core/shape.ts";
import { isColourful } from "../../../datasets/channels.ts";
import { isMuchSmaller } from "../../../datasets/fit_to_profile.ts";
import { objects } from "../../../datasets/profiles/mod.ts";
import { profileSize } from "../../../core/resized_profile.ts";
import { BUILT_IN } from "./find_data.ts";
import { readData } from "./read_data.ts";
import { readFile } from "./read_files.ts";
import { readPicture } from "./read_picture.ts";
import { listPictures } from "./read_pictures.ts";

/** What pictures are. */
export interface PictureKind {
  readonly size: Size;
  readonly isColour: boolean;
}

/** How many pictures of a folder are looked at: reading all takes as long as the run itself does. */
const LOOKED_AT = 32;

/** Looks at the pictures of a path; undefined if it cannot be read, which whoever reads all of it says. */
export async function pictureKind(path: string): Promise<PictureKind | undefined> {
  try {
    const listed = await listPictures(path).catch(() => undefined);
    if (!listed) {
      const { train: { images }, pack } = await readData(path, { channels: 3 });
      const { height, width } = images;
      return pack ? undefined : { size: { height, width }, isColour: isColourful(images) };
    }
    const step = Math.ceil(listed.names.length / LOOKED_AT);
    const pictures = await Promise.all(
      listed.names.filter((_, n) => n % step === 0).map(async (name) => {
        return await readPicture(await readFile(join(path, name)), name);
      }),
    );
    const [{ height, width }] = pictures;
    return { size: { height, width }, isColour: pictures.some(({ greyed }) => greyed) };
  } catch {
    return undefined;
  }
}

/** The part of a request that its pictures may change, where flags do not. */
export interface Following {
  readonly profile?: string;
  readonly data?: string;
  readonly size?: Size;
  readonly set?: readonly string[];
}

/**
 * Adds to a request of objects what follows from its pictures: images are made in the size of pictures that are much smaller than the
 * profile's images, which would be padded, and in colour where the pictures are. Other profiles are of one kind of images.
 */
export async function followingPictures<Request extends Following>(request: Request): Promise<Request> {
  const { profile, data, size, set = [] } = request;
  if (profile !== objects.name || data === undefined || data === BUILT_IN) return request;
  const kind = await pictureKind(data);
  if (!kind) return request;
  const isSmall = size === undefined && isMuchSmaller(kind.size, profileSize(objects));
  const isColoured = kind.isColour && !set.some((one) => one.startsWith("channels="));
  return { ...request, ...isSmall && { size: kind.size }, ...isColoured && { set: ["channels=3", ...set] } };
}
