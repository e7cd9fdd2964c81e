// Normalizer steps that look at characters one by one: Lowercase, StripAccents, Nmt and the four
// normal forms of Unicode.
#ifndef PODIUM_TEXT_CHARACTER_STEPS_H_
#define PODIUM_TEXT_CHARACTER_STEPS_H_

#include <cstddef>
#include <memory>

#include "text/normalizer.h"

namespace podium {

/// How many combining characters in a row are put in order; after so many the order starts anew.
/// Unicode's own limit for streams is 30.
constexpr size_t kReorderedMax = 4096;

std::unique_ptr<NormalizerStep> MakeLowercase();
/// Combining characters go.
std::unique_ptr<NormalizerStep> MakeStripAccents();
/// Controls go, some white space and zero-width characters become a space.
std::unique_ptr<NormalizerStep> MakeNmt();
/// NFD, or NFC when composed; NFKD, NFKC when compatible.
std::unique_ptr<NormalizerStep> MakeNormalForm(bool compatible, bool composed);

}  // namespace podium

#endif  // PODIUM_TEXT_CHARACTER_STEPS_H_
