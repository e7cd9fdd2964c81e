#include "text/character_steps.h"

#include <string>
#include <string_view>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/combining_run.h"

namespace podium {
namespace {

// A step without memory: `Map` appends what becomes of a character.
using Map = void (*)(char32_t code, std::string_view character, std::string& out);

class MapStep final : public NormalizerStep {
 public:
  explicit MapStep(Map map) : map_(map) {}

  std::unique_ptr<NormalizerStep::Run> Start() const override {
    class MapRun final : public NormalizerStep::Run {
     public:
      explicit MapRun(Map map) : map_(map) {}
      void Feed(std::string_view part, bool, std::string& out) override {
        while (!part.empty()) {
          const Utf8Char next = DecodeUtf8(part);
          const auto bytes = static_cast<size_t>(next.bytes);
          map_(next.code, part.substr(0, bytes), out);
          part.remove_prefix(bytes);
        }
      }

     private:
      const Map map_;
    };
    return std::make_unique<MapRun>(map_);
  }

 private:
  const Map map_;
};

void StripAccent(char32_t code, std::string_view character, std::string& out) {
  if (!IsAccent(code)) out.append(character);
}

void MapNmt(char32_t code, std::string_view character, std::string& out) {
  const bool removed = (code >= 1 && code <= 8) || code == 0x0B || (code >= 0x0E && code <= 0x1F) ||
                       code == 0x7F || code == 0x8F || code == 0x9F;
  if (removed) return;
  const bool space = code == '\t' || code == '\n' || code == '\f' || code == '\r' ||
                     code == 0x1680 || (code >= 0x200B && code <= 0x200F) || code == 0x2028 ||
                     code == 0x2029 || code == 0x2581 || code == 0xFEFF || code == 0xFFFD;
  out.append(space ? " " : character);
}

class NormalFormRun final : public NormalizerStep::Run {
 public:
  NormalFormRun(bool compatible, bool composed) : compatible_(compatible), composed_(composed) {}

  void Feed(std::string_view part, bool last, std::string& out) override {
    while (!part.empty()) {
      const Utf8Char next = DecodeUtf8(part);
      part.remove_prefix(static_cast<size_t>(next.bytes));
      for (const char32_t code : Decompose(next.code, compatible_)) {
        const int order = CanonicalOrder(code);
        if (order != 0) marks_.Add(order, code);
        if (order == 0 || marks_.size() >= kReorderedMax) FlushMarks(out);
        if (order == 0) Put(code, 0, out);
      }
    }
    if (!last) return;
    FlushMarks(out);
    EndStarter(out);
  }

 private:
  void FlushMarks(std::string& out) {
    marks_.Flush([&](char32_t code, int order) { Put(code, order, out); });
  }

  // Unicode's composition: a character joins the starter before it when nothing of its own order or
  // higher stands between them.
  void Put(char32_t code, int order, std::string& out) {
    if (!composed_ || (starter_ == kNoStarter && order != 0)) {
      AppendUtf8(code, out);
      return;
    }
    if (starter_ != kNoStarter && order_before_ < order) {
      if (const char32_t joined = Compose(starter_, code)) {
        starter_ = joined;
        return;
      }
    }
    if (order == 0) {
      EndStarter(out);
      starter_ = code;
      order_before_ = -1;
    } else {
      AppendUtf8(code, between_);
      order_before_ = order;
      if (between_.size() >= kReorderedMax) EndStarter(out);
    }
  }

  void EndStarter(std::string& out) {
    if (starter_ == kNoStarter) return;
    AppendUtf8(starter_, out);
    out.append(between_);
    between_.clear();
    starter_ = kNoStarter;
  }

  static constexpr char32_t kNoStarter = 0xFFFFFFFF;
  const bool compatible_, composed_;
  CombiningRun marks_;             // that no character of order 0 has followed yet
  char32_t starter_ = kNoStarter;  // that characters may still join, when composing
  std::string between_;            // what follows it and did not join
  int order_before_ = -1;          // of the last character in `between_`; -1 when there is none
};

class NormalForm final : public NormalizerStep {
 public:
  NormalForm(bool compatible, bool composed) : compatible_(compatible), composed_(composed) {}
  std::unique_ptr<NormalizerStep::Run> Start() const override {
    return std::make_unique<NormalFormRun>(compatible_, composed_);
  }

 private:
  const bool compatible_, composed_;
};

}  // namespace

std::unique_ptr<NormalizerStep> MakeLowercase() {
  return std::make_unique<MapStep>(
      [](char32_t code, std::string_view, std::string& out) { AppendLower(code, out); });
}
std::unique_ptr<NormalizerStep> MakeStripAccents() {
  return std::make_unique<MapStep>(StripAccent);
}
std::unique_ptr<NormalizerStep> MakeNmt() { return std::make_unique<MapStep>(MapNmt); }
std::unique_ptr<NormalizerStep> MakeNormalForm(bool compatible, bool composed) {
  return std::make_unique<NormalForm>(compatible, composed);
}

}  // namespace podium
