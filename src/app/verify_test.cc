#include "app/verify.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace podium {
namespace {

EncoderSpec Spec(const char* architecture, int layers, int hidden, int vocabulary, int positions) {
  EncoderSpec spec;
  spec.architecture = architecture;
  spec.layers = layers;
  spec.hidden = hidden;
  spec.vocabulary = vocabulary;
  spec.positions = positions;
  return spec;
}

TEST(Recognise, PublicModelsByShapeAndName) {
  constexpr const char* kXlmR = "XLMRobertaForSequenceClassification";
  constexpr const char* kBert = "BertForSequenceClassification";
  struct Case {
    EncoderSpec spec;
    const char* name;
    const char* want;  // "" for unknown
    bool assumed;
  };
  const Case cases[] = {
      {Spec(kXlmR, 12, 768, 250002, 514), "my-folder", "BAAI/bge-reranker-base", true},
      {Spec(kXlmR, 12, 768, 250002, 514), "BCE-reranker-base_v1",
       "maidalun1020/bce-reranker-base_v1", false},
      {Spec(kXlmR, 24, 1024, 250002, 514), "x", "BAAI/bge-reranker-large", true},
      {Spec(kXlmR, 24, 1024, 250002, 8194), "snapshots/bge-reranker-v2-m3",
       "BAAI/bge-reranker-v2-m3", false},
      {Spec(kBert, 6, 384, 30522, 512), "x", "cross-encoder/ms-marco-MiniLM-L6-v2", true},
      {Spec(kBert, 12, 384, 30522, 512), "x", "cross-encoder/ms-marco-MiniLM-L12-v2", true},
      {Spec(kXlmR, 12, 384, 60000, 514), "bge-reranker-base", "", false},
  };
  for (const Case& c : cases) {
    std::string assumption;
    const KnownModel* known = Recognise(c.spec, c.name, &assumption);
    EXPECT_STREQ(known == nullptr ? "" : known->name, c.want);
    EXPECT_EQ(!assumption.empty(), c.assumed) << assumption;
  }
}

TEST(Anchors, AreWellFormed) {
  std::set<std::string> models;
  for (const KnownModel& known : KnownModels()) EXPECT_TRUE(models.insert(known.name).second);
  std::set<std::string> ids;
  for (const ScoreAnchor& anchor : ScoreAnchors()) {
    EXPECT_TRUE(ids.insert(anchor.id).second) << anchor.id;
    EXPECT_TRUE(models.count(anchor.model)) << anchor.model;
    EXPECT_EQ(std::string(anchor.source).substr(0, 8), "https://");
  }
  for (const TokenAnchor& anchor : TokenAnchors()) {
    EXPECT_TRUE(ids.insert(anchor.id).second) << anchor.id;
    ASSERT_GE(anchor.ids.size(), 2u) << anchor.id;
    EXPECT_EQ(*anchor.ids.begin(), 0) << anchor.id;
    EXPECT_EQ(*(anchor.ids.end() - 1), 2) << anchor.id;
  }
  EXPECT_EQ(ids.size(), 13u + 15u);
}

}  // namespace
}  // namespace podium
