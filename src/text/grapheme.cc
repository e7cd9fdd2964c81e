#include "text/grapheme.h"

#include <cstddef>
#include <span>

namespace podium {
namespace {

// Not utf8proc's: its age differs from system to system, and 2.8 (Unicode 15) does not know GB9c.
enum class ClusterClass : uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtendAlone,  // the non-joiner: extends a cluster, but not a conjunct
  kExtend,
  kLinker,  // extends, and joins two consonants
  kZwj,
  kRegional,
  kPrepend,
  kSpacing,
  kL,
  kV,
  kT,
  kLv,
  kLvt,
  kPictographic,
  kConsonant,
};

struct ClusterRange {
  char32_t first, last;
};
#include "text/grapheme_table.inc"

// A class for each character. Of static storage only: most of its pages are never touched.
class ClusterClasses {
 public:
  ClusterClasses() {
    Fill(kControlRanges, ClusterClass::kControl);
    Fill(kExtendAloneRanges, ClusterClass::kExtendAlone);
    Fill(kExtendRanges, ClusterClass::kExtend);
    Fill(kLinkerRanges, ClusterClass::kLinker);
    Fill(kZwjRanges, ClusterClass::kZwj);
    Fill(kRegionalRanges, ClusterClass::kRegional);
    Fill(kPrependRanges, ClusterClass::kPrepend);
    Fill(kSpacingRanges, ClusterClass::kSpacing);
    Fill(kLRanges, ClusterClass::kL);
    Fill(kVRanges, ClusterClass::kV);
    Fill(kTRanges, ClusterClass::kT);
    Fill(kPictographicRanges, ClusterClass::kPictographic);
    Fill(kConsonantRanges, ClusterClass::kConsonant);
    classes_['\r'] = ClusterClass::kCr;
    classes_['\n'] = ClusterClass::kLf;
    constexpr int kFinals = 28;  // of a syllable of Hangul, none of them first
    for (char32_t code = 0xAC00; code <= 0xD7A3; ++code) {
      classes_[code] = (code - 0xAC00) % kFinals == 0 ? ClusterClass::kLv : ClusterClass::kLvt;
    }
  }
  ClusterClass operator()(char32_t code) const {
    return code < kCodes ? classes_[code] : ClusterClass::kOther;
  }

 private:
  static constexpr size_t kCodes = 0x110000;

  void Fill(std::span<const ClusterRange> ranges, ClusterClass value) {
    for (const ClusterRange& range : ranges) {
      for (char32_t code = range.first; code <= range.last; ++code) classes_[code] = value;
    }
  }

  ClusterClass classes_[kCodes];  // zeros
};

ClusterClass ClassOf(char32_t code) {
  static const ClusterClasses classes;
  return classes(code);
}

bool IsControl(ClusterClass value) {
  return value == ClusterClass::kCr || value == ClusterClass::kLf ||
         value == ClusterClass::kControl;
}

bool Extends(ClusterClass value) {
  return value == ClusterClass::kExtendAlone || value == ClusterClass::kExtend ||
         value == ClusterClass::kLinker || value == ClusterClass::kZwj;
}

// GB6 to GB8: the parts of a syllable of Hangul.
bool JoinsHangul(ClusterClass before, ClusterClass value) {
  switch (before) {
    case ClusterClass::kL:
      return value == ClusterClass::kL || value == ClusterClass::kV || value == ClusterClass::kLv ||
             value == ClusterClass::kLvt;
    case ClusterClass::kLv:
    case ClusterClass::kV:
      return value == ClusterClass::kV || value == ClusterClass::kT;
    case ClusterClass::kLvt:
    case ClusterClass::kT:
      return value == ClusterClass::kT;
    default:
      return false;
  }
}

}  // namespace

bool StandsAlone(char32_t code) {
  const ClusterClass value = ClassOf(code);
  return value == ClusterClass::kOther || value == ClusterClass::kControl ||
         value == ClusterClass::kLf;
}

bool GraphemeBreaker::StartsCluster(char32_t code) {
  const ClusterClass value = ClassOf(code);
  const auto before = static_cast<ClusterClass>(previous_);
  bool starts = true;
  if (!has_previous_) {
    pictograph_ = conjunct_ = 0;
    odd_regional_ = false;
  } else if (IsControl(before) || IsControl(value)) {  // GB3 to GB5
    starts = !(before == ClusterClass::kCr && value == ClusterClass::kLf);
  } else {
    const bool joins = Extends(value) || value == ClusterClass::kSpacing ||           // GB9, GB9a
                       before == ClusterClass::kPrepend ||                            // GB9b
                       JoinsHangul(before, value) ||                                  // GB6 to GB8
                       (value == ClusterClass::kConsonant && conjunct_ == 2) ||       // GB9c
                       (value == ClusterClass::kPictographic && pictograph_ == 2) ||  // GB11
                       (value == ClusterClass::kRegional && odd_regional_);           // GB12, GB13
    starts = !joins;
  }
  has_previous_ = true;
  previous_ = static_cast<uint8_t>(value);
  odd_regional_ = value == ClusterClass::kRegional && !odd_regional_;
  if (value == ClusterClass::kPictographic) {
    pictograph_ = 1;
  } else if (pictograph_ == 1 && value == ClusterClass::kZwj) {
    pictograph_ = 2;
  } else if (pictograph_ == 2 || !Extends(value)) {
    pictograph_ = 0;
  }
  if (value == ClusterClass::kConsonant) {
    conjunct_ = 1;
  } else if (value == ClusterClass::kLinker) {
    conjunct_ = conjunct_ > 0 ? 2 : 0;
  } else if (value != ClusterClass::kExtend && value != ClusterClass::kZwj) {
    conjunct_ = 0;
  }
  return starts;
}

}  // namespace podium
