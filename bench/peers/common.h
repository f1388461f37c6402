// What the drivers share: reading a folder of dumped patches, timing rounds, and writing what was found.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

/** `count` examples and `queries` queries of `dimensions` bytes each; the k nearest are wanted. */
struct Task {
  std::string folder;
  int count, dimensions, queries, k, rounds;
  std::vector<uint8_t> base, asked;
};

inline std::vector<uint8_t> readBytes(const std::string &path, size_t length) {
  std::vector<uint8_t> bytes(length);
  std::ifstream file(path, std::ios::binary);
  if (!file.read((char *)bytes.data(), length)) {
    std::fprintf(stderr, "Cannot read %zu bytes of %s\n", length, path.c_str());
    std::exit(1);
  }
  return bytes;
}

/** Arguments: FOLDER K ROUNDS; the folder holds `shape.txt` (count dimensions queries), `base.u8` and `queries.u8`. */
inline Task readTask(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "Usage: %s FOLDER K ROUNDS [METHOD [PARAMETER]]\n", argv[0]);
    std::exit(2);
  }
  Task task{argv[1], 0, 0, 0, std::atoi(argv[2]), std::atoi(argv[3]), {}, {}};
  std::ifstream shape(task.folder + "/shape.txt");
  if (!(shape >> task.count >> task.dimensions >> task.queries)) {
    std::fprintf(stderr, "Cannot read %s/shape.txt\n", task.folder.c_str());
    std::exit(1);
  }
  task.base = readBytes(task.folder + "/base.u8", (size_t)task.count * task.dimensions);
  task.asked = readBytes(task.folder + "/queries.u8", (size_t)task.queries * task.dimensions);
  return task;
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/** Runs a search once unmeasured and `rounds` times measured; prints the seconds as JSON and writes `found.i32`. */
inline void measure(const Task &task, double build, const std::function<void(std::vector<int> &)> &search) {
  std::vector<int> found((size_t)task.queries * task.k, -1);
  search(found);
  std::printf("{\"build\":%.6f,\"seconds\":[", build);
  for (int round = 0; round < task.rounds; round++) {
    const double started = now();
    search(found);
    std::printf("%s%.6f", round ? "," : "", now() - started);
  }
  std::printf("]}\n");
  std::ofstream(task.folder + "/found.i32", std::ios::binary).write((const char *)found.data(), found.size() * 4);
}
