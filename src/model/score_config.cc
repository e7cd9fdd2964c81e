#include "model/score_config.h"

#include <optional>
#include <string>

#include "base/concat.h"
#include "model/config.h"

namespace podium {
namespace {

// Keys that would change the score where they are not neutral. Old configs list all defaults of
// text generation, a temperature of 1 among them.
Status CheckNeutral(const ConfigKeys& keys) {
  struct Neutral {
    std::string_view key;
    double value;
  };
  constexpr Neutral kNeutral[] = {{"temperature", 1}, {"logit_scale", 1}, {"logit_bias", 0}};
  for (const auto& [key, neutral] : kNeutral) {
    const auto value = keys.Find(key);
    if (value && value->AsDouble() != neutral) {
      return keys.Refuse(key, Concat("got ", ShowValue(*value), ", supported: ", neutral,
                                     ", which changes no score"));
    }
  }
  return OkStatus();
}

// `path` is a Python path, as "torch.nn.modules.activation.Sigmoid". Of two labels the score is the
// softmax's probability of the second (config.cc), whose logit that is: the activation that the
// file names is of a pair of numbers, and says nothing about it.
Result<ScoreScale> ScaleOf(const ConfigKeys& keys, std::string_view key, std::string_view path,
                           int labels) {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  if (path.starts_with("torch.")) {
    if (labels == 2 && (name == "Identity" || name == "Softmax")) return ScoreScale::kSigmoid;
    if (labels == 1 && name == "Identity") return ScoreScale::kLogit;
    if (labels == 1 && name == "Sigmoid") return ScoreScale::kSigmoid;
  }
  return keys.Refuse(key, Concat("got \"", path, "\", supported with ", labels, " label",
                                 labels == 1 ? ": torch.nn.Sigmoid, torch.nn.Identity"
                                             : "s: torch.nn.Identity, torch.nn.Softmax"));
}

}  // namespace

Result<ScoreScale> ReadScoreScale(const ConfigKeys& config, int labels) {
  PODIUM_RETURN_IF_ERROR(CheckNeutral(config));
  if (const auto own = config.Find("sentence_transformers")) {
    if (!own->is(json::Type::kObject)) {
      return Corrupt(Concat(config.origin(), ": sentence_transformers: got ", ShowValue(*own),
                            ", expected an object"));
    }
    const ConfigKeys keys(*own, config.origin());
    PODIUM_RETURN_IF_ERROR(CheckNeutral(keys));
    PODIUM_ASSIGN_OR_RETURN(const std::string path, keys.Text("activation_fn", ""));
    if (!path.empty()) return ScaleOf(keys, "sentence_transformers.activation_fn", path, labels);
  }
  constexpr std::string_view kOldKey = "sbert_ce_default_activation_function";
  PODIUM_ASSIGN_OR_RETURN(const std::string path, config.Text(kOldKey, ""));
  if (!path.empty()) return ScaleOf(config, kOldKey, path, labels);
  return ScoreScale::kSigmoid;
}

Result<ScoreScale> ReadSentenceTransformersConfig(std::string_view text, std::string_view origin,
                                                  int labels, ScoreScale scale) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document document,
                          json::Document::Parse(text, origin, {.bytes_max = kConfigBytesMax}));
  if (!document.root().is(json::Type::kObject)) {
    return Corrupt(Concat(origin, ": expected an object, got ", ShowValue(document.root())));
  }
  const ConfigKeys keys(document.root(), origin);
  PODIUM_ASSIGN_OR_RETURN(const std::string kind, keys.Text("model_type", "CrossEncoder"));
  if (kind != "CrossEncoder") {
    return keys.Refuse("model_type", Concat("got \"", kind,
                                            "\", supported: \"CrossEncoder\"; another kind is no "
                                            "reranker"));
  }
  PODIUM_RETURN_IF_ERROR(CheckNeutral(keys));
  PODIUM_ASSIGN_OR_RETURN(const std::string prompt_name, keys.Text("default_prompt_name", ""));
  if (!prompt_name.empty()) {
    const auto prompts = keys.Find("prompts");
    const auto prompt = prompts ? prompts->Find(prompt_name) : std::nullopt;
    if (!prompt || prompt->AsString() != "") {
      return keys.Refuse("default_prompt_name", Concat("got \"", prompt_name, "\", ",
                                                       prompt ? ShowValue(*prompt) : "absent",
                                                       ": Podium puts no prompt before a text"));
    }
  }
  PODIUM_ASSIGN_OR_RETURN(const std::string path, keys.Text("activation_fn", ""));
  if (path.empty()) return scale;
  return ScaleOf(keys, "activation_fn", path, labels);
}

}  // namespace podium
