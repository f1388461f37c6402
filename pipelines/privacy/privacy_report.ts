/** The report on privacy: what was found, what it shows and what it does not. */
import { shapeText } from "../../core/shape.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { paddedImages } from "../assessment/padded_images.ts";
import { counted } from "../../core/counted.ts";
import { fixed } from "../report/numbers.ts";
import type { Figure, Report } from "../report/report.ts";
import type { Framed } from "../report/sheet.ts";
import { sheetFigure } from "../report/sheet_figure.ts";
import type { LeaveOneOut } from "./leave_one_out.ts";
import type { Privacy } from "./privacy.ts";
import { findings, verdictText } from "./privacy_results.ts";

/** Pairs shown in each picture. */
const SHOWN = 12;

/** Makes the report. `command` is the command that found it. */
export function privacyReport(privacy: Privacy, command: string): Report {
  const { plan, data, path, set, scores: [originality, structure], leaveOneOut } = privacy;
  return {
    title: `Privacy of ${counted(set.images.count, "image")}`,
    lead: `${verdictText(privacy)}.`,
    command,
    settings: [
      ["Images", `${path}, ${set.images.count} of ${shapeText(set.images)}`],
      ["Data", data.origin],
      ["Profile", `${plan.profile.name}: ${plan.profile.about}`],
      ["Held-out images", String(privacy.heldOut)],
    ],
    sections: [
      { title: "Findings", text: WHAT_IT_SHOWS, figures: [findingsTable(privacy)] },
      {
        title: "The nearest pairs",
        text: "Look at them: no number sees what a person sees.",
        figures: [
          nearestPairs(privacy, structure, -1, "The images that share most structure with a training image"),
          nearestPairs(privacy, originality, 1, "The images of the least originality"),
        ],
      },
      ...leaveOneOut ? [{ title: "Leave-one-out", text: LEAVE_ONE_OUT, figures: [leftOutGroups(leaveOneOut)] }] : [],
      { title: "What this does not show", text: WHAT_IT_DOES_NOT, figures: [] },
    ],
  };
}

const WHAT_IT_SHOWS =
  "An attacker who has the images, and a photograph of someone, guesses by its nearest image whether it was a training image. Where the attack tells training images from held-out images, the images betray who was in the training set. Copies are found image by image, also such as are put in another light.";

const LEAVE_ONE_OUT =
  "Each of these images was made again without the training image that it is most like, and a third time without another one, as a control: draws depend on each other, so an image changes whichever training image is forgotten. Where the structure that it shares with the training image falls more without it than in the control, the image owes that to this training image.";

const WHAT_IT_DOES_NOT =
  "Attacks by other measures, by people who know someone, or by models that recognize faces are not tried. Parts of an image, such as eyes or an ear-ring, may be those of one person: see the regions. Rare images are at more risk than the mean says.\n\nThis is no differential privacy: nothing is promised of a single person, whatever the attack. Whether the images may be published is for people to decide.";

function findingsTable(privacy: Privacy): Figure {
  return {
    kind: "table",
    caption: "What was measured of the images and of held-out images, with 95 % intervals.",
    columns: ["finding", "assessed", "held-out", "what it says"],
    rows: findings(privacy),
  };
}

/** Shows images beside their nearest training images; `sign` -1: those of the greatest values. */
function nearestPairs(
  { plan: { sizes: [size] }, set, data: { train } }: Privacy,
  { results, images }: MetricScore,
  sign: 1 | -1,
  what: string,
): Figure {
  const pairs = results.flatMap(({ label, result: { values, series } }, c) => {
    const training = numbersOfClass(train.labels, label, train.images.count);
    return [...images[c]].map((image, i) => ({ image, value: values[i], nearest: training[series.nearest[i]] }));
  }).filter(({ value }) => Number.isFinite(value));
  const shown = pairs.sort((a, b) => sign * (a.value - b.value) || a.image - b.image).slice(0, SHOWN);
  const frames = shown.map(({ image, value, nearest }): Framed[] => [
    { pixels: paddedImages(set, [image], size).pixels, colour: "blue", text: fixed(value, 3) },
    { pixels: paddedImages(train, [nearest], size).pixels, colour: "red" },
  ]);
  return sheetFigure(frames, size, {
    caption: `${what} (blue), with the value below, and those training images (red).`,
    alt: "pairs of framed images with numbers below",
  });
}

/** Shows images, the training images that they are most like, and the images made without: where structure falls most first. */
function leftOutGroups({ changes, images, shape }: LeaveOneOut): Figure {
  const fall = (i: number) => changes[i].structure - changes[i].without.structure;
  const shown = [...changes.keys()].sort((a, b) => fall(b) - fall(a) || a - b).slice(0, SHOWN);
  const frames = shown.map((i): Framed[] => [
    { pixels: images[i].pixels, colour: "blue", text: fixed(changes[i].structure, 3) },
    { pixels: images[i].training, colour: "red" },
    { pixels: images[i].without, colour: "grey", text: fixed(changes[i].without.structure, 3) },
    { pixels: images[i].withoutControl, colour: "grey", text: fixed(changes[i].withoutControl.structure, 3) },
  ]);
  return sheetFigure(frames, shape, {
    caption:
      "Images (blue), the training images that they are most like (red), and the images made without these and without another one (grey), with the structure that each shares with that training image below; where it falls most first.",
    alt: "groups of four framed images with numbers below",
  });
}
