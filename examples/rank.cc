// The smallest program that ranks:  rank MODEL QUERY DOCUMENT...
#include <cstdio>
#include <string_view>
#include <vector>

#include "podium/reranker.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: rank MODEL QUERY DOCUMENT...\n");
    return 2;
  }
  podium::OpenOptions open;
  open.model = argv[1];
  const auto reranker = podium::Reranker::Open(open);
  if (!reranker.ok()) {
    std::fprintf(stderr, "rank: %s\n", reranker.status().message().c_str());
    return 1;
  }
  const std::vector<std::string_view> documents(argv + 3, argv + argc);
  const auto ranking = (*reranker)->Rank(argv[2], documents);
  if (!ranking.ok()) {
    std::fprintf(stderr, "rank: %s\n", ranking.status().message().c_str());
    return 1;
  }
  for (const podium::RankedDocument& hit : *ranking) {
    std::printf("%.4f  %s\n", podium::Sigmoid(hit.score.logit), argv[3 + hit.index]);
  }
  return 0;
}
