// The libraries that people reach for: faiss (flat: exact), FLANN (linear: exact; forest of kd-trees: approximate) and
// hnswlib (brute force: exact; graph: approximate), each over the same dumped patches, one thread, all queries at once.
#include "common.h"
#include <faiss/IndexFlat.h>
#include <flann/flann.hpp>
#include <hnswlib/hnswlib.h>
#include <memory>

int main(int argc, char **argv) {
  const Task task = readTask(argc, argv);
  const std::string method = argc > 4 ? argv[4] : "";
  const int effort = argc > 5 ? std::atoi(argv[5]) : 0;
  const int n = task.count, d = task.dimensions, q = task.queries, k = task.k;
  std::vector<float> base(task.base.begin(), task.base.end()), asked(task.asked.begin(), task.asked.end());
  const double started = now();

  if (method == "faiss-flat") {
    faiss::IndexFlatL2 index(d);
    index.add(n, base.data());
    const double build = now() - started;
    measure(task, build, [&](std::vector<int> &found) {
      std::vector<float> distances((size_t)q * k);
      std::vector<faiss::Index::idx_t> labels((size_t)q * k);
      index.search(q, asked.data(), k, distances.data(), labels.data());
      std::copy(labels.begin(), labels.end(), found.begin());
    });
  } else if (method == "flann-linear" || method == "flann-forest") {
    const flann::Matrix<float> data(base.data(), n, d), queries(asked.data(), q, d);
    flann::Index<flann::L2<float>> index(data, method == "flann-linear" ? (flann::IndexParams)flann::LinearIndexParams()
                                                                       : (flann::IndexParams)flann::KDTreeIndexParams(4));
    flann::seed_random(1);
    index.buildIndex();
    const double build = now() - started;
    measure(task, build, [&](std::vector<int> &found) {
      std::vector<float> values((size_t)q * k);
      flann::Matrix<int> indices(found.data(), q, k);
      flann::Matrix<float> distances(values.data(), q, k);
      flann::SearchParams parameters(effort > 0 ? effort : -1);
      parameters.cores = 1;
      index.knnSearch(queries, indices, distances, k, parameters);
    });
  } else if (method == "hnswlib-flat" || method == "hnswlib-graph") {
    hnswlib::L2Space space(d);
    std::unique_ptr<hnswlib::AlgorithmInterface<float>> index;
    if (method == "hnswlib-flat") {
      index.reset(new hnswlib::BruteforceSearch<float>(&space, n));
    } else {
      auto graph = new hnswlib::HierarchicalNSW<float>(&space, n, 16, 200, 1);
      graph->setEf(std::max(effort, k));
      index.reset(graph);
    }
    for (int i = 0; i < n; i++) index->addPoint(&base[(size_t)i * d], i);
    const double build = now() - started;
    measure(task, build, [&](std::vector<int> &found) {
      for (int i = 0; i < q; i++) {
        auto nearest = index->searchKnn(&asked[(size_t)i * d], k);
        for (int c = (int)nearest.size() - 1; !nearest.empty(); c--, nearest.pop()) {
          found[(size_t)i * k + c] = (int)nearest.top().second;
        }
      }
    });
  } else {
    std::fprintf(stderr, "Unknown method \"%s\": faiss-flat, flann-linear, flann-forest, hnswlib-flat or hnswlib-graph\n",
                 method.c_str());
    return 2;
  }
}
