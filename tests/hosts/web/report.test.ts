/** A report in a browser: nothing has to be scrolled sideways on a wide screen, and the page itself never. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { chromium } from "playwright-core";
import { plan } from "../../../core/plan.ts";
import { range } from "../../../core/numbers.ts";
import { pick } from "../../../datasets/data_set.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { digits } from "../../../datasets/profiles/mod.ts";
import type { Assessment } from "../../../pipelines/assessment/assessment.ts";
import { assessmentReport } from "../../../pipelines/assessment/assessment_report.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import { builtins } from "../../../plugins/mod.ts";
import { CHROMIUM } from "../../programs.ts";

/** The report of all metrics of 20 digits, with made-up scores. */
async function report(): Promise<string> {
  const train = proceduralDigits("train", 2), set = proceduralDigits("test", 2), classes = Array.from(range(10));
  const images = classes.map((label) => Uint32Array.of(label, label + 10));
  const scores = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name, about }, m): MetricScore => {
    const values = Float64Array.of(-80.5 + m, -1234.25), nearest = Float64Array.of(0, 1);
    const series = { nearest, dG: values, dT: values }, result = { values, of: "generated" as const, series };
    return {
      metric: name,
      about,
      score: -80.123456,
      pooled: -80,
      interval: [-90.5, -70.25],
      range: [-1234.5, 3.5],
      count: 20,
      groups: classes.map((label) => ({ label, score: -80.12, count: 2 })),
      results: classes.map((label) => ({ label, result: { ...result, settings: {}, warnings: [] } })),
      images,
      settings: { perplexity: 11 / 3, baseline: "held-out and training images" },
      warnings: ["each class, such as 0: a spread of 2 images does not rank systems: expected 1000 images of a class"],
      ...m === 2 && { tooFew: "class 0: a spread of 2 images does not rank systems: expected 1000 images or more" },
    };
  });
  const data = { name: "mnist", origin: "digits drawn by rule", train, test: pick(set, [0]), files: [] };
  const assessed = { ...set, names: "images.idx", files: [] };
  const request = { plan: plan(digits, builtins), data, path: "images.idx", set: assessed, classes };
  const assessment: Assessment = { ...request, scores, baseline: scores, seconds: 1 };
  return toHtml(await assessmentReport(assessment, "deno task assess"));
}

Deno.test({
  name: "report: fits a screen of 1280 pixels, on a phone only boxes scroll, and its figures are downloaded",
  ignore: CHROMIUM === undefined,
  async fn() {
    const args = ["--no-sandbox", "--disable-gpu"];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args }), said: string[] = [];
    try {
      const html = await report();
      for (const width of [1280, 390]) {
        const page = await browser.newPage({ viewport: { width, height: 900 } });
        page.on("console", (message) => said.push(message.text()));
        await page.setContent(html);
        assertEquals(await page.evaluate(() => document.documentElement.scrollWidth), width);
        if (width < 1280) continue;
        const wide = await page.evaluate(() => {
          const boxes = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth);
          return boxes.map((box) => box.getAttribute("aria-labelledby"));
        });
        assertEquals(wide, []);
        for (const type of ["csv", "svg", "png"]) {
          const link = page.locator(`a[download$=".${type}"]`).first();
          const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
          assertStringIncludes(download.suggestedFilename(), `.${type}`);
        }
      }
      assertEquals(said, []);
    } finally {
      await browser.close();
    }
  },
});
