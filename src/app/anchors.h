// Published reference values of public models: what `podium inspect --verify` compares with.
#ifndef PODIUM_APP_ANCHORS_H_
#define PODIUM_APP_ANCHORS_H_

#include <initializer_list>
#include <span>

#include "model/encoder_spec.h"

namespace podium {

/// A public model, known by its shape.
struct KnownModel {
  const char* name;  // hub name
  const char* architecture;
  int layers;
  int hidden;
  int vocabulary;
  int positions;
  bool m3_tokenizer;  // the token anchors hold for its tokenizer.json
};

struct ScoreAnchor {
  const char* id;
  const char* model;  // hub name
  const char* query;
  const char* document;
  float logit;
  float tolerance;  // 0.02 where the reference was computed in fp16, 1e-3 where in fp32
  const char* source;
};

struct TokenAnchor {
  const char* id;
  const char* text;      // or the query of a pair
  const char* document;  // null for a single text
  std::initializer_list<int> ids;
  const char* source;
};

std::span<const KnownModel> KnownModels();
std::span<const ScoreAnchor> ScoreAnchors();
std::span<const TokenAnchor> TokenAnchors();

}  // namespace podium

#endif  // PODIUM_APP_ANCHORS_H_
