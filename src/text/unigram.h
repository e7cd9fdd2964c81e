// The Unigram model: the most probable way to cut a segment into pieces.
#ifndef PODIUM_TEXT_UNIGRAM_H_
#define PODIUM_TEXT_UNIGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/model.h"

namespace podium {

/// Immutable; any thread.
class Unigram final : public Model {
 public:
  /// No piece is longer, so that the way to a position fits a byte. XLM-R's longest has 48 bytes.
  static constexpr size_t kPieceBytesMax = 255;

  struct Piece {
    std::string_view text;  // copied
    double score = 0;       // log probability
  };
  static Result<Unigram> Build(const std::vector<Piece>& pieces, int32_t unknown_id);

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<Run> Start() const override;
  double score(int32_t id) const { return scores_[static_cast<size_t>(id)]; }
  int32_t unknown_id() const { return unknown_id_; }
  /// What one character costs that no piece starts with alone: the lowest score less 10.
  double unknown_score() const { return unknown_score_; }

 private:
  Vocabulary vocabulary_;
  std::vector<double> scores_;
  int32_t unknown_id_ = 0;
  double unknown_score_ = 0;
  size_t piece_bytes_max_ = 0;
  friend class UnigramRun;
};

/// A long segment costs memory only for what is still open: two bytes per byte of text.
///
/// The result equals that of the reference bit for bit: scores are summed in double from the
/// segment's start, in order of start positions, and a later way to a position counts only when it
/// is strictly better.
class UnigramRun final : public Model::Run {
 public:
  explicit UnigramRun(const Unigram& model) : model_(model) {}

  void Append(std::string_view part, std::vector<int32_t>& ids) override;
  void End(std::vector<int32_t>& ids) override;

 private:
  void Advance(bool last);
  size_t SettledEnd();
  void Emit(size_t end, std::vector<int32_t>& ids);
  void FlushUnknown(std::vector<int32_t>& ids);

  // The open part of the segment starts at text_[0]. Position p is the place before text_[p].
  const Unigram& model_;
  std::string text_;
  std::vector<uint8_t> lengths_{0};  // bytes of the last piece of the best way to p; 0: no way yet
  double scores_[256] = {};          // of that way, at (base_ + p) % 256: only so many are in use
  uint8_t base_ = 0;
  size_t done_ = 0;  // pieces that start before this position have been tried
  size_t settle_at_ = kSettleBytes;
  // Characters that are in no piece, one after the other, become one unknown; as the reference does
  // it looks their joined text up once more.
  bool unknown_open_ = false;
  uint32_t unknown_node_ = Trie::kRoot;
  std::vector<uint8_t> way_;
  std::vector<size_t> live_;

  // How much open text is worth a try to settle some; long enough to make the try cheap.
  static constexpr size_t kSettleBytes = 4096;
};

}  // namespace podium

#endif  // PODIUM_TEXT_UNIGRAM_H_
