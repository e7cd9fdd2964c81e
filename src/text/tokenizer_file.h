// A tokenizer from the texts of its files, for OpenTokenizer, tests and fuzzing.
#ifndef PODIUM_TEXT_TOKENIZER_FILE_H_
#define PODIUM_TEXT_TOKENIZER_FILE_H_

#include <memory>
#include <string_view>

#include "text/tokenizer.h"

namespace podium {

/// The origins stand in front of errors. An empty `config` counts as absent.
Result<std::unique_ptr<Tokenizer>> ParseTokenizer(std::string_view file, std::string_view origin,
                                                  std::string_view config,
                                                  std::string_view config_origin);

}  // namespace podium

#endif  // PODIUM_TEXT_TOKENIZER_FILE_H_
