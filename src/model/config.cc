#include "model/config.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/concat.h"
#include "json/json.h"
#include "model/config_keys.h"
#include "model/score_config.h"

namespace podium {
namespace {

// Far above any real encoder; they bound what a hostile config can make us multiply or reserve.
constexpr int64_t kLayersMax = 1024;
constexpr int64_t kWidthMax = 1 << 17;
constexpr int64_t kRowsMax = 1 << 24;
constexpr int64_t kTokenTypesMax = 256;  // segment ids travel as bytes
constexpr int kHeadSizeMax = 256;

constexpr std::string_view kSupported =
    "supported: XLMRoberta-, Roberta-, Camembert- and BertForSequenceClassification";

struct Family {
  std::string_view model_type;
  std::string_view classifier;  // the architecture with the head
  HeadKind head;
  bool positions_after_padding;  // the first token's position is pad_token_id + 1
  int64_t pad_token_id;          // default
  int64_t vocabulary;            // default
};
constexpr Family kFamilies[] = {
    {"xlm-roberta", "XLMRobertaForSequenceClassification", HeadKind::kDenseTanhProject, true, 1,
     30522},
    {"roberta", "RobertaForSequenceClassification", HeadKind::kDenseTanhProject, true, 1, 50265},
    {"camembert", "CamembertForSequenceClassification", HeadKind::kDenseTanhProject, true, 1,
     30522},
    {"bert", "BertForSequenceClassification", HeadKind::kPoolerTanhProject, false, 0, 30522},
};

// transformers builds the class that model_type names, whatever the list of architectures says; the
// classes of the RoBERTa kind compute the same.
bool IsClassifierOf(const Family& family, std::string_view architecture) {
  for (const Family& other : kFamilies) {
    if (other.head == family.head && other.classifier == architecture) return true;
  }
  return false;
}

struct NamedActivation {
  std::string_view name;
  Activation activation;
};
// All names transformers has for the two forms of GELU (their constants differ by less than fp32
// rounds), and ReLU.
constexpr NamedActivation kActivations[] = {
    {"gelu", Activation::kGeluErf},
    {"gelu_python", Activation::kGeluErf},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"gelu_python_tanh", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_accurate", Activation::kGeluTanh},
    {"relu", Activation::kRelu},
};

Result<const Family*> FindFamily(const ConfigKeys& keys, std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const std::string model_type, keys.Text("model_type", ""));
  const Family* family = nullptr;
  for (const Family& candidate : kFamilies) {
    if (candidate.model_type == model_type) family = &candidate;
  }
  // Without a list of architectures the tensors decide whether there is a head.
  bool listed = true;
  std::string first;
  if (const auto architectures = keys.Find("architectures");
      architectures && architectures->size() > 0) {
    listed = false;
    architectures->ForEachElement([&](json::Value value) {
      const auto name = value.AsString();
      if (name && first.empty()) first = *name;
      if (name && family != nullptr && IsClassifierOf(*family, *name)) listed = true;
      return true;
    });
  }
  if (family != nullptr && listed) return family;
  if (family == nullptr) {
    return Unsupported(Concat(origin, ": model_type \"", model_type, "\"",
                              first.empty() ? "" : Concat(" (", first, ")"),
                              " is not a reranker that Podium runs; ", kSupported));
  }
  if (first.ends_with("Model") || first.ends_with("MaskedLM")) {
    return Unsupported(Concat(origin, ": architecture ", first,
                              " has no classification head: it is an embedding or language model, "
                              "not a reranker; ",
                              kSupported));
  }
  return Unsupported(Concat(origin, ": architecture ", first.empty() ? "without a name" : first,
                            " is not a reranker that Podium runs; ", kSupported));
}

// ConfigKeys that only change the maths when they are set to something.
Status RefuseWhatIsNotDone(const ConfigKeys& keys) {
  for (const std::string_view key : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    const auto value = keys.Find(key);
    if (value && value->AsBool() != false) {
      return keys.Refuse(key, Concat("got ", ShowValue(*value), ", only false is supported"));
    }
  }
  for (const std::string_view key :
       {"quantization_config", "compression_config", "pruned_heads", "adapters", "rope_scaling"}) {
    const auto value = keys.Find(key);
    const bool container =
        value && (value->is(json::Type::kObject) || value->is(json::Type::kArray));
    if (value && !(container && value->size() == 0)) {
      return keys.Refuse(key,
                         Concat("got ", ShowValue(*value),
                                "; a model that needs it is not supported, use plain weights"));
    }
  }
  if (const auto map = keys.Find("auto_map");
      map && map->Find("AutoModelForSequenceClassification")) {
    return keys.Refuse("auto_map",
                       "the model brings its own Python code, which Podium does not run");
  }
  PODIUM_ASSIGN_OR_RETURN(const std::string positions,
                          keys.Text("position_embedding_type", "absolute"));
  if (positions != "absolute") {
    return keys.Refuse("position_embedding_type",
                       Concat("got \"", positions, "\", supported: \"absolute\""));
  }
  for (const std::string_view key : {"classifier_pooling", "pooling", "pooling_mode"}) {
    PODIUM_ASSIGN_OR_RETURN(const std::string pooling, keys.Text(key, "cls"));
    if (pooling != "cls") {
      return keys.Refuse(key, Concat("got \"", pooling, "\", supported: \"cls\""));
    }
  }
  return OkStatus();
}

// The names of two labels that leave no doubt which one means "relevant": none of their own, or
// such as these. A pair of names as "entailment" and "contradiction" says that the model was
// trained for something else.
bool SecondMeansRelevant(std::string_view first, std::string_view second) {
  struct Names {
    std::string_view first;
    std::string_view second;
  };
  constexpr Names kKnown[] = {
      {"label_0", "label_1"},
      {"0", "1"},
      {"no", "yes"},
      {"false", "true"},
      {"irrelevant", "relevant"},
      {"not_relevant", "relevant"},
      {"not relevant", "relevant"},
      {"non-relevant", "relevant"},
      {"nonrelevant", "relevant"},
  };
  const auto same = [](std::string_view name, std::string_view lower) {
    return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  };
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Names& known) {
    return same(first, known.first) && same(second, known.second);
  });
}

// How many outputs the head has. id2label counts where it is given, as in transformers; two labels
// without either key.
//
// Two labels: passage rerankers trained as classifiers (monoBERT and its kind) have "not relevant"
// and "relevant", in this order, and their authors rank by the softmax's probability of label 1.
// That is the sigmoid of output 1 less output 0, so that difference is the logit.
// (sentence-transformers and TEI refuse to rank with such a model at all; nobody takes one column
// of the two.)
Result<int> ReadLabels(const ConfigKeys& keys, std::string_view origin) {
  int64_t labels = 2;
  std::string_view key = "num_labels and id2label are absent, which means";
  if (const auto map = keys.Find("id2label")) {
    if (!map->is(json::Type::kObject)) {
      return Corrupt(Concat(origin, ": id2label: got ", ShowValue(*map), ", expected an object"));
    }
    labels = static_cast<int64_t>(map->size());
    key = "id2label has";
    if (labels == 2) {
      const auto first = map->Find("0");
      const auto second = map->Find("1");
      const auto first_name = first ? first->AsString() : std::nullopt;
      const auto second_name = second ? second->AsString() : std::nullopt;
      if (!first_name || !second_name) {
        return Corrupt(Concat(origin, ": id2label: expected names of \"0\" and \"1\""));
      }
      if (!SecondMeansRelevant(*first_name, *second_name)) {
        return keys.Refuse("id2label",
                           Concat("got two labels, \"", *first_name, "\" and \"", *second_name,
                                  "\"; a reranker's are \"irrelevant\" and "
                                  "\"relevant\", \"no\" and \"yes\", or unnamed"));
      }
    }
  } else if (keys.Find("num_labels")) {
    PODIUM_ASSIGN_OR_RETURN(labels, keys.Integer("num_labels", 2, 0, kRowsMax));
    key = "num_labels is";
  }
  if (labels == 1 || labels == 2) return static_cast<int>(labels);
  return Unsupported(Concat(origin, ": ", key, " ", labels,
                            " labels; a reranker has 1, its logit is the score, or 2, not relevant "
                            "and relevant"));
}

Result<float> ReadNormEps(const ConfigKeys& keys, std::string_view origin) {
  const auto value = keys.Find("layer_norm_eps");
  if (!value) return 1e-12f;
  const auto eps = value->AsDouble();
  if (!eps || !(*eps > 0 && *eps < 1) || static_cast<float>(*eps) == 0) {
    return Corrupt(Concat(origin, ": layer_norm_eps: got ", ShowValue(*value),
                          ", allowed: a number above 0 and below 1"));
  }
  return static_cast<float>(*eps);
}

Result<Activation> ReadActivation(const ConfigKeys& keys) {
  PODIUM_ASSIGN_OR_RETURN(const std::string wanted, keys.Text("hidden_act", "gelu"));
  std::string names;
  for (const auto& [name, activation] : kActivations) {
    if (name == wanted) return activation;
    names += Concat(names.empty() ? "" : ", ", name);
  }
  return keys.Refuse("hidden_act", Concat("got \"", wanted, "\", supported: ", names));
}

}  // namespace

Result<EncoderSpec> ParseConfig(std::string_view text, std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document document,
                          json::Document::Parse(text, origin, {.bytes_max = kConfigBytesMax}));
  if (!document.root().is(json::Type::kObject)) {
    return Corrupt(Concat(origin, ": expected an object, got ", ShowValue(document.root())));
  }
  const ConfigKeys keys(document.root(), origin);
  PODIUM_ASSIGN_OR_RETURN(const Family* family, FindFamily(keys, origin));
  PODIUM_RETURN_IF_ERROR(RefuseWhatIsNotDone(keys));

  EncoderSpec spec;
  spec.architecture = family->classifier;
  spec.head = family->head;
  PODIUM_ASSIGN_OR_RETURN(spec.labels, ReadLabels(keys, origin));
  PODIUM_ASSIGN_OR_RETURN(spec.score_scale, ReadScoreScale(keys, spec.labels));
  PODIUM_ASSIGN_OR_RETURN(spec.layers, keys.Integer("num_hidden_layers", 12, 1, kLayersMax));
  PODIUM_ASSIGN_OR_RETURN(spec.hidden, keys.Integer("hidden_size", 768, 1, kWidthMax));
  PODIUM_ASSIGN_OR_RETURN(spec.heads, keys.Integer("num_attention_heads", 12, 1, kWidthMax));
  PODIUM_ASSIGN_OR_RETURN(spec.ffn, keys.Integer("intermediate_size", 3072, 1, kWidthMax));
  PODIUM_ASSIGN_OR_RETURN(spec.vocabulary,
                          keys.Integer("vocab_size", family->vocabulary, 1, kRowsMax));
  PODIUM_ASSIGN_OR_RETURN(spec.positions,
                          keys.Integer("max_position_embeddings", 512, 1, kRowsMax));
  PODIUM_ASSIGN_OR_RETURN(spec.token_types, keys.Integer("type_vocab_size", 2, 1, kTokenTypesMax));
  PODIUM_ASSIGN_OR_RETURN(spec.norm_eps, ReadNormEps(keys, origin));
  PODIUM_ASSIGN_OR_RETURN(spec.activation, ReadActivation(keys));
  if (family->positions_after_padding) {
    PODIUM_ASSIGN_OR_RETURN(const int pad,
                            keys.Integer("pad_token_id", family->pad_token_id, 0, kRowsMax));
    spec.position_offset = pad + 1;
  }
  if (spec.hidden % spec.heads != 0) {
    return Corrupt(Concat(origin, ": hidden_size ", spec.hidden,
                          " is not a multiple of num_attention_heads ", spec.heads));
  }
  if (spec.head_size() % 8 != 0 || spec.head_size() > kHeadSizeMax) {
    return Unsupported(Concat(origin, ": hidden_size ", spec.hidden, " / num_attention_heads ",
                              spec.heads, " makes heads of ", spec.head_size(),
                              ", supported: a multiple of 8 up to ", kHeadSizeMax));
  }
  if (spec.length_max() < 1) {
    return Corrupt(Concat(origin, ": max_position_embeddings ", spec.positions,
                          " leaves no position after pad_token_id ", spec.position_offset - 1));
  }
  return spec;
}

}  // namespace podium
