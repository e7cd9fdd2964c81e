#include "text/unigram.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "text/trie.h"
#include "text/unigram_plain.h"

namespace podium {
namespace {

using Pieces = std::vector<Unigram::Piece>;

Unigram BuildModel(const Pieces& pieces, int32_t unknown_id = 0) {
  auto model = Unigram::Build(pieces, unknown_id);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return std::move(model).value();
}

// Feeds the segment in parts of `step` bytes (whole characters); `early` gets the ids that were
// there before the end.
std::vector<int32_t> EncodeInParts(const Unigram& model, std::string_view text, size_t step,
                                   size_t* early = nullptr) {
  UnigramRun run(model);
  std::vector<int32_t> ids;
  while (!text.empty()) {
    size_t end = CutPosition(text, step);
    if (end == 0) end = static_cast<size_t>(DecodeUtf8(text).bytes);
    run.Append(text.substr(0, end), ids);
    text.remove_prefix(end);
  }
  if (early != nullptr) *early = ids.size();
  run.End(ids);
  return ids;
}

TEST(Unigram, PicksTheBestSum) {
  const Pieces pieces = {{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -1.5}, {"abc", -9}, {"c", -5}};
  const Unigram model = BuildModel(pieces);
  EXPECT_EQ(EncodeInParts(model, "abc", 9), (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(EncodeInParts(model, "ba", 9), (std::vector<int32_t>{2, 1}));
  EXPECT_EQ(EncodeInParts(model, "", 9), (std::vector<int32_t>{}));
}

TEST(Unigram, TheFirstOfEqualWaysCounts) {
  // "aab": a+ab and aa+b both cost 3; the piece that starts first reaches the end first.
  const Pieces pieces = {{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -2}, {"aa", -2}};
  const std::vector<int32_t> ids = EncodeInParts(BuildModel(pieces), "aab", 9);
  EXPECT_EQ(ids, EncodeUnigramPlain(pieces, 0, "aab"));
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 3}));
}

TEST(Unigram, UnknownCharactersAreJoined) {
  const Pieces pieces = {{"<unk>", 0}, {"a", -1}, {"éé", -50}};
  const Unigram model = BuildModel(pieces);
  EXPECT_EQ(EncodeInParts(model, "xyza中b", 9), (std::vector<int32_t>{0, 1, 0}));
  EXPECT_EQ(EncodeInParts(model, "<unk>", 9), (std::vector<int32_t>{0}));
  // A dear piece loses to two unknown characters, whose joined text is then looked up.
  EXPECT_EQ(EncodeInParts(BuildModel({{"<unk>", 0}, {"éé", 50}, {"x", -90}}), "éé", 9),
            (std::vector<int32_t>{1}));
}

TEST(Unigram, RandomModelsAndTextsEqualThePlainTwin) {
  std::mt19937 random(7);
  const std::string units[] = {"a", "b", "c", "é", "中", "文", "🚀", "▁", "x", "y"};
  for (int round = 0; round < 300; ++round) {
    const size_t alphabet = 2 + random() % 9;
    const size_t known = 1 + random() % alphabet;
    std::vector<std::string> texts = {"<unk>"};
    for (size_t i = 0; i < 40; ++i) {
      std::string text;
      for (size_t n = 1 + random() % (round % 3 == 0 ? 12 : 4); n > 0; --n) {
        text += units[random() % known];
      }
      texts.push_back(text);
    }
    // Few distinct scores make many ties; a few are positive.
    Pieces pieces;
    for (const std::string& text : texts) {
      pieces.push_back({text, round % 2 == 0 ? -static_cast<double>(random() % 4)
                                             : -std::generate_canonical<double, 53>(random) * 20});
    }
    const Unigram model = BuildModel(pieces);
    std::string segment;
    for (size_t n = random() % (round % 10 == 0 ? 20000 : 60); n > 0; --n) {
      segment += units[random() % alphabet];
    }
    const auto expected = EncodeUnigramPlain(pieces, 0, segment);
    EXPECT_EQ(EncodeInParts(model, segment, 1 + random() % 9), expected) << segment.substr(0, 200);
    EXPECT_EQ(EncodeInParts(model, segment, segment.size()), expected);
  }
}

// Long segments give up their settled start before they end, unless nothing is settled: of "aa"
// alone an odd run puts its unknown piece where only the end decides.
TEST(Unigram, LongSegmentsAreSettledEarly) {
  const Pieces pieces = {{"<unk>", 0}, {"中", -3}, {"文", -4}, {"中文", -5}, {"文中", -6}};
  const Unigram model = BuildModel(pieces);
  std::string segment;
  for (int i = 0; i < 20000; ++i) segment += i % 3 == 0 ? "文" : "中";
  size_t early = 0;
  const auto ids = EncodeInParts(model, segment, 2048, &early);
  EXPECT_EQ(ids, EncodeUnigramPlain(pieces, 0, segment));
  EXPECT_GT(early, ids.size() * 3 / 4);

  const Pieces pairs = {{"<unk>", 0}, {"a", -1}, {"aa", -1.5}};
  const std::string run(30001, 'a');
  EXPECT_EQ(EncodeInParts(BuildModel(pairs), run, 2048), EncodeUnigramPlain(pairs, 0, run));
}

TEST(Unigram, RefusesWhatItCannotHold) {
  EXPECT_FALSE(Unigram::Build({}, 0).ok());
  EXPECT_FALSE(Unigram::Build({{"a", 0}}, 1).ok());
  EXPECT_FALSE(Unigram::Build({{"a", 0}}, -1).ok());
  const std::string longest(255, 'a'), longer(256, 'a');
  EXPECT_TRUE(Unigram::Build({{"u", 0}, {longest, 0}}, 0).ok());
  EXPECT_EQ(Unigram::Build({{"u", 0}, {longer, 0}}, 0).status().code(), StatusCode::kUnsupported);
}

TEST(Trie, FindsWhatWasPutInAndNothingElse) {
  std::mt19937 random(3);
  std::vector<std::string> texts;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 6; n > 0; --n) text.push_back(static_cast<char>(random() % 256));
    texts.push_back(text);
  }
  std::vector<Trie::Key> keys;
  for (size_t i = 0; i < texts.size(); i += 2) {
    keys.push_back({texts[i], static_cast<int32_t>(i)});
  }
  const auto trie = Trie::Build(keys);
  ASSERT_TRUE(trie.ok());
  for (const std::string& text : texts) {
    int32_t id = -1;  // of equal texts the largest
    for (const Trie::Key& key : keys) {
      if (key.text == text && !text.empty()) id = key.id;
    }
    ASSERT_EQ(trie->Find(text), id);
    if (&text - texts.data() > 1000) break;  // the search above is quadratic
  }
  for (const Trie::Key& key : keys) {
    if (!key.text.empty()) {
      ASSERT_GE(trie->Find(key.text), key.id);
    }
  }
  EXPECT_EQ(Trie::Build({})->Find("a"), -1);
}

}  // namespace
}  // namespace podium
