#include "text/unigram.h"

#include <algorithm>
#include <limits>

#include "base/concat.h"

namespace podium {
namespace {

constexpr double kUnknownPenalty = 10.0;

size_t CharBytes(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

Result<Unigram> Unigram::Build(const std::vector<Piece>& pieces, int32_t unknown_id) {
  if (unknown_id < 0 || static_cast<size_t>(unknown_id) >= pieces.size()) {
    return InvalidArgument(
        Concat("unk_id ", unknown_id, " is outside the vocabulary of ", pieces.size(), " pieces"));
  }
  Unigram model;
  model.unknown_id_ = unknown_id;
  std::vector<std::string_view> texts;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Piece& piece : pieces) {
    if (piece.text.size() > kPieceBytesMax) {
      return Unsupported(Concat("piece ", model.scores_.size(), " has ", piece.text.size(),
                                " bytes, limit ", kPieceBytesMax));
    }
    texts.push_back(piece.text);
    model.scores_.push_back(piece.score);
    model.piece_bytes_max_ = std::max(model.piece_bytes_max_, piece.text.size());
    lowest = std::min(lowest, piece.score);
  }
  model.unknown_score_ = lowest - kUnknownPenalty;
  PODIUM_ASSIGN_OR_RETURN(model.vocabulary_, Vocabulary::Build(texts));
  return model;
}

std::unique_ptr<Model::Run> Unigram::Start() const { return std::make_unique<UnigramRun>(*this); }

void UnigramRun::Append(std::string_view part, std::vector<int32_t>& ids) {
  if (part.empty()) return;
  text_.append(part);
  if (text_.size() < settle_at_) return;
  Advance(false);
  if (const size_t end = SettledEnd(); end > 0) Emit(end, ids);
  // Twice what stayed open, so that tries which fail cost no more than the rest of the work.
  settle_at_ = std::max(kSettleBytes, 2 * text_.size());
}

void UnigramRun::End(std::vector<int32_t>& ids) {
  Advance(true);
  Emit(text_.size(), ids);
  FlushUnknown(ids);
  lengths_.assign(1, 0);
  scores_[0] = 0;
  base_ = 0;
  done_ = 0;
  settle_at_ = kSettleBytes;
}

// Tries every piece at every position whose pieces all lie inside the text at hand.
void UnigramRun::Advance(bool last) {
  const Trie& trie = model_.vocabulary_.trie();
  const double* piece_scores = model_.scores_.data();
  lengths_.resize(text_.size() + 1, 0);
  uint8_t* lengths = lengths_.data();
  const char* text = text_.data();
  const size_t size = text_.size();
  const size_t reach = std::max<size_t>(model_.piece_bytes_max_, 4);
  while (done_ < size && (last || size - done_ >= reach)) {
    const double here = scores_[static_cast<uint8_t>(base_ + done_)];
    const size_t char_bytes = CharBytes(text[done_]);
    bool char_is_piece = false;
    const auto offer = [&](size_t end, double score) {
      double& best = scores_[static_cast<uint8_t>(base_ + end)];
      if (lengths[end] != 0 && !(score > best)) return;
      best = score;
      lengths[end] = static_cast<uint8_t>(end - done_);
    };
    uint32_t node = Trie::kRoot;
    for (size_t i = done_; i < size;) {
      node = trie.Step(node, static_cast<uint8_t>(text[i]));
      if (node == Trie::kNone) break;
      ++i;
      const int32_t id = trie.Id(node);
      if (id < 0) continue;
      offer(i, piece_scores[id] + here);
      char_is_piece |= i - done_ == char_bytes;
    }
    if (!char_is_piece) offer(done_ + char_bytes, model_.unknown_score_ + here);
    done_ += char_bytes;
  }
}

// Where all ways that may still win were one: everything before is settled. Those are the ways to
// done_ and to the positions after it that a piece has reached already.
size_t UnigramRun::SettledEnd() {
  live_.clear();
  const size_t end = std::min(done_ + 255, text_.size());
  for (size_t p = done_; p <= end; ++p) {
    if (p == done_ || lengths_[p] != 0) live_.push_back(p);
  }
  // live_ is sorted: step the furthest one back until all have met.
  while (live_.size() > 1) {
    const size_t before = live_.back() - lengths_[live_.back()];
    live_.pop_back();
    const auto at = std::lower_bound(live_.begin(), live_.end(), before);
    if (at == live_.end() || *at != before) live_.insert(at, before);
  }
  return live_[0];
}

void UnigramRun::Emit(size_t end, std::vector<int32_t>& ids) {
  way_.clear();
  for (size_t p = end; p > 0; p -= lengths_[p]) way_.push_back(lengths_[p]);
  size_t start = 0;
  for (size_t i = way_.size(); i-- > 0;) {
    const std::string_view piece = std::string_view(text_).substr(start, way_[i]);
    start += way_[i];
    const int32_t id = model_.vocabulary_.Find(piece);
    if (id >= 0 && id != model_.unknown_id_) {
      FlushUnknown(ids);
      ids.push_back(id);
      continue;
    }
    unknown_open_ = true;
    for (const char c : piece) {
      if (unknown_node_ == Trie::kNone) break;
      unknown_node_ = model_.vocabulary_.trie().Step(unknown_node_, static_cast<uint8_t>(c));
    }
  }
  text_.erase(0, end);
  lengths_.erase(lengths_.begin(), lengths_.begin() + static_cast<ptrdiff_t>(end));
  lengths_[0] = 0;
  base_ = static_cast<uint8_t>(base_ + end);
  done_ -= end;
}

void UnigramRun::FlushUnknown(std::vector<int32_t>& ids) {
  if (!unknown_open_) return;
  const int32_t id =
      unknown_node_ == Trie::kNone ? -1 : model_.vocabulary_.trie().Id(unknown_node_);
  ids.push_back(id >= 0 ? id : model_.unknown_id_);
  unknown_open_ = false;
  unknown_node_ = Trie::kRoot;
}

}  // namespace podium
