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
  Metrics metrics{{.version = "1", .model = "mini", .precision = "int8", .isa = "amx"},
                  {"rerank", "other"},
                  {"ok", "Validation"},
                  {"cost", "deadline"}};
};

int64_t Lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Metrics, EverySeriesIsThereFromTheStartAndNoneComesLater) {
  Rig rig;
  const std::string before = rig.metrics.Text({});
  EXPECT_THAT(before, HasSubstr("podium_requests_total{outcome=\"ok\",route=\"rerank\"} 0"));
  EXPECT_THAT(before, HasSubstr("podium_admission_rejections_total{reason=\"cost\"} 0"));
  EXPECT_THAT(before, HasSubstr("podium_request_documents_total 0"));
  EXPECT_THAT(before, HasSubstr("isa=\"amx\""));
  for (int i = 0; i < 1000; ++i) {
    rig.metrics.CountRequest("/made/up" + std::to_string(i), "ok", milliseconds(i));
    rig.metrics.CountRefusal("made up" + std::to_string(i));
    rig.metrics.CountRequest("rerank", "unheard of", milliseconds(i));
  }
  EXPECT_EQ(Lines(rig.metrics.Text({})), Lines(before));
}

TEST(Metrics, CountsOnce) {
  Rig rig;
  rig.metrics.CountRequest("rerank", "ok", milliseconds(20));
  rig.metrics.CountComputed({.documents = 10, .tokens = 120, .truncated = 2, .duplicates = 3});
  rig.metrics.CountRequest("rerank", "Validation", milliseconds(1));
  rig.metrics.CountRefusal("deadline");
  rig.metrics.CountBatch(7, 100, 0.5, milliseconds(10));
  const std::string text = rig.metrics.Text({.requests_inside = 3, .connections = 5});
  for (const char* line :
       {"podium_requests_total{outcome=\"ok\",route=\"rerank\"} 1\n",
        "podium_requests_total{outcome=\"Validation\",route=\"rerank\"} 1\n",
        "podium_request_documents_total 10\n", "podium_request_tokens_total 120\n",
        "podium_request_truncated_documents_total 2\n",
        "podium_request_duplicate_documents_total 3\n",
        "podium_admission_rejections_total{reason=\"deadline\"} 1\n",
        "podium_batch_pairs_total 7\n", "podium_request_seconds_count 2\n",
        "podium_request_seconds_bucket{le=\"0.001\"} 1\n", "podium_queue_requests 3\n",
        "podium_http_connections 5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes"));
}

}  // namespace
}  // namespace podium
