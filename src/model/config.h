// config.json → EncoderSpec.
#ifndef PODIUM_MODEL_CONFIG_H_
#define PODIUM_MODEL_CONFIG_H_

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "model/encoder_spec.h"

namespace podium {

/// Bytes of a config.json or of another small JSON file beside it.
constexpr size_t kConfigBytesMax = size_t{16} << 20;

/// Reads a Hugging Face config of type `xlm-roberta`, `roberta`, `camembert` or `bert`. A key that
/// changes the maths is obeyed, or refused by name (kUnsupported); a key of the wrong type or out
/// of range is kCorrupt; an absent or null key has transformers' default; any other key is ignored.
/// `origin` is the file named in messages.
Result<EncoderSpec> ParseConfig(std::string_view text, std::string_view origin);

}  // namespace podium

#endif  // PODIUM_MODEL_CONFIG_H_
