// A tokenizer that tests can count with.
#ifndef PODIUM_TESTS_SUPPORT_BYTE_TOKENIZER_H_
#define PODIUM_TESTS_SUPPORT_BYTE_TOKENIZER_H_

#include <atomic>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace podium {

// One id per byte: 10 + byte. Counts what it was asked.
class ByteTokenizer : public Tokenizer {
 public:
  explicit ByteTokenizer(int length_max = 0, int vocabulary = 300)
      : length_max_(length_max), vocabulary_(vocabulary) {
    using Kind = TemplatePiece::Kind;
    pair_.pieces = {{Kind::kId, 0, 0}, {Kind::kQuery, 0, 0},    {Kind::kId, 2, 0},
                    {Kind::kId, 2, 1}, {Kind::kDocument, 0, 1}, {Kind::kId, 2, 1}};
  }
  Encoded Encode(std::string_view text, size_t tokens_max) const override {
    ++encoded;
    Encoded out;
    out.complete = text.size() <= tokens_max;
    for (const char c : text.substr(0, tokens_max)) {
      out.ids.push_back(10 + static_cast<unsigned char>(c));
    }
    return out;
  }
  std::string_view Piece(int32_t) const override { return ""; }
  int vocabulary() const override { return vocabulary_; }
  const PairTemplate& pair_template() const override { return pair_; }
  const std::vector<TemplatePiece>& single_template() const override { return pair_.pieces; }
  int length_max() const override { return length_max_; }

  mutable std::atomic<int> encoded{0};

 private:
  int length_max_;
  int vocabulary_;
  PairTemplate pair_;
};

}  // namespace podium

#endif  // PODIUM_TESTS_SUPPORT_BYTE_TOKENIZER_H_
