// Writes SentencePiece model files for tests.
#ifndef PODIUM_TESTS_SUPPORT_SENTENCEPIECE_WRITER_H_
#define PODIUM_TESTS_SUPPORT_SENTENCEPIECE_WRITER_H_

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace podium::testing_support {

/// A message of the wire format, field by field.
class ProtoWriter {
 public:
  ProtoWriter& Varint(uint32_t field, uint64_t value) {
    Number(field << 3);
    Number(value);
    return *this;
  }
  ProtoWriter& Bytes(uint32_t field, std::string_view value) {
    Number(field << 3 | 2);
    Number(value.size());
    text += value;
    return *this;
  }
  ProtoWriter& Float(uint32_t field, float value) {
    Number(field << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int i = 0; i < 4; ++i) text.push_back(static_cast<char>(bits >> 8 * i));
    return *this;
  }
  /// A piece of a model; type 1 is normal, 2 unknown, 3 control.
  ProtoWriter& Piece(std::string_view piece, float score, uint64_t type = 1) {
    ProtoWriter inner;
    inner.Bytes(1, piece).Float(2, score);
    if (type != 1) inner.Varint(3, type);
    return Bytes(1, inner.text);
  }
  std::string text;

 private:
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text.push_back(static_cast<char>(value | 0x80));
    text.push_back(static_cast<char>(value));
  }
};

}  // namespace podium::testing_support

#endif  // PODIUM_TESTS_SUPPORT_SENTENCEPIECE_WRITER_H_
