#include "text/sentencepiece_model.h"

#include <bit>
#include <cmath>

#include "base/concat.h"
#include "base/function_ref.h"
#include "base/utf8.h"
#include "text/model_file.h"

namespace podium {
namespace {

struct Field {
  enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  uint64_t number = 0;
  Wire wire = kVarint;
  uint64_t value = 0;      // of the first, second and last kind
  std::string_view bytes;  // of the third
};

// Calls `visit` with each field of a message; `offset` is where it starts in the file, for errors.
Status ForEachField(std::string_view message, size_t offset,
                    FunctionRef<Status(const Field&)> visit) {
  size_t at = 0;
  const auto corrupt = [&](const char* what) {
    return Corrupt(Concat("byte ", offset + at, ": ", what));
  };
  const auto varint = [&](uint64_t& out) {
    out = 0;
    for (unsigned shift = 0; shift < 64 && at < message.size(); shift += 7) {
      const auto byte = static_cast<uint8_t>(message[at++]);
      out |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  const auto fixed = [&](size_t size, uint64_t& out) {
    if (message.size() - at < size) return false;
    out = 0;
    for (size_t i = 0; i < size; ++i) {
      out |= uint64_t{static_cast<uint8_t>(message[at + i])} << 8 * i;
    }
    at += size;
    return true;
  };
  while (at < message.size()) {
    uint64_t tag = 0;
    if (!varint(tag) || tag >> 3 == 0 || tag > UINT32_MAX) return corrupt("no field starts here");
    Field field;
    field.number = tag >> 3;
    field.wire = static_cast<Field::Wire>(tag & 7);
    bool ok = false;
    if (field.wire == Field::kVarint) ok = varint(field.value);
    if (field.wire == Field::kFixed64) ok = fixed(8, field.value);
    if (field.wire == Field::kFixed32) ok = fixed(4, field.value);
    if (field.wire == Field::kBytes) {
      uint64_t size = 0;
      ok = varint(size) && size <= message.size() - at;
      if (ok) {
        field.bytes = message.substr(at, size);
        at += size;
      }
    }
    if (!ok) return corrupt("the field before does not fit, or is of a kind that is not supported");
    PODIUM_RETURN_IF_ERROR(visit(field));
  }
  return OkStatus();
}

Status ParsePiece(std::string_view message, size_t offset, SentencePieceModel::Piece& piece) {
  PODIUM_RETURN_IF_ERROR(ForEachField(message, offset, [&](const Field& field) {
    if (field.number == 1 && field.wire == Field::kBytes) piece.text = field.bytes;
    if (field.number == 2 && field.wire == Field::kFixed32) {
      piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    }
    if (field.number == 3 && field.wire == Field::kVarint) piece.type = field.value;
    return OkStatus();
  }));
  if (ValidUtf8Prefix(piece.text) != piece.text.size()) {
    return Corrupt(Concat("byte ", offset, ": a piece that is not UTF-8"));
  }
  if (!std::isfinite(piece.score)) {
    return Corrupt(Concat("byte ", offset, ": a piece's score is ", piece.score));
  }
  return OkStatus();
}

}  // namespace

Result<SentencePieceModel> SentencePieceModel::Parse(std::string_view bytes) {
  SentencePieceModel model;
  PODIUM_RETURN_IF_ERROR(ForEachField(bytes, 0, [&](const Field& field) -> Status {
    if (field.wire != Field::kBytes) return OkStatus();
    const auto offset = static_cast<size_t>(field.bytes.data() - bytes.data());
    if (field.number == 1) {
      if (model.pieces.size() == kVocabularyMax) {
        return ResourceExhausted(Concat("more than ", kVocabularyMax, " pieces"));
      }
      return ParsePiece(field.bytes, offset, model.pieces.emplace_back());
    }
    if (field.number == 2) {  // trainer_spec
      return ForEachField(field.bytes, offset, [&](const Field& inner) {
        if (inner.wire != Field::kVarint) return OkStatus();
        if (inner.number == 3) model.model_type = inner.value;
        if (inner.number == 24) model.space_is_suffix = inner.value != 0;
        if (inner.number == 35) model.byte_fallback = inner.value != 0;
        return OkStatus();
      });
    }
    if (field.number == 3) {  // normalizer_spec
      return ForEachField(field.bytes, offset, [&](const Field& inner) {
        if (inner.number == 2 && inner.wire == Field::kBytes) model.charsmap = inner.bytes;
        if (inner.wire != Field::kVarint) return OkStatus();
        if (inner.number == 3) model.adds_prefix_space = inner.value != 0;
        if (inner.number == 4) model.removes_extra_space = inner.value != 0;
        if (inner.number == 5) model.escapes_space = inner.value != 0;
        return OkStatus();
      });
    }
    return OkStatus();
  }));
  return model;
}

}  // namespace podium
