// Token ids per second on one thread. Usage: tokenizer_bench FOLDER TEXTS, where FOLDER holds a
// tokenizer and each line of TEXTS is a JSON string. Then it obeys lines of standard input, one
// answer a line, so that bench/tokenizer/measure.py can let it and a peer work in turns:
//   load   seconds to open the tokenizer anew
//   run    texts, tokens, seconds and the FNV-1a of all ids (each text's end as -1)
//   cached the same as run, of texts that are all in a cache (ranker/token_cache.h)
//   ids    the ids of each text, a line each
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "json/json.h"
#include "measure/clock.h"
#include "ranker/token_cache.h"
#include "text/tokenizer.h"

namespace podium::bench {
namespace {

using measure::Now;

constexpr size_t kAll = std::numeric_limits<size_t>::max();

int Fail(const Status& status) {
  std::fprintf(stderr, "tokenizer_bench: %s\n", status.ToString().c_str());
  return 1;
}

Result<std::vector<std::string>> ReadTexts(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(const std::string file, ReadFile(path, size_t{1} << 30));
  std::vector<std::string> texts;
  for (size_t start = 0; start < file.size();) {
    const size_t end = std::min(file.find('\n', start), file.size());
    PODIUM_ASSIGN_OR_RETURN(
        const json::Document line,
        json::Document::Parse(std::string_view(file).substr(start, end - start), path));
    const auto text = line.root().AsString();
    if (!text) return InvalidArgument(path + ": each line is to be a JSON string");
    texts.emplace_back(*text);
    start = end + 1;
  }
  return texts;
}

void Digest(uint64_t& digest, int32_t id) {
  for (int i = 0; i < 4; ++i) {
    digest = (digest ^ (static_cast<uint32_t>(id) >> 8 * i & 0xFF)) * 0x100000001B3u;
  }
}

// Texts, tokens, seconds and the digest of one pass.
void Run(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  std::vector<std::vector<int32_t>> ids;
  ids.reserve(texts.size());
  const double start = Now();
  for (const std::string& text : texts) ids.push_back(tokenizer.Encode(text, kAll).ids);
  const double seconds = Now() - start;
  size_t tokens = 0;
  uint64_t digest = 0xCBF29CE484222325u;
  for (const auto& one : ids) {
    tokens += one.size();
    for (const int32_t id : one) Digest(digest, id);
    Digest(digest, -1);
  }
  std::printf("%zu %zu %.6f %016llx\n", texts.size(), tokens, seconds,
              static_cast<unsigned long long>(digest));
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tokenizer_bench FOLDER TEXTS\n");
    return 2;
  }
  auto tokenizer = OpenTokenizer(argv[1]);
  if (!tokenizer.ok()) return Fail(tokenizer.status());
  const auto texts = ReadTexts(argv[2]);
  if (!texts.ok()) return Fail(texts.status());

  char command[16];
  while (std::fgets(command, sizeof command, stdin) != nullptr) {
    if (std::strcmp(command, "load\n") == 0) {
      const double start = Now();
      const auto again = OpenTokenizer(argv[1]);
      if (!again.ok()) return Fail(again.status());
      std::printf("%.6f\n", Now() - start);
    } else if (std::strcmp(command, "run\n") == 0) {
      Run(**tokenizer, *texts);
    } else if (std::strcmp(command, "cached\n") == 0) {
      auto again = OpenTokenizer(argv[1]);
      if (!again.ok()) return Fail(again.status());
      const CachedTokenizer cached(*std::move(again),
                                   std::make_shared<TokenCache>(size_t{1} << 30));
      for (const std::string& text : *texts) cached.Encode(text, kAll);
      Run(cached, *texts);
    } else {
      for (const std::string& text : *texts) {
        for (const int32_t id : (*tokenizer)->Encode(text, kAll).ids) std::printf("%d ", id);
        std::printf("\n");
      }
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace podium::bench

int main(int argc, char** argv) { return podium::bench::Main(argc, argv); }
