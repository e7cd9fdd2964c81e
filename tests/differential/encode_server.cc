// Our side of the differential test: reads requests on standard input, answers on standard output,
// one after the other. All numbers are little-endian uint32 (ids are int32).
//
//   'L' file                      reads a tokenizer file, which later requests mean
//                                 → status code (0 is ok), message
//   'E' wanted text               encodes a text; wanted 2^32-1 means all ids
//                                 → complete (0 or 1), ids
//   'P' rule limit query document encodes a pair by a PairRule's number → 0 (2 when the limit is
//   too
//                                 short, 3 when the rule leaves nothing of the document), ids,
//                                 types
//
// Texts and lists go with their length in front.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "text/pair_encoder.h"
#include "text/tokenizer_file.h"

namespace podium {
namespace {

bool ReadNumber(uint32_t& out) { return std::fread(&out, sizeof(out), 1, stdin) == 1; }

std::string ReadText() {
  uint32_t size = 0;
  PODIUM_CHECK(ReadNumber(size));
  std::string text(size, '\0');
  PODIUM_CHECK(std::fread(text.data(), 1, size, stdin) == size);
  return text;
}

void WriteNumber(uint32_t number) { std::fwrite(&number, sizeof(number), 1, stdout); }

template <typename List>
void WriteList(const List& list) {
  WriteNumber(static_cast<uint32_t>(list.size()));
  std::fwrite(list.data(), sizeof(*list.data()), list.size(), stdout);
}

void Load(std::unique_ptr<Tokenizer>& tokenizer) {
  const std::string file = ReadText();
  auto parsed = ParseTokenizer(file, "tokenizer.json", "", "");
  WriteNumber(static_cast<uint32_t>(parsed.status().code()));
  WriteList(parsed.ok() ? std::string() : std::string(parsed.status().message()));
  if (parsed.ok()) tokenizer = std::move(parsed).value();
}

void Encode(const Tokenizer& tokenizer) {
  uint32_t wanted = 0;
  PODIUM_CHECK(ReadNumber(wanted));
  const Encoded encoded =
      tokenizer.Encode(ReadText(), wanted == UINT32_MAX ? SIZE_MAX : size_t{wanted});
  WriteNumber(encoded.complete ? 1 : 0);
  WriteList(encoded.ids);
}

void EncodePair(const Tokenizer& tokenizer) {
  uint32_t number = 0, limit = 0;
  PODIUM_CHECK(ReadNumber(number) && number <= static_cast<uint32_t>(PairRule::kFlagEmbedding));
  PODIUM_CHECK(ReadNumber(limit));
  const auto rule = static_cast<PairRule>(number);
  const std::string query_text = ReadText(), document_text = ReadText();
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  uint32_t outcome = 2;
  if (static_cast<int>(limit) >= LengthMin(rule, tokenizer.pair_template().special_tokens())) {
    const PairEncoder encoder(tokenizer, static_cast<int>(limit), rule);
    const Encoded query = encoder.EncodeQuery(query_text);
    const Encoded document = encoder.EncodeDocument(document_text, query);
    outcome = encoder.CheckRoom(query, document).ok() ? 0 : 3;
    if (outcome == 0) encoder.AppendPair(query, document, ids, types);
  }
  WriteNumber(outcome);
  WriteList(ids);
  WriteList(types);
}

int Run() {
  std::unique_ptr<Tokenizer> tokenizer;
  for (int kind = 0; (kind = std::getchar()) != EOF; std::fflush(stdout)) {
    if (kind == 'L') {
      Load(tokenizer);
      continue;
    }
    PODIUM_CHECK(tokenizer != nullptr && (kind == 'E' || kind == 'P'));
    if (kind == 'E') {
      Encode(*tokenizer);
    } else {
      EncodePair(*tokenizer);
    }
  }
  return 0;
}

}  // namespace
}  // namespace podium

int main() { return podium::Run(); }
