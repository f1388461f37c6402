import { assertEquals } from "@std/assert";
import { openCounts } from "../../../hosts/edge/request_counts.ts";

Deno.test("openCounts: Prometheus' text format, with requests by route and status and their seconds in classes", async () => {
  const seconds = [0.25, 3, 100, 0.001];
  let now = 0;
  const counts = openCounts(() => now), status = (code: number) => new Response(null, { status: code });
  for (const [route, code] of [["/synth", 200], ["/synth", 200], ["/synth", 400], ["/", 200]] as const) {
    await counts.count(route, () => {
      now += 1000 * seconds.shift()!;
      return Promise.resolve(status(code));
    });
  }
  counts.made(3);
  const load = { working: 1, waiting: 2, openWork: 30, doneWork: 40, refused: { 429: 0, 503: 0 } };
  const lines = counts.text(load).split("\n");
  assertEquals(lines.pop(), "");
  const values = Object.fromEntries(lines.filter((line) => !line.startsWith("#")).map((line) => line.split(" ")));
  const synth = (le: string) => Number(values[`patchloom_request_seconds_bucket{route="/synth",le="${le}"}`]);
  // A class counts all that took at most its bound.
  assertEquals(["0.1", "0.25", "2.5", "5", "30", "+Inf"].map(synth), [0, 1, 1, 2, 2, 3]);
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !name.includes("_bucket")));
  assertEquals(others, {
    'patchloom_requests_total{route="/synth",status="200"}': "2",
    'patchloom_requests_total{route="/synth",status="400"}': "1",
    'patchloom_requests_total{route="/",status="200"}': "1",
    'patchloom_request_seconds_sum{route="/synth"}': "103.25",
    'patchloom_request_seconds_count{route="/synth"}': "3",
    'patchloom_request_seconds_sum{route="/"}': "0.001",
    'patchloom_request_seconds_count{route="/"}': "1",
    patchloom_images_total: "3",
    patchloom_work_comparisons_total: "40",
    patchloom_open_work_comparisons: "30",
    patchloom_requests_working: "1",
    patchloom_requests_waiting: "2",
  });
  // Each series follows the line with its type, as the format wants it.
  let name = "";
  for (const line of lines) {
    const [, typed] = /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed) name = typed;
    else if (!line.startsWith("#")) assertEquals(line.startsWith(name), true, line);
  }
});
