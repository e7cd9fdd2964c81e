// The smallest C program that ranks:  rank MODEL QUERY DOCUMENT...
#include <stdio.h>

#include "podium/podium.h"

enum { DOCUMENTS_MAX = 1000 };

int main(int argc, char** argv) {
  if (argc < 4 || argc > 3 + DOCUMENTS_MAX) {
    fprintf(stderr, "usage: rank MODEL QUERY DOCUMENT...   (at most %d)\n", DOCUMENTS_MAX);
    return 2;
  }
  podium_text documents[DOCUMENTS_MAX];
  const size_t count = (size_t)(argc - 3);
  for (size_t i = 0; i < count; ++i) documents[i] = podium_text_of(argv[3 + i]);

  podium_reranker* reranker = NULL;
  podium_results* results = NULL;
  podium_error* error = NULL;
  int exit_code = 0;
  if (podium_open(argv[1], NULL, &reranker, &error) == PODIUM_OK &&
      podium_rank(reranker, podium_text_of(argv[2]), documents, count, NULL, &results, &error) ==
          PODIUM_OK) {
    for (size_t i = 0; i < podium_results_size(results); ++i) {
      const podium_result* hit = podium_results_at(results, i);
      printf("%.4f  %s\n", podium_sigmoid(hit->logit), documents[hit->index].data);
    }
  } else {
    fprintf(stderr, "rank: %s\n", podium_error_message(error));
    exit_code = 1;
  }
  podium_error_free(error);
  podium_results_free(results);
  podium_close(reranker);
  return exit_code;
}
