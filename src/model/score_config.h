// What a model's files say its score is, beyond the logit: activation, temperature, prompts.
#ifndef PODIUM_MODEL_SCORE_CONFIG_H_
#define PODIUM_MODEL_SCORE_CONFIG_H_

#include <string_view>

#include "base/status.h"
#include "model/config_keys.h"
#include "podium/types.h"

namespace podium {

/// Of a config.json: sentence_transformers.activation_fn, or the older
/// sbert_ce_default_activation_function; without either the sigmoid, as in sentence-transformers.
/// kUnsupported, by name, for another function and for a temperature or scale that would change the
/// score.
Result<ScoreScale> ReadScoreScale(const ConfigKeys& config, int labels);

/// Of the text of a config_sentence_transformers.json, which counts before config.json's `scale`. A
/// default prompt, which would stand before each text, is refused by name.
Result<ScoreScale> ReadSentenceTransformersConfig(std::string_view text, std::string_view origin,
                                                  int labels, ScoreScale scale);

}  // namespace podium

#endif  // PODIUM_MODEL_SCORE_CONFIG_H_
