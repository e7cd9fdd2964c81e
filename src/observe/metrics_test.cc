#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace podium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct Rig {
  Metrics metrics{{.version = "1",
                   .models = {{"mini", "int8", "amx"}, {"large", "fp32", "avx512"}},
                   .routes = {"rerank", "health", "other"},
                   .model_routes = {"rerank"},
                   .outcomes = {"ok", "Validation"},
                   .refusals = {"cost", "deadline"}}};
};

int64_t Lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Metrics, EverySeriesIsThereFromTheStartAndNoneComesLater) {
  Rig rig;
  const std::string before = rig.metrics.Text({});
  EXPECT_THAT(
      before,
      HasSubstr("podium_requests_total{model=\"large\",outcome=\"ok\",route=\"rerank\"} 0"));
  EXPECT_THAT(before, HasSubstr("podium_admission_rejections_total{reason=\"cost\"} 0"));
  EXPECT_THAT(before, HasSubstr("podium_request_documents_total{model=\"mini\"} 0"));
  EXPECT_THAT(before, HasSubstr("isa=\"amx\""));
  for (int i = 0; i < 1000; ++i) {
    rig.metrics.CountRequest("/made/up" + std::to_string(i), "ok", i % 3 - 1, milliseconds(i));
    rig.metrics.CountRefusal("made up" + std::to_string(i));
    rig.metrics.CountRequest("rerank", "unheard of", 0, milliseconds(i));
  }
  EXPECT_EQ(Lines(rig.metrics.Text({})), Lines(before));
}

TEST(Metrics, CountsOnce) {
  Rig rig;
  rig.metrics.CountRequest("rerank", "ok", 1, milliseconds(20));
  rig.metrics.CountComputed(1, {.documents = 10, .tokens = 120, .truncated = 2, .duplicates = 3});
  rig.metrics.CountRequest("rerank", "Validation", kNoModel, milliseconds(1));
  rig.metrics.CountRefusal("deadline");
  rig.metrics.CountBatch(1, 7, 100, 0.5, milliseconds(10));
  const std::string text = rig.metrics.Text(
      {.requests_inside = 3, .models = {{.pairs_waiting = 4}, {}}, .connections = 5});
  for (const char* line :
       {"podium_requests_total{model=\"large\",outcome=\"ok\",route=\"rerank\"} 1\n",
        "podium_requests_total{model=\"mini\",outcome=\"ok\",route=\"rerank\"} 0\n",
        "podium_requests_total{model=\"\",outcome=\"Validation\",route=\"rerank\"} 1\n",
        "podium_request_documents_total{model=\"large\"} 10\n",
        "podium_request_documents_total{model=\"mini\"} 0\n",
        "podium_request_tokens_total{model=\"large\"} 120\n",
        "podium_request_truncated_documents_total{model=\"large\"} 2\n",
        "podium_request_duplicate_documents_total{model=\"large\"} 3\n",
        "podium_admission_rejections_total{reason=\"deadline\"} 1\n",
        "podium_batch_pairs_total{model=\"large\"} 7\n", "podium_request_seconds_count 2\n",
        "podium_request_seconds_bucket{le=\"0.001\"} 1\n", "podium_queue_requests 3\n",
        "podium_queue_pairs{model=\"mini\"} 4\n", "podium_http_connections 5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes"));
}

}  // namespace
}  // namespace podium
