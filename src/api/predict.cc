#include "api/predict.h"

#include <utility>

#include "api/fields.h"
#include "base/concat.h"
#include "json/writer.h"

namespace podium::api {
namespace {

Error Invalid(std::string message) { return {ErrorKind::kValidation, 422, std::move(message)}; }

// The body as an object with "inputs", and perhaps "model"; the error otherwise.
std::optional<Error> ParseInputs(std::string_view body, const DecodeLimits& limits,
                                 std::optional<json::Document>& parsed, json::Value& inputs,
                                 std::string_view& model) {
  json::Document::Limits json_limits;
  json_limits.depth_max = limits.depth_max;
  auto document = json::Document::Parse(body, "request body", json_limits);
  if (!document.ok()) return Error{ErrorKind::kValidation, 400, document.status().message()};
  parsed = *std::move(document);
  auto name = Fields(parsed->root()).String("model");
  if (!name.ok()) return Invalid(name.status().message());
  model = *name;
  const auto found = Fields(parsed->root()).Find("inputs");
  if (!found) return Invalid("inputs: it is missing");
  inputs = *found;
  if (inputs.is(json::Type::kArray) && inputs.size() > static_cast<size_t>(limits.documents_max)) {
    return Invalid(
        Concat("inputs: got ", inputs.size(), ", at most ", limits.documents_max, " are allowed"));
  }
  return std::nullopt;
}

// ["a", "b"].
std::optional<Pair> ReadPair(json::Value value) {
  std::vector<std::string_view> texts;
  if (!value.is(json::Type::kArray) || value.size() != 2) return std::nullopt;
  value.ForEachElement([&](json::Value text) {
    if (const auto plain = text.AsString()) texts.push_back(*plain);
    return true;
  });
  if (texts.size() != 2) return std::nullopt;
  return Pair{texts[0], texts[1]};
}

Status ReadOptions(const Fields& fields, PredictCall& call) {
  PODIUM_ASSIGN_OR_RETURN(call.raw_scores, fields.Bool("raw_scores", false));
  PODIUM_ASSIGN_OR_RETURN(call.truncate, fields.Bool("truncate", true));
  PODIUM_ASSIGN_OR_RETURN(call.truncate_left, fields.IsLeft("truncation_direction"));
  return OkStatus();
}

}  // namespace

std::variant<std::shared_ptr<PredictCall>, Error> DecodePredict(std::string_view body,
                                                                const DecodeLimits& limits) {
  auto call = std::make_shared<PredictCall>();
  json::Value inputs;
  if (auto error = ParseInputs(body, limits, call->parsed, inputs, call->model)) {
    return *std::move(error);
  }
  if (const auto pair = ReadPair(inputs)) {
    call->pairs.push_back(*pair);
  } else {
    call->batch = true;
    bool right = inputs.is(json::Type::kArray);
    inputs.ForEachElement([&](json::Value element) {
      const auto one = ReadPair(element);
      if (one) call->pairs.push_back(*one);
      return right = one.has_value();
    });
    if (!right) {
      return Invalid(Concat("inputs[", call->pairs.size(),
                            "]: a reranker scores pairs, expected [text, text]"));
    }
  }
  if (call->pairs.empty()) return Error{ErrorKind::kEmpty, 400, "inputs: got none"};
  for (size_t i = 0; i < call->pairs.size(); ++i) {
    for (const std::string_view text : {call->pairs[i].query, call->pairs[i].document}) {
      if (const Status status = CheckCharacters(text, limits.characters_max); !status.ok()) {
        return Invalid(Concat("inputs[", i, "]: ", status.message()));
      }
    }
  }
  if (const Status status = ReadOptions(Fields(call->parsed->root()), *call); !status.ok()) {
    return Invalid(status.message());
  }
  call->parsed->KeepTextsOnly();
  return call;
}

std::string EncodePredict(const PredictCall& call, std::span<const Score> scores) {
  std::string body;
  json::Writer writer(body);
  if (call.batch) writer.BeginArray();
  for (const Score& score : scores) {
    writer.BeginArray();
    writer.BeginObject();
    writer.Key("score");
    writer.FloatWithPoint(call.raw_scores ? score.logit : static_cast<float>(Sigmoid(score.logit)));
    writer.Key("label");
    writer.String("LABEL_0");
    writer.EndObject();
    writer.EndArray();
  }
  if (call.batch) writer.EndArray();
  return body;
}

std::variant<std::shared_ptr<TokenizeCall>, Error> DecodeTokenize(std::string_view body,
                                                                  const DecodeLimits& limits) {
  auto call = std::make_shared<TokenizeCall>();
  json::Value inputs;
  if (auto error = ParseInputs(body, limits, call->parsed, inputs, call->model)) {
    return *std::move(error);
  }
  if (const auto text = inputs.AsString()) {
    call->texts.push_back(*text);
  } else {
    bool right = inputs.is(json::Type::kArray);
    inputs.ForEachElement([&](json::Value element) {
      const auto one = element.AsString();
      if (one) call->texts.push_back(*one);
      return right = one.has_value();
    });
    if (!right) return Invalid(Concat("inputs[", call->texts.size(), "]: expected a string"));
  }
  if (call->texts.empty()) return Error{ErrorKind::kEmpty, 400, "inputs: got none"};
  for (size_t i = 0; i < call->texts.size(); ++i) {
    const Status status = CheckCharacters(call->texts[i], limits.characters_max);
    if (!status.ok()) return Invalid(Concat("inputs[", i, "]: ", status.message()));
  }
  auto special = Fields(call->parsed->root()).Bool("add_special_tokens", true);
  if (!special.ok()) return Invalid(special.status().message());
  call->add_special_tokens = *special;
  call->parsed->KeepTextsOnly();
  return call;
}

std::string EncodeTokens(std::span<const std::vector<TokenView>> texts) {
  std::string body;
  json::Writer writer(body);
  writer.BeginArray();
  for (const std::vector<TokenView>& tokens : texts) {
    writer.BeginArray();
    for (const TokenView& token : tokens) {
      writer.BeginObject();
      writer.Key("id");
      writer.Int(token.id);
      writer.Key("text");
      writer.String(token.text);
      writer.Key("special");
      writer.Bool(token.special);
      writer.Key("start");
      writer.Null();
      writer.Key("stop");
      writer.Null();
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndArray();
  return body;
}

}  // namespace podium::api
