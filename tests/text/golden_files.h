// What the `tokenizers` library gave: the texts and digests of tests/text/data, and the tokenizer
// files that they are about.
#ifndef PODIUM_TESTS_TEXT_GOLDEN_FILES_H_
#define PODIUM_TESTS_TEXT_GOLDEN_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace podium::golden {

std::string ReadAll(const std::string& path);

/// The lines of a file of tests/text/data, without the first, which says where they come from.
std::vector<std::string> ReadData(const std::string& name);

struct Text {
  std::string file;  // "made"
  int line = 0;
  std::string bytes;
};
/// All committed texts, in the order of the digests (tools/corpus.py, TEXTS).
const std::vector<Text>& Texts();

std::vector<int32_t> ParseIds(const std::string& line);

/// tools/corpus.py, digest: the count of ids and their CRC-32, in eight characters.
std::string Digest(const std::vector<int32_t>& ids);
uint32_t Crc32(std::string_view bytes);

/// The text of the tokenizer file of a name that the data files use; empty when it was not fetched
/// (scripts/fetch-tokenizers).
std::string TokenizerFile(const std::string& name);
/// The same, parsed once for the whole program; null when it was not fetched.
const Tokenizer* GoldenTokenizer(const std::string& name);

/// Twice the size takes less than four times the processor time. What quadratic code would take is
/// far above, what a sanitizer or a busy machine adds is in both.
void ExpectLinearTime(size_t size, const std::function<void(size_t)>& run);

inline constexpr const char* kNotFetched =
    "run scripts/fetch-tokenizers to get this tokenizer file";

}  // namespace podium::golden

#endif  // PODIUM_TESTS_TEXT_GOLDEN_FILES_H_
