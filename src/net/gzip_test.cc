#include "net/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace podium {
namespace {

std::string Deflate(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Gzip, WhatWasPackedComesOut) {
  std::mt19937 random(1);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{1000}, size_t{256} << 10, size_t{1} << 20}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>(random() % 7 + 'a');
    const auto out = InflateGzip(Deflate(text), 1 << 20);
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ(*out, text);
  }
}

TEST(Gzip, ABombStopsAtTheLimit) {
  const std::string bomb = Deflate(std::string(size_t{200} << 20, 'x'));
  EXPECT_LT(bomb.size(), 300'000u);
  EXPECT_EQ(InflateGzip(bomb, 1 << 20).status().code(), StatusCode::kResourceExhausted);
}

TEST(Gzip, DamageIsSeen) {
  const std::string good = Deflate("some text that is packed");
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(InflateGzip(good.substr(0, size), 1000).status().code(), StatusCode::kCorrupt);
  }
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    const auto out = InflateGzip(bad, 1000);
    if (out.ok()) {  // a byte of the header
      EXPECT_EQ(*out, "some text that is packed") << i;
    }
  }
  EXPECT_FALSE(InflateGzip(good + "x", 1000).ok());
  EXPECT_FALSE(InflateGzip("{\"query\":1}", 1000).ok());
}

}  // namespace
}  // namespace podium
