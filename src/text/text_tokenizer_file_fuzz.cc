// Any bytes as tokenizer.json: an error or a tokenizer that keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/tokenizer_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = podium::ParseTokenizer(file, "fuzz", "", "");
  if (!tokenizer.ok()) return 0;
  for (const std::string_view text : {std::string_view("Hello  <s> \xE4\xBD\xA0 \x80"), file}) {
    const podium::Encoded all = (*tokenizer)->Encode(text, SIZE_MAX);
    PODIUM_CHECK(all.complete);
    for (const int32_t id : all.ids) {
      PODIUM_CHECK(id >= 0 && id < (*tokenizer)->vocabulary());
      (*tokenizer)->Piece(id);
    }
  }
  return 0;
}
