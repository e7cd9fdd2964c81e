#include "model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace podium {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Exactly as many bytes as the file has, so that a sanitizer sees one read too far.
std::vector<std::byte> File(std::string_view header, size_t data_bytes,
                            std::optional<uint64_t> stated_length = std::nullopt) {
  const uint64_t length = stated_length.value_or(header.size());
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<std::byte>(length >> (8 * i));
  if (!header.empty()) std::memcpy(file.data() + 8, header.data(), header.size());
  return file;
}

TEST(Safetensors, ReadsTensorsByOffset) {
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("b":{"dtype":"F16","shape":[2,3],"data_offsets":[8,20]},)"
                             R"("empty":{"dtype":"F32","shape":[0,7],"data_offsets":[20,20]},)"
                             R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}   )";
  const auto entries = ParseSafetensors(File(header, 20), "m.safetensors");
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  ASSERT_EQ(entries->size(), 3u);
  const uint64_t data = 8 + header.size();
  EXPECT_EQ((*entries)[0].name, "scalar");
  EXPECT_EQ((*entries)[0].begin, data);
  EXPECT_EQ((*entries)[1].name, "b");
  EXPECT_EQ((*entries)[1].dtype, "F16");
  EXPECT_EQ((*entries)[1].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ((*entries)[1].begin, data + 8);
  EXPECT_EQ((*entries)[1].end, data + 20);
  EXPECT_EQ((*entries)[2].name, "empty");
  EXPECT_TRUE(ParseSafetensors(File("{}", 0), "m").ok());
}

struct Bad {
  std::string header;
  size_t data_bytes;
  std::string_view reason;
  std::optional<uint64_t> stated_length = std::nullopt;
};

TEST(Safetensors, RefusesWhatBreaksTheFormat) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const Bad cases[] = {
      {"", 0, "ends too early"},
      {"[]", 0, "expected an object"},
      {"{", 0, "ends too early"},
      {"{}", 0, "limit 100000000", UINT64_MAX},
      {"{}", 0, "limit 100000000", 100'000'001},
      {"{}", 0, "only 2 bytes follow", 3},
      {"{" + a + "}", 7, "unfinished download"},
      {"{" + a + "}", 9, "1 bytes belong to no tensor"},
      {"{" + a + "," + a + "}", 8, "is there twice"},
      {"{\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,9]}," + a + "}", 9,
       "is there twice"},
      {"{" + a + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[7,9]}})", 9, "inside the one"},
      {"{" + a + R"(,"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", 8, "inside the one"},
      {"{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}})", 10, "leaving a gap"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "leaving a gap"},
      {R"({"a":3})", 0, "dtype is missing"},
      {R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4, "unknown dtype F31"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "shape"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", 4, "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "shape"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "shape"},
      {R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})", 4, "shape"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4, "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})", 4,
       "data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "ask for 8 bytes"},
      // 2^62 · 4 bytes wrap to 0, 2^32 · 2^32 too.
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0,
       "overflow"},
      {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
       "overflow"},
      {R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})",
       1, "shape"},
  };
  for (const Bad& bad : cases) {
    const auto file = File(bad.header, bad.data_bytes, bad.stated_length);
    const auto entries = ParseSafetensors(file, "m.safetensors");
    ASSERT_FALSE(entries.ok()) << bad.header;
    EXPECT_EQ(entries.status().code(), StatusCode::kCorrupt) << bad.header;
    EXPECT_THAT(entries.status().message(), StartsWith("m.safetensors"));
    EXPECT_THAT(entries.status().message(), HasSubstr(bad.reason)) << bad.header;
  }
}

TEST(Safetensors, RefusesShortFilesAndDeepHeaders) {
  for (size_t size = 0; size < 8; ++size) {
    EXPECT_THAT(ParseSafetensors(std::vector<std::byte>(size), "m").status().message(),
                HasSubstr("too few"));
  }
  const std::string deep = "{\"__metadata__\":" + std::string(1000, '[') + "}";
  EXPECT_EQ(ParseSafetensors(File(deep, 0), "m").status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace podium
