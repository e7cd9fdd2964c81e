#include "text/bare_vocabulary_file.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "base/utf8.h"
#include "text/bert_normalizer.h"
#include "text/chain_tokenizer.h"
#include "text/charsmap.h"
#include "text/model_file.h"
#include "text/reference_number.h"
#include "text/sentencepiece_model.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace podium {
namespace {

constexpr int kBertWordCharsMax = 100;

Status Within(const std::string& where, const Status& status) {
  return Status(status.code(), Concat(where, ": ", status.message()));
}

Status CheckClass(const TokenizerSettings& settings, const std::string& path,
                  std::initializer_list<std::string_view> known) {
  std::string_view name = settings.tokenizer_class;
  if (name.empty()) return OkStatus();
  if (name.ends_with("Fast")) name.remove_suffix(4);
  if (std::find(known.begin(), known.end(), name) != known.end()) return OkStatus();
  std::string names;
  for (const std::string_view each : known) names += Concat(names.empty() ? "" : ", ", each);
  return Unsupported(Concat(path, ": without a tokenizer.json the tokenizer_class \"",
                            settings.tokenizer_class, "\" is not supported; ", names, " are"));
}

struct DefaultSpecial {
  const char* name;
  const char* text;
};

// The special token of a name, as the settings have it, else the class's own.
FileToken ChooseSpecial(const TokenizerSettings& settings, const DefaultSpecial& standard,
                        const std::string& path) {
  if (const auto* given = settings.Find(standard.name)) return given->token;
  FileToken token;
  token.token.text = standard.text;
  token.token.id = -1;
  token.where = Concat(path, ": the class's own ", standard.name);
  return token;
}

// Tokens that were added, then special ones that are not among them.
Status InstallTokens(TokenizerSettings settings, std::vector<FileToken> special,
                     TokenizerParts& parts) {
  std::vector<FileToken> tokens = std::move(settings.added);
  for (auto& each : settings.special) {
    if (each.name == "additional_special_tokens") special.push_back(std::move(each.token));
  }
  std::unordered_set<std::string> known;
  for (const FileToken& token : tokens) known.insert(token.token.text);
  for (FileToken& token : special) {
    if (known.insert(token.token.text).second) tokens.push_back(std::move(token));
  }
  return InstallAddedTokens(std::move(tokens), parts);
}

std::unique_ptr<Tokenizer> Finish(TokenizerParts parts) {
  return std::make_unique<ChainTokenizer>(std::move(parts));
}

// Lines end as in Python's text files: \n, \r\n or \r. What follows the last end is a line when it
// is not empty.
std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with("\r\n")) text.remove_prefix(1);
    if (!text.empty()) text.remove_prefix(1);
  }
  return lines;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> ParseVocabularyText(const FileText& vocabulary_file,
                                                       const SettingsFiles& settings_files) {
  const std::string& path = vocabulary_file.path;
  PODIUM_ASSIGN_OR_RETURN(TokenizerSettings settings, ParseSettings(settings_files));
  PODIUM_RETURN_IF_ERROR(CheckClass(settings, settings_files.config.path,
                                    {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}));
  if (const size_t valid = ValidUtf8Prefix(vocabulary_file.text);
      valid != vocabulary_file.text.size()) {
    return Corrupt(Concat(path, ": byte ", valid, " is not UTF-8"));
  }
  const std::vector<std::string_view> texts = Lines(vocabulary_file.text);
  if (texts.size() > kVocabularyMax) {
    return ResourceExhausted(Concat(path, ": ", texts.size(), " pieces, limit ", kVocabularyMax));
  }
  Result<Vocabulary> vocabulary = Vocabulary::Build(texts);
  if (!vocabulary.ok()) return Within(path, vocabulary.status());

  constexpr DefaultSpecial kSpecial[] = {{"unk_token", "[UNK]"},
                                         {"sep_token", "[SEP]"},
                                         {"pad_token", "[PAD]"},
                                         {"cls_token", "[CLS]"},
                                         {"mask_token", "[MASK]"}};
  std::vector<FileToken> special;
  int32_t unknown = 0, sep = 0, cls = 0;
  for (const DefaultSpecial& standard : kSpecial) {
    special.push_back(ChooseSpecial(settings, standard, path));
    const std::string_view name = standard.name;
    int32_t* const needed = name == "unk_token"   ? &unknown
                            : name == "sep_token" ? &sep
                            : name == "cls_token" ? &cls
                                                  : nullptr;
    if (needed == nullptr) continue;
    const std::string& text = special.back().token.text;
    *needed = vocabulary->Find(text);
    if (*needed < 0) {
      return Corrupt(Concat(path, ": no piece is \"", text, "\", the ", name));
    }
  }

  TokenizerParts parts;
  parts.length_max = settings.length_max;
  BertRules rules;
  rules.lowercase = settings.do_lower_case.value_or(true);
  rules.strip_accents = settings.strip_accents.value_or(rules.lowercase);
  rules.ideographs = settings.tokenize_chinese_chars.value_or(true);
  parts.normalizer.Add(MakeBert(rules));
  parts.pre_tokenizer.steps.emplace_back(SplitRule::Bert());
  parts.model =
      std::make_unique<WordPiece>(std::move(vocabulary).value(), unknown, "##", kBertWordCharsMax);
  parts.templates = BertTemplates(cls, sep);
  PODIUM_RETURN_IF_ERROR(InstallTokens(std::move(settings), std::move(special), parts));
  return Finish(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> ParseSentencePiece(const FileText& model_file,
                                                      const SettingsFiles& settings_files) {
  const std::string& path = model_file.path;
  PODIUM_ASSIGN_OR_RETURN(TokenizerSettings settings, ParseSettings(settings_files));
  PODIUM_RETURN_IF_ERROR(CheckClass(settings, settings_files.config.path, {"XLMRobertaTokenizer"}));
  Result<SentencePieceModel> read = SentencePieceModel::Parse(model_file.text);
  if (!read.ok()) return Within(path, read.status());
  const SentencePieceModel& model = *read;
  const auto refuse = [&](const char* what) { return Unsupported(Concat(path, ": ", what)); };
  if (model.model_type != SentencePieceModel::kUnigram) {
    return refuse("only Unigram models are supported, this is BPE, WORD or CHAR");
  }
  if (model.byte_fallback) return refuse("byte_fallback is not supported");
  if (model.space_is_suffix) return refuse("treat_whitespace_as_suffix is not supported");
  if (!model.adds_prefix_space) return refuse("add_dummy_prefix: only true is supported");
  if (!model.removes_extra_space) {
    return refuse("remove_extra_whitespaces: only true is supported");
  }
  if (!model.escapes_space) return refuse("escape_whitespaces: only true is supported");

  constexpr const char* kFirst[] = {"<unk>", "<s>", "</s>"};
  constexpr size_t kShifted = std::size(kFirst);
  for (size_t i = 0; i < kShifted; ++i) {
    if (i >= model.pieces.size() || model.pieces[i].text != kFirst[i]) {
      return refuse("the first pieces of an XLM-RoBERTa model are <unk>, <s>, </s>");
    }
  }
  constexpr int32_t kBegin = 0, kEnd = 2, kUnknown = 3;
  std::vector<Unigram::Piece> pieces = {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}};
  for (size_t i = kShifted; i < model.pieces.size(); ++i) {
    const SentencePieceModel::Piece& piece = model.pieces[i];
    if (piece.type != SentencePieceModel::kNormal) {
      return Unsupported(Concat(path, ": piece ", i, " \"", piece.text, "\" is of type ",
                                piece.type, ", only normal ones (1) are supported"));
    }
    pieces.push_back({piece.text, ReferenceNumber(static_cast<double>(piece.score))});
  }
  pieces.push_back({"<mask>", 0});

  TokenizerParts parts;
  parts.length_max = settings.length_max;
  if (!model.charsmap.empty()) {
    Result<Charsmap> map = Charsmap::Parse(model.charsmap);
    if (!map.ok()) return Within(path, map.status());
    parts.normalizer.Add(MakePrecompiled(std::move(map).value()));
  }
  // With remove_extra_whitespaces no space is left at the ends, and one between words.
  parts.normalizer.Add(MakeReplaceRun(' ', 2, " "));
  parts.pre_tokenizer.steps.emplace_back(SplitRule::WhitespaceSplit());
  parts.pre_tokenizer.steps.emplace_back(MetaspaceRule{.space = "▁"});
  Result<Unigram> unigram = Unigram::Build(pieces, kUnknown);
  if (!unigram.ok()) return Within(path, unigram.status());
  parts.model = std::make_unique<Unigram>(std::move(unigram).value());
  parts.templates = RobertaTemplates(kBegin, kEnd);

  constexpr DefaultSpecial kSpecial[] = {
      {"bos_token", "<s>"},   {"eos_token", "</s>"}, {"unk_token", "<unk>"},  {"sep_token", "</s>"},
      {"pad_token", "<pad>"}, {"cls_token", "<s>"},  {"mask_token", "<mask>"}};
  std::vector<FileToken> special;
  for (const DefaultSpecial& standard : kSpecial) {
    FileToken token = ChooseSpecial(settings, standard, path);
    if (token.token.text != standard.text) {
      return Unsupported(Concat(token.where, ": without a tokenizer.json only \"", standard.text,
                                "\" is supported, got \"", token.token.text, "\""));
    }
    // Given as a mere text it swallows the spaces before it.
    const auto* given = settings.Find(standard.name);
    if (std::string_view(standard.name) == "mask_token" && (given == nullptr || given->plain)) {
      token.token.lstrip = true;
    }
    special.push_back(std::move(token));
  }
  PODIUM_RETURN_IF_ERROR(InstallTokens(std::move(settings), std::move(special), parts));
  return Finish(std::move(parts));
}

}  // namespace podium
