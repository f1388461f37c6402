// The tile of tile.h on what the engine asked of its own kernel, as `bench/kernel.ts PROFILE CLASS DIR` writes it. Arguments:
// DIR ROUNDS. Fails where a distance differs from the engine's answer; prints microseconds a query of the fastest round.
#include "tile.h"

struct Search {
  int planes, count, segments, batch, k;
  size_t stride;
  std::vector<uint8_t> data;
  std::vector<int16_t> scale, queries;
  std::vector<uint64_t> keys;
};

template <class T> std::vector<T> read(const std::string &path, size_t length) {
  const std::vector<uint8_t> bytes = readBytes(path, length * sizeof(T));
  std::vector<T> values(length);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

int main(int argc, char **argv) {
  if (argc != 3) return std::fprintf(stderr, "Usage: %s DIR ROUNDS\n", argv[0]), 2;
  const std::string folder = argv[1];
  std::ifstream list(folder + "/searches.txt");
  std::vector<Search> all;
  Search s;
  for (std::string file; list >> s.planes >> s.count >> s.segments >> s.batch >> s.k >> file;) {
    const std::string path = folder + "/" + file;
    const size_t planes = (size_t)s.planes * s.segments;
    const auto bytes = read<uint8_t>(path + ".planes.u8", planes * s.count);
    s.stride = (s.count + 63) / 64 * 64 + 64;
    s.data.assign(planes * s.stride, 0);
    for (size_t p = 0; p < planes; p++) std::memcpy(&s.data[p * s.stride], &bytes[p * s.count], s.count);
    s.scale = read<int16_t>(path + ".scale.i16", s.planes);
    s.queries = read<int16_t>(path + ".queries.i16", (size_t)s.batch * s.planes);
    s.k = std::min(s.k, s.count * s.segments);
    s.keys = read<uint64_t>(path + ".keys.u64", (size_t)s.batch * s.k);
    all.push_back(s);
  }
  double best = 1e9, queries = 0;
  for (const Search &one : all) queries += one.batch;
  for (int round = -1; round < std::atoi(argv[2]); round++) {
    const double started = now();
    for (const Search &one : all) {
      for (int first = 0; first < one.batch; first += TILE) {
        std::vector<List> lists = emptyLists(one.k);
        const int16_t *asked[TILE];
        for (int t = 0; t < TILE; t++) asked[t] = &one.queries[(size_t)std::min(first + t, one.batch - 1) * one.planes];
        for (int segment = 0; segment < one.segments; segment++) {
          const uint8_t *at = &one.data[segment * one.planes * one.stride];
          scan({at, one.stride, one.planes, one.count}, one.scale.data(), asked, lists, segment * one.count, one.k);
        }
        for (int t = 0; t < TILE && first + t < one.batch; t++) {
          const auto &keys = nearest(lists[t], one.k);
          for (int c = 0; round < 0 && c < one.k; c++) {
            if (keys[c] != one.keys[(size_t)(first + t) * one.k + c]) return std::fprintf(stderr, "Other keys than the engine's\n"), 1;
          }
        }
      }
    }
    if (round >= 0) best = std::min(best, now() - started);
  }
  std::printf("%.3f\n", best * 1e6 / queries);
}
