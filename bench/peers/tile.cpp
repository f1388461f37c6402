// The tile of tile.h on patches of bytes, all of the same weight.
#include "tile.h"

int main(int argc, char **argv) {
  const Task task = readTask(argc, argv);
  const int n = task.count, planes = task.dimensions + task.dimensions % 2, stride = (n + 63) / 64 * 64 + 64;
  std::vector<uint8_t> data((size_t)planes * stride, 0);
  for (int i = 0; i < n; i++) {
    for (int p = 0; p < task.dimensions; p++) data[(size_t)p * stride + i] = task.base[(size_t)i * task.dimensions + p];
  }
  std::vector<int16_t> queries((size_t)task.queries * planes, 0);
  for (int q = 0; q < task.queries; q++) {
    for (int p = 0; p < task.dimensions; p++) queries[(size_t)q * planes + p] = task.asked[(size_t)q * task.dimensions + p];
  }
  // Weights are part of the kernel; here they are all 1, and 0 for the plane that makes their number even.
  std::vector<int16_t> scale(planes, 1);
  if (task.dimensions % 2) scale[planes - 1] = 0;

  measure(task, 0, [&](std::vector<int> &found) {
    for (int first = 0; first < task.queries; first += TILE) {
      std::vector<List> lists = emptyLists(task.k);
      const int16_t *asked[TILE];
      for (int t = 0; t < TILE; t++) asked[t] = &queries[(size_t)std::min(first + t, task.queries - 1) * planes];
      scan({data.data(), (size_t)stride, planes, n}, scale.data(), asked, lists, 0, task.k);
      for (int t = 0; t < TILE && first + t < task.queries; t++) {
        const auto &keys = nearest(lists[t], task.k);
        for (int c = 0; c < task.k; c++) found[(size_t)(first + t) * task.k + c] = (uint32_t)keys[c];
      }
    }
  });
}
