// usearch's exact search over dumped patches: node usearch.mjs FOLDER K ROUNDS. Output as in common.h.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

// npm installed it in the working directory.
const usearch = createRequire(`${process.cwd()}/`)("usearch");

const [folder, k, rounds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const [count, dimensions, queries] = readFileSync(`${folder}/shape.txt`, "utf8").split(" ").map(Number);
const rows = (name, length) => {
  const bytes = readFileSync(`${folder}/${name}`);
  return Array.from({ length }, (_, i) => Float32Array.from(bytes.subarray(i * dimensions, (i + 1) * dimensions)));
};
const base = rows("base.u8", count), asked = rows("queries.u8", queries);
const search = () => usearch.exactSearch(base, asked, dimensions, k, usearch.MetricKind.L2sq, 1);
const { keys } = search(), seconds = [];
for (let round = 0; round < rounds; round++) {
  const started = performance.now();
  search();
  seconds.push((performance.now() - started) / 1000);
}
writeFileSync(`${folder}/found.i32`, new Uint8Array(Int32Array.from(keys, Number).buffer));
console.log(JSON.stringify({ build: 0, seconds }));
