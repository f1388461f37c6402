/** Traces which training images the images of a task are made from, and which they depend on: see `synthesis/dependencies.ts`. */
import type { Nearest } from "../../core/nearest.ts";
import type { Draw } from "../../core/batch.ts";
import { addImage, allImages, type Lineage, noImages } from "./image_bits.ts";

/** Notes the lineage of a group's images while they are made. Training images are named by their places in the group. */
export interface DependencyTrace {
  /** The lineage of each image, by its place among the group's images. */
  readonly images: readonly Lineage[];
  /** Notes that images are drawn, again perhaps: what they were drawn from before does not count. */
  began(places: readonly number[]): void;
  /** Notes what a draw compared and drew; `places` are those of the images of its batch. */
  drew(draw: Draw, places: readonly number[]): void;
  /** Notes which training images an image from noise depends on; undefined: on all. */
  denoised(place: number, compared: ReadonlySet<number> | undefined): void;
  /** Notes what an image was compared with as a whole. */
  measured(place: number, nearest: Nearest | undefined): void;
  /** Notes training images that an image was compared with as a whole; -1: none. */
  compared(place: number, images: readonly number[]): void;
  /** Notes that an image depends on all training images. */
  all(place: number): void;
}

/**
 * What a trace notes: which training images an image depends on and is drawn from; or only the latter, if all images depend on all training
 * images of their class.
 */
export type Traced = "dependencies" | "sources";

/** Opens a trace of images that are made from `training` training images. */
export function dependencyTrace(images: number, training: number, traced: Traced): DependencyTrace {
  const isWhole = traced === "sources", every = allImages(training);
  const lineages = Array.from({ length: images }, (): Lineage => ({
    dependsOn: isWhole ? every : noImages(training),
    drawnFrom: noImages(training),
  }));
  const compared = (place: number, images: readonly number[]) => {
    for (const image of isWhole ? [] : images) if (image >= 0) addImage(lineages[place].dependsOn, image);
  };
  return {
    images: lineages,
    began(places) {
      for (const place of places) lineages[place].drawnFrom.fill(0);
    },
    drew({ prior, out: { sources } }, places) {
      places.forEach((place, b) => {
        const { dependsOn, drawnFrom } = lineages[place], drawn = sources[3 * b];
        if (drawn >= 0) addImage(drawnFrom, drawn);
        // A patch that is no copy is made of those that were compared.
        else if (!prior.compared) drawnFrom.set(every);
        else prior.compared(b, (image) => addImage(drawnFrom, image));
        if (isWhole) return;
        if (drawn >= 0) addImage(dependsOn, drawn);
        if (!prior.compared) dependsOn.set(every);
        else prior.compared(b, (image) => dependsOn[image >> 3] |= 0x80 >> (image & 7));
      });
    },
    denoised(place, compared) {
      const { dependsOn, drawnFrom } = lineages[place];
      if (!compared) drawnFrom.set(every);
      for (const image of compared ?? []) addImage(drawnFrom, image);
      if (isWhole) return;
      if (!compared) dependsOn.set(every);
      for (const image of compared ?? []) addImage(dependsOn, image);
    },
    measured: (place, nearest) => compared(place, nearest ? [nearest.image, nearest.other] : []),
    compared,
    all: (place) => lineages[place].dependsOn.set(every),
  };
}
