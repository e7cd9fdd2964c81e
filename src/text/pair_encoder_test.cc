#include "text/pair_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podium {
namespace {

TEST(CutLongestFirst, AgreesWithTakingOneAtATimeWhereThatIsTheRule) {
  // The published rule gives up the longer side first; when both must go it is half and half. Its
  // exact outcomes are in tests/text/data; here: it fits, keeps what fits, and never cuts
  // needlessly.
  for (int room = 2; room < 12; ++room) {
    for (int n = 0; n < 30; ++n) {
      for (int m = 0; m < 30; ++m) {
        const Cut cut = CutLongestFirst(n, m, room);
        EXPECT_EQ(cut.query + cut.document, std::min(n + m, room)) << n << ' ' << m << ' ' << room;
        EXPECT_LE(cut.query, n);
        EXPECT_LE(cut.document, m);
        if (std::min(n, m) <= room / 2) {
          EXPECT_EQ(n <= m ? cut.query : cut.document, std::min(n, m));
        } else {
          EXPECT_EQ(cut.query - cut.document, room % 2 == 0 ? 0 : n > m ? 1 : -1);
        }
      }
    }
  }
  EXPECT_EQ(CutLongestFirst(200, 500, 508).document, 308);
  EXPECT_EQ(CutLongestFirst(200, 500, 509).document, 309);
  EXPECT_EQ(CutLongestFirst(600, 20, 508).query, 488);
  EXPECT_EQ(CutLongestFirst(int64_t{1} << 40, int64_t{1} << 41, 9).document, 5);
}

// Tokens are letters; how many were asked for is remembered.
class LetterTokenizer final : public Tokenizer {
 public:
  Encoded Encode(std::string_view text, size_t tokens_max) const override {
    asked = tokens_max;
    Encoded out;
    for (const char c : text.substr(0, std::min(text.size(), tokens_max))) out.ids.push_back(c);
    out.complete = out.ids.size() == text.size();
    return out;
  }
  std::string_view Piece(int32_t) const override { return ""; }
  int vocabulary() const override { return 256; }
  const PairTemplate& pair_template() const override { return template_; }
  const std::vector<TemplatePiece>& single_template() const override { return template_.pieces; }
  int length_max() const override { return 0; }
  mutable size_t asked = 0;

 private:
  PairTemplate template_{{{TemplatePiece::Kind::kId, 1, 0},
                          {TemplatePiece::Kind::kQuery, 0, 0},
                          {TemplatePiece::Kind::kDocument, 0, 1}}};
};

// Reading no more of the texts than PairEncoder does never changes the pair.
TEST(PairEncoder, AsksForJustEnough) {
  const LetterTokenizer tokenizer;
  for (int length_max = 3; length_max < 12; ++length_max) {
    const PairEncoder encoder(tokenizer, length_max);
    const int room = length_max - 1;
    for (size_t n = 0; n < 30; ++n) {
      for (size_t m = 0; m < 30; ++m) {
        const Encoded query = encoder.EncodeQuery(std::string(n, 'q'));
        const Encoded document = encoder.EncodeDocument(std::string(m, 'd'), query);
        EXPECT_LE(tokenizer.asked, std::max<size_t>(n, static_cast<size_t>(room)) + 1);
        const Cut cut = CutLongestFirst(static_cast<int64_t>(n), static_cast<int64_t>(m), room);
        std::vector<int32_t> ids, expected = {1};
        std::vector<uint8_t> types, expected_types = {0};
        expected.insert(expected.end(), static_cast<size_t>(cut.query), 'q');
        expected.insert(expected.end(), static_cast<size_t>(cut.document), 'd');
        expected_types.insert(expected_types.end(), static_cast<size_t>(cut.query), 0);
        expected_types.insert(expected_types.end(), static_cast<size_t>(cut.document), 1);
        EXPECT_EQ(encoder.AppendPair(query, document, ids, types),
                  n + m > static_cast<size_t>(room));
        EXPECT_EQ(ids, expected) << n << ' ' << m << ' ' << room;
        EXPECT_EQ(types, expected_types);
      }
    }
  }
}

// The other rules against their definitions, on texts that are read only as far as needed.
TEST(PairEncoder, OtherRules) {
  const LetterTokenizer tokenizer;
  for (const PairRule rule : {PairRule::kOnlySecond, PairRule::kFlagEmbedding}) {
    for (int length_max = LengthMin(rule, 1); length_max < 20; ++length_max) {
      const PairEncoder encoder(tokenizer, length_max, rule);
      const size_t room = static_cast<size_t>(length_max) - 1;
      const size_t query_max =
          rule == PairRule::kFlagEmbedding ? static_cast<size_t>(length_max * 3 / 4) : room;
      for (size_t n = 0; n < 30; ++n) {
        for (size_t m = 0; m < 30; ++m) {
          const Encoded query = encoder.EncodeQuery(std::string(n, 'q'));
          const Encoded document = encoder.EncodeDocument(std::string(m, 'd'), query);
          EXPECT_LE(tokenizer.asked, room + 1);
          const bool no_room = rule == PairRule::kOnlySecond && n >= room && n + m > room;
          EXPECT_EQ(encoder.CheckRoom(query, document).ok(), !no_room) << n << ' ' << m;
          if (no_room) continue;
          const size_t keep = std::min(n, query_max);
          const std::string expected =
              "\1" + std::string(keep, 'q') + std::string(std::min(m, room - keep), 'd');
          std::vector<int32_t> ids;
          std::vector<uint8_t> types;
          EXPECT_EQ(encoder.AppendPair(query, document, ids, types), expected.size() < n + m + 1);
          EXPECT_EQ(std::string(ids.begin(), ids.end()), expected);
        }
      }
    }
  }
  EXPECT_EQ(LengthMin(PairRule::kFlagEmbedding, 4), 17);
  EXPECT_EQ(LengthMin(PairRule::kOnlySecond, 4), 6);
  EXPECT_FALSE(ParsePairRule("longest").ok());
  const PairEncoder encoder(tokenizer, 8, PairRule::kOnlySecond);
  const Encoded query = encoder.EncodeQuery(std::string(600, 'q'));
  EXPECT_EQ(encoder.CheckRoom(query, encoder.EncodeDocument("d", query)).message(),
            "query: got more than 7 tokens; with truncation only_second and a max_length of 8 at "
            "most 6 leave room for a document");
}

}  // namespace
}  // namespace podium
