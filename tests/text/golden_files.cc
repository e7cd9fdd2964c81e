#include "golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "base/check.h"
#include "text/tokenizer_file.h"

namespace podium::golden {
namespace {

const std::string kSource = PODIUM_SOURCE_DIR;

std::string Unescape(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out.push_back(line[i]);
      continue;
    }
    out.push_back(static_cast<char>(std::stoi(std::string(line.substr(i + 2, 2)), nullptr, 16)));
    i += 3;
  }
  return out;
}

void Substitute(std::string& text, const std::string& from, const std::string& to, size_t start) {
  const size_t at = text.find(from, start);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

}  // namespace

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> ReadData(const std::string& name) {
  std::istringstream file(ReadAll(kSource + "/tests/text/data/" + name));
  std::vector<std::string> lines;
  std::string line;
  EXPECT_TRUE(std::getline(file, line)) << name;
  while (std::getline(file, line)) lines.push_back(line);
  return lines;
}

const std::vector<Text>& Texts() {
  static const std::vector<Text> kTexts = [] {
    std::vector<Text> texts;
    for (const char* name :
         {"made", "translations", "annotations", "unicode", "code", "found", "repeats"}) {
      int number = 1;
      for (const std::string& line : ReadData(std::string(name) + ".txt")) {
        ++number;
        if (std::string_view(name) != "repeats") {
          texts.push_back({name, number, Unescape(line)});
          continue;
        }
        const std::string fragment = Unescape(line.substr(line.find('\t') + 1));
        std::string bytes;
        for (int i = std::stoi(line); i > 0; --i) bytes += fragment;
        texts.push_back({name, number, std::move(bytes)});
      }
    }
    return texts;
  }();
  return kTexts;
}

std::vector<int32_t> ParseIds(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<int32_t>(in), {}};
}

uint32_t Crc32(std::string_view bytes) {
  static const auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t bits = i;
      for (int k = 0; k < 8; ++k) bits = bits >> 1 ^ (bits % 2 ? 0xEDB88320u : 0);
      table[i] = bits;
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 0xFF];
  return ~crc;
}

std::string Digest(const std::vector<int32_t>& ids) {
  std::string bytes;
  for (const int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(id >> shift));
  }
  const uint64_t number = std::min<uint64_t>(ids.size(), 4095) << 36 | Crc32(bytes);
  std::string digest;
  for (int shift = 42; shift >= 0; shift -= 6) {
    digest +=
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[number >> shift & 63];
  }
  return digest;
}

std::string TokenizerFile(const std::string& name) {
  if (name == "mini") return ReadAll(kSource + "/models/podium-mini-zh-en/tokenizer.json");
  if (name == "bert_mini") return ReadAll(kSource + "/tests/text/data/bert_mini.json");
  const char* folder = std::getenv("PODIUM_TEST_TOKENIZERS");
  const std::string path =
      (folder != nullptr ? std::string(folder) : kSource + "/.deps/tokenizers") + "/" +
      (name == "xlmr_m3" ? "xlmr" : name) + "/tokenizer.json";
  if (!std::filesystem::exists(path)) return "";
  std::string file = ReadAll(path);
  if (name == "xlmr_m3") {
    Substitute(file, "\"add_prefix_space\": true",
               "\"prepend_scheme\": \"always\", \"split\": true", file.find("\"pre_tokenizer\""));
    Substitute(file, "\"lstrip\": false", "\"lstrip\": true", file.find("\"<mask>\""));
  }
  return file;
}

const Tokenizer* GoldenTokenizer(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Tokenizer>> opened;
  const auto [at, fresh] = opened.try_emplace(name);
  if (fresh) {
    const std::string file = TokenizerFile(name);
    if (!file.empty()) {
      auto parsed = ParseTokenizer(file, name, "", "");
      PODIUM_CHECK(parsed.ok());
      at->second = std::move(parsed).value();
    }
  }
  return at->second.get();
}

void ExpectLinearTime(size_t size, const std::function<void(size_t)>& run) {
  // Processor time, the best of a few: other programs of a busy machine do not count.
  const auto best_of = [&](size_t bytes) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 5; ++i) {
      const std::clock_t start = std::clock();
      run(bytes);
      best = std::min(best, std::clock() - start);
    }
    return best;
  };
  const std::clock_t once = best_of(size), twice = best_of(2 * size);
  EXPECT_LT(twice, 4 * once) << "of " << CLOCKS_PER_SEC << " a second, for twice the size";
}

}  // namespace podium::golden
