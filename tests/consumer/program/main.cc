// The library as its users see it: find_package(podium), one header.
#include <cstdio>
#include <string_view>
#include <vector>

#include "podium/reranker.h"

int main(int, char** argv) {
  const auto reranker = podium::Reranker::Open({.model = argv[1]});
  const std::vector<std::string_view> documents = {"Choose a channel with less traffic.",
                                                   "Hold the reset button for ten seconds."};
  if (!reranker.ok()) return std::fprintf(stderr, "%s\n", reranker.status().ToString().c_str()), 1;
  const auto ranking = (*reranker)->Rank("how do I reset my router", documents);
  if (!ranking.ok()) return std::fprintf(stderr, "%s\n", ranking.status().ToString().c_str()), 1;
  for (const podium::RankedDocument& hit : *ranking) std::printf("%u\n", hit.index);
}
