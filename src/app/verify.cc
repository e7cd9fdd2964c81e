#include "app/verify.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <span>

#include "app/tokens.h"
#include "base/concat.h"
#include "base/file.h"
#include "json/json.h"

namespace podium {
namespace {

// The reference of a model folder is fp32.
constexpr float kReferenceTolerance = 1e-3f;
constexpr size_t kReferenceBytesMax = size_t{64} << 20;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string JoinIds(std::span<const int32_t> ids) {
  std::string out;
  for (const int32_t id : ids) out += Concat(out.empty() ? "" : " ", id);
  return out;
}

Check CompareIds(std::string id, std::string what, std::span<const int32_t> expected,
                 std::span<const int32_t> got, std::string source) {
  return {.id = std::move(id),
          .what = std::move(what),
          .expected = JoinIds(expected),
          .got = JoinIds(got),
          .source = std::move(source),
          .ok = std::equal(expected.begin(), expected.end(), got.begin(), got.end())};
}

Check CompareLogit(std::string id, std::string what, float expected, float tolerance, float got,
                   std::string source) {
  return {.id = std::move(id),
          .what = std::move(what),
          .expected = Concat(expected, " ± ", tolerance),
          .got = Concat(got),
          .source = std::move(source),
          .ok = std::fabs(expected - got) <= tolerance};
}

std::string PairText(std::string_view query, std::string_view document) {
  return Concat(query, " / ", document);
}

Status CheckTokens(const KnownModel& known, const Tokenizer& tokenizer, int length_max,
                   std::vector<Check>& checks) {
  if (!known.m3_tokenizer) return OkStatus();
  for (const TokenAnchor& anchor : TokenAnchors()) {
    const bool pair = anchor.document != nullptr;
    TokenizedText got;
    if (pair) {
      PODIUM_ASSIGN_OR_RETURN(got,
                              TokenizePair(tokenizer, anchor.text, anchor.document, length_max));
    } else {
      got = TokenizeText(tokenizer, anchor.text, length_max);
    }
    const std::vector<int32_t> expected(anchor.ids.begin(), anchor.ids.end());
    checks.push_back(CompareIds(anchor.id,
                                pair ? PairText(anchor.text, anchor.document) : anchor.text,
                                expected, got.ids, anchor.source));
  }
  return OkStatus();
}

Status CheckScores(const KnownModel& known, const Reranker& reranker, std::vector<Check>& checks) {
  for (const ScoreAnchor& anchor : ScoreAnchors()) {
    if (std::string_view(anchor.model) != known.name) continue;
    const Pair pair{anchor.query, anchor.document};
    PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores,
                            reranker.ScorePairs(std::span(&pair, 1)));
    checks.push_back(CompareLogit(anchor.id, PairText(anchor.query, anchor.document), anchor.logit,
                                  anchor.tolerance, scores[0].logit, anchor.source));
  }
  return OkStatus();
}

// One line {"query", "document", "input_ids", "logit_fp32"}.
Status CheckReferenceLine(std::string_view line, const std::string& where, const std::string& id,
                          const Reranker& reranker, const Tokenizer& tokenizer,
                          std::vector<Check>& checks) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document parsed, json::Document::Parse(line, where));
  const json::Value root = parsed.root();
  const auto text_of = [&](const char* key) {
    const auto value = root.Find(key);
    return value ? value->AsString() : std::nullopt;
  };
  const auto query = text_of("query");
  const auto document = text_of("document");
  const auto ids = root.Find("input_ids");
  const auto logit = root.Find("logit_fp32");
  if (!query || !document || !ids || !logit || !logit->AsDouble()) {
    return Corrupt(Concat(where,
                          ": expected \"query\", \"document\", \"input_ids\", "
                          "\"logit_fp32\""));
  }
  std::vector<int32_t> expected;
  ids->ForEachElement([&](json::Value value) {
    expected.push_back(static_cast<int32_t>(value.AsInt().value_or(-1)));
    return true;
  });
  const std::string what = PairText(*query, *document);
  PODIUM_ASSIGN_OR_RETURN(const TokenizedText got,
                          TokenizePair(tokenizer, *query, *document, reranker.info().max_length));
  checks.push_back(CompareIds(id + " ids", what, expected, got.ids, where));
  const Pair pair{*query, *document};
  PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores,
                          reranker.ScorePairs(std::span(&pair, 1)));
  checks.push_back(CompareLogit(id + " logit", what, static_cast<float>(*logit->AsDouble()),
                                kReferenceTolerance, scores[0].logit, where));
  return OkStatus();
}

Status CheckReferenceFile(const std::string& path, const Reranker& reranker,
                          const Tokenizer& tokenizer, std::vector<Check>& checks) {
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kReferenceBytesMax));
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    PODIUM_RETURN_IF_ERROR(CheckReferenceLine(line, Concat(path, ":", number), Concat("R", number),
                                              reranker, tokenizer, checks));
  }
  return OkStatus();
}

}  // namespace

const KnownModel* Recognise(const EncoderSpec& spec, const std::string& name,
                            std::string* assumption) {
  std::vector<const KnownModel*> same;
  for (const KnownModel& known : KnownModels()) {
    if (spec.architecture == known.architecture && spec.layers == known.layers &&
        spec.hidden == known.hidden && spec.vocabulary == known.vocabulary &&
        spec.positions == known.positions) {
      same.push_back(&known);
    }
  }
  if (same.empty()) return nullptr;
  const std::string asked = Lower(name);
  for (const KnownModel* known : same) {
    const std::string hub = Lower(known->name);
    if (asked.find(hub.substr(hub.find('/') + 1)) != std::string::npos) return known;
  }
  std::string others;
  for (size_t i = 1; i < same.size(); ++i) others += Concat(", ", same[i]->name);
  *assumption =
      Concat("assumed to be ", same[0]->name, " by its shape (", spec.layers, " × ", spec.hidden,
             ", ", spec.vocabulary, " pieces, ", spec.positions, " positions)",
             others.empty() ? "" : "; the same shape: ", others.empty() ? "" : others.substr(2));
  return same[0];
}

Result<Verification> Verify(const Reranker& reranker, const EncoderSpec& spec,
                            const Tokenizer& tokenizer) {
  Verification out;
  const ModelInfo& info = reranker.info();
  if (const KnownModel* known =
          Recognise(spec, Concat(info.name, " ", info.folder), &out.assumption)) {
    out.model = known->name;
    PODIUM_RETURN_IF_ERROR(CheckTokens(*known, tokenizer, info.max_length, out.checks));
    PODIUM_RETURN_IF_ERROR(CheckScores(*known, reranker, out.checks));
  }
  const std::string reference = info.folder + "/reference.jsonl";
  std::error_code error;
  if (std::filesystem::exists(reference, error)) {
    PODIUM_RETURN_IF_ERROR(CheckReferenceFile(reference, reranker, tokenizer, out.checks));
  }
  if (!out.checks.empty()) return out;
  if (!out.model.empty()) {
    return NotFound(Concat(info.folder, ": no reference values are known for ", out.model));
  }
  return NotFound(Concat(info.folder,
                         ": nothing to compare with: no reference.jsonl beside the "
                         "model, and no public model is known with ",
                         spec.architecture, ", ", spec.layers, " × ", spec.hidden, ", ",
                         spec.vocabulary, " pieces, ", spec.positions, " positions"));
}

}  // namespace podium
