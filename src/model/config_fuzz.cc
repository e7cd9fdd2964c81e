// Any bytes as a config.json or a config_sentence_transformers.json: an error, or a spec whose
// sizes are safe to compute with.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/config.h"
#include "model/score_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scale = podium::ReadSentenceTransformersConfig(text, "fuzz", size % 2 == 0 ? 1 : 2,
                                                            podium::ScoreScale::kLogit);
  PODIUM_CHECK(scale.ok() || scale.status().message().starts_with("fuzz: "));
  const auto spec = podium::ParseConfig(text, "fuzz");
  if (!spec.ok()) {
    PODIUM_CHECK(spec.status().message().starts_with("fuzz: "));
    return 0;
  }
  PODIUM_CHECK(spec->layers >= 1 && spec->ffn >= 1 && spec->vocabulary >= 1);
  PODIUM_CHECK(spec->heads >= 1 && spec->head_size() * spec->heads == spec->hidden);
  PODIUM_CHECK(spec->head_size() % 8 == 0 && spec->head_size() <= 256);
  PODIUM_CHECK(spec->length_max() >= 1 && spec->position_offset >= 0);
  PODIUM_CHECK(spec->norm_eps > 0 && (spec->labels == 1 || spec->labels == 2));
  return 0;
}
