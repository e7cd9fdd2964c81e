// A SentencePiece model file: a protocol buffer of pieces and settings.
//
// Six fields of it matter here, so it is read by our own reader of the wire format, fuzzed, rather
// than through libprotobuf: that library is sixty times this code, must be the version that
// generated code was made for, and checks nothing that needs no second look.
#ifndef PODIUM_TEXT_SENTENCEPIECE_MODEL_H_
#define PODIUM_TEXT_SENTENCEPIECE_MODEL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

/// Views into the file's bytes.
struct SentencePieceModel {
  enum PieceType : uint8_t { kNormal = 1, kUnknown = 2, kControl = 3 };
  static constexpr uint64_t kUnigram = 1;

  struct Piece {
    std::string_view text;  // UTF-8
    float score = 0;        // finite
    uint64_t type = kNormal;
  };
  std::vector<Piece> pieces;
  std::string_view charsmap;  // "" for none
  uint64_t model_type = kUnigram;
  bool byte_fallback = false;
  bool space_is_suffix = false;
  bool adds_prefix_space = true;
  bool removes_extra_space = true;
  bool escapes_space = true;

  /// kCorrupt says at which byte, kResourceExhausted names the limit.
  static Result<SentencePieceModel> Parse(std::string_view bytes);
};

}  // namespace podium

#endif  // PODIUM_TEXT_SENTENCEPIECE_MODEL_H_
