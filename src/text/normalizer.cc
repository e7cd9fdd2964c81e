#include "text/normalizer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "text/grapheme.h"
#include "text/unicode.h"

namespace podium {
namespace {

// The reference looks clusters up whole only when shorter than this.
constexpr size_t kWholeBytesMax = 6;

class Precompiled final : public NormalizerStep {
 public:
  explicit Precompiled(Charsmap map) : map_(std::move(map)), plain_(kPlainEnd) {
    std::string text;
    for (char32_t code = 0; code < kPlainEnd; ++code) {
      text.clear();
      AppendUtf8(code, text);
      plain_[code] = StandsAlone(code) && !map_.Find(text);
    }
  }
  std::unique_ptr<NormalizerStep::Run> Start() const override;

  /// True when the character is a cluster by itself beside others that are plain, and no rule
  /// changes it: such text goes through as it is.
  bool plain(char32_t code) const { return code < kPlainEnd && plain_[code]; }
  const Charsmap& map() const { return map_; }

 private:
  // Ideographs and the alphabets before them; Hangul, which comes after, joins by rules.
  static constexpr char32_t kPlainEnd = 0xA000;
  const Charsmap map_;
  std::vector<bool> plain_;
};

class PrecompiledRun final : public NormalizerStep::Run {
 public:
  explicit PrecompiledRun(const Precompiled& step) : step_(step) {}

  void Feed(std::string_view part, bool last, std::string& out) override {
    size_t at = 0;
    while (at < part.size()) {
      if (held_plain_) {
        const size_t end = PassPlain(part, at, out);
        if (end > at) {
          at = end;
          continue;
        }
      }
      const Utf8Char next = DecodeValidUtf8(part.data() + at);
      const std::string_view character = part.substr(at, static_cast<size_t>(next.bytes));
      at += character.size();
      if (breaker_.StartsCluster(next.code)) {
        EndCluster(out);
        held_.assign(character);
        held_plain_ = step_.plain(next.code);
        cluster_bytes_ = character.size();
        continue;
      }
      held_plain_ = false;
      if (cluster_bytes_ + character.size() >= kWholeBytesMax) {
        // Too long to be looked up whole: what is held goes out, and so does all that follows.
        if (!held_.empty()) ReplaceEach(held_, out);
        held_.clear();
        ReplaceEach(character, out);
      } else {
        held_.append(character);
      }
      cluster_bytes_ += character.size();
    }
    if (last) {
      EndCluster(out);
      held_.clear();
      held_plain_ = false;
      cluster_bytes_ = 0;
      breaker_.Reset();
    }
  }

 private:
  // With a plain character held: all plain ones from `at` on go through but the last, which is held
  // in turn. Returns where they end.
  size_t PassPlain(std::string_view part, size_t at, std::string& out) {
    size_t end = at, final = at;
    char32_t final_code = 0;
    while (end < part.size()) {
      const Utf8Char next = DecodeValidUtf8(part.data() + end);
      if (!step_.plain(next.code)) break;
      final = end;
      final_code = next.code;
      end += static_cast<size_t>(next.bytes);
    }
    if (end == at) return at;
    out.append(held_);
    out.append(part.substr(at, final - at));
    held_.assign(part.substr(final, end - final));
    cluster_bytes_ = held_.size();
    breaker_.Reset();
    breaker_.StartsCluster(final_code);
    return end;
  }

  void EndCluster(std::string& out) {
    if (held_plain_) {
      out.append(held_);
      return;
    }
    if (held_.empty()) return;
    if (held_.size() < kWholeBytesMax) {
      if (const auto replacement = step_.map().Find(held_)) {
        out.append(*replacement);
        return;
      }
    }
    ReplaceEach(held_, out);
  }

  void ReplaceEach(std::string_view text, std::string& out) const {
    while (!text.empty()) {
      const std::string_view character =
          text.substr(0, static_cast<size_t>(DecodeUtf8(text).bytes));
      const auto replacement = step_.map().Find(character);
      out.append(replacement ? *replacement : character);
      text.remove_prefix(character.size());
    }
  }

  const Precompiled& step_;
  GraphemeBreaker breaker_;
  std::string held_;          // the cluster's start, while it may still be looked up whole
  bool held_plain_ = false;   // it is one plain character
  size_t cluster_bytes_ = 0;  // of the whole cluster
};

std::unique_ptr<NormalizerStep::Run> Precompiled::Start() const {
  return std::make_unique<PrecompiledRun>(*this);
}

class Replace final : public NormalizerStep {
 public:
  Replace(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}

  std::unique_ptr<NormalizerStep::Run> Start() const override {
    class ReplaceRun final : public NormalizerStep::Run {
     public:
      explicit ReplaceRun(const Replace& step) : step_(step) {}
      void Feed(std::string_view part, bool last, std::string& out) override {
        held_.append(part);
        size_t done = 0;
        for (size_t found; (found = held_.find(step_.from_, done)) != std::string::npos;) {
          out.append(held_, done, found - done);
          out.append(step_.to_);
          done = found + step_.from_.size();
        }
        // The last bytes may be the start of a match; cut between characters.
        size_t settled = held_.size();
        if (!last && settled - done >= step_.from_.size()) {
          settled = CutPosition(held_, settled - (step_.from_.size() - 1));
        } else if (!last) {
          settled = done;
        }
        out.append(held_, done, settled - done);
        held_.erase(0, settled);
      }

     private:
      const Replace& step_;
      std::string held_;
    };
    return std::make_unique<ReplaceRun>(*this);
  }

 private:
  const std::string from_, to_;
};

class ReplaceRuns final : public NormalizerStep {
 public:
  ReplaceRuns(char32_t repeated, size_t count_min, std::string to)
      : count_min_(count_min), to_(std::move(to)) {
    AppendUtf8(repeated, unit_);
  }

  std::unique_ptr<NormalizerStep::Run> Start() const override {
    class CountRun final : public NormalizerStep::Run {
     public:
      explicit CountRun(const ReplaceRuns& step) : step_(step) {}
      void Feed(std::string_view part, bool last, std::string& out) override {
        const std::string& unit = step_.unit_;
        while (!part.empty()) {
          while (part.starts_with(unit)) {
            ++count_;
            part.remove_prefix(unit.size());
          }
          if (part.empty()) break;
          EndRun(out);
          const size_t other = std::min(part.find(unit), part.size());
          out.append(part.substr(0, other));
          part.remove_prefix(other);
        }
        if (last) EndRun(out);
      }

     private:
      void EndRun(std::string& out) {
        if (count_ == 0) return;
        if (count_ >= step_.count_min_) {
          out.append(step_.to_);
        } else {
          for (size_t i = 0; i < count_; ++i) out.append(step_.unit_);
        }
        count_ = 0;
      }
      const ReplaceRuns& step_;
      size_t count_ = 0;
    };
    return std::make_unique<CountRun>(*this);
  }

 private:
  std::string unit_;
  const size_t count_min_;
  const std::string to_;
};

class Strip final : public NormalizerStep {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

  std::unique_ptr<NormalizerStep::Run> Start() const override {
    class StripRun final : public NormalizerStep::Run {
     public:
      explicit StripRun(const Strip& step) : step_(step), at_start_(step.left_) {}
      void Feed(std::string_view part, bool last, std::string& out) override {
        while (at_start_ && !part.empty()) {
          const Utf8Char first = DecodeUtf8(part);
          if (!IsWhitespace(first.code)) at_start_ = false;
          if (at_start_) part.remove_prefix(static_cast<size_t>(first.bytes));
        }
        if (!step_.right_) {
          out.append(part);
        } else if (!part.empty()) {
          size_t end = part.size();
          while (end > 0) {
            const Utf8Char final = DecodeUtf8Back(part.substr(0, end));
            if (!IsWhitespace(final.code)) break;
            end -= static_cast<size_t>(final.bytes);
          }
          if (end > 0) {
            out.append(held_);
            held_.clear();
          }
          out.append(part.substr(0, end));
          held_.append(part.substr(end));
        }
        if (last) {
          held_.clear();
          at_start_ = step_.left_;
        }
      }

     private:
      const Strip& step_;
      bool at_start_;
      std::string held_;  // white space that counts only when something follows
    };
    return std::make_unique<StripRun>(*this);
  }

 private:
  const bool left_, right_;
};

class Prepend final : public NormalizerStep {
 public:
  explicit Prepend(std::string text) : text_(std::move(text)) {}

  std::unique_ptr<NormalizerStep::Run> Start() const override {
    class PrependRun final : public NormalizerStep::Run {
     public:
      explicit PrependRun(const std::string& text) : text_(text) {}
      void Feed(std::string_view part, bool last, std::string& out) override {
        if (!part.empty() && at_start_) {
          out.append(text_);
          at_start_ = false;
        }
        out.append(part);
        if (last) at_start_ = true;
      }

     private:
      const std::string& text_;
      bool at_start_ = true;
    };
    return std::make_unique<PrependRun>(text_);
  }

 private:
  const std::string text_;
};

}  // namespace

std::unique_ptr<NormalizerStep> MakePrecompiled(Charsmap map) {
  return std::make_unique<Precompiled>(std::move(map));
}
std::unique_ptr<NormalizerStep> MakeReplace(std::string from, std::string to) {
  return std::make_unique<Replace>(std::move(from), std::move(to));
}
std::unique_ptr<NormalizerStep> MakeReplaceRun(char32_t repeated, size_t count_min,
                                               std::string to) {
  return std::make_unique<ReplaceRuns>(repeated, count_min, std::move(to));
}
std::unique_ptr<NormalizerStep> MakeStrip(bool left, bool right) {
  return std::make_unique<Strip>(left, right);
}
std::unique_ptr<NormalizerStep> MakePrepend(std::string text) {
  return std::make_unique<Prepend>(std::move(text));
}

Normalizer::Run::Run(const Normalizer& normalizer) {
  for (const auto& step : normalizer.steps_) runs_.push_back(step->Start());
}

std::string_view Normalizer::Run::Feed(std::string_view part, bool last) {
  int target = 0;
  for (const auto& run : runs_) {
    std::string& out = buffers_[target];
    out.clear();
    run->Feed(part, last, out);
    part = out;
    target ^= 1;
  }
  return part;
}

std::string Normalizer::Apply(std::string_view text) const {
  Run run(*this);
  return std::string(run.Feed(text, true));
}

}  // namespace podium
