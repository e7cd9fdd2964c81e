#include "json/writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "json/json.h"

namespace podium::json {
namespace {

template <typename Body>
std::string Write(Body body) {
  std::string out;
  Writer writer(out);
  body(writer);
  return out;
}

TEST(Writer, PlacesCommas) {
  EXPECT_EQ(Write([](Writer& w) {
              w.BeginObject();
              w.Key("a");
              w.BeginArray();
              w.Int(1);
              w.BeginArray();
              w.EndArray();
              w.BeginObject();
              w.EndObject();
              w.Null();
              w.EndArray();
              w.Key("b");
              w.Bool(true);
              w.Key("c");
              w.BeginObject();
              w.Key("d");
              w.String("x");
              w.EndObject();
              w.Key("e");
              w.Int(std::numeric_limits<int64_t>::min());
              w.EndObject();
            }),
            R"({"a":[1,[],{},null],"b":true,"c":{"d":"x"},"e":-9223372036854775808})");
}

TEST(Writer, EscapesStrings) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain", "plain"},
      {"q\"b\\s/", "q\\\"b\\\\s/"},
      {"\b\f\n\r\t", "\\b\\f\\n\\r\\t"},
      {std::string("\0\x1f\x7f", 3), "\\u0000\\u001f\x7f"},
      {"你好 🚀 é", "你好 🚀 é"},
      {"\xff", "\xEF\xBF\xBD"},
      {"a\xc0\x80z", "a\xEF\xBF\xBD\xEF\xBF\xBDz"},              // overlong: two bytes, two signs
      {"\xe4\xbd", "\xEF\xBF\xBD"},                              // cut character: one sign
      {"\xe4\xbd\xa0\xe4\xbdx", "你\xEF\xBF\xBDx"},              // cut before another character
      {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // surrogate
      {"\xf0\x9f\x9a", "\xEF\xBF\xBD"},
      {"\xf4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(Write([&](Writer& w) { w.String(text); }), "\"" + wanted + "\"");
    EXPECT_EQ(Write([&](Writer& w) {
                w.BeginObject();
                w.Key(text);
                w.Null();
                w.EndObject();
              }),
              "{\"" + wanted + "\":null}");
  }
}

TEST(Writer, WritesShortNumbers) {
  EXPECT_EQ(Write([](Writer& w) { w.Float(0.5f); }), "0.5");
  EXPECT_EQ(Write([](Writer& w) { w.Float(0.1f); }), "0.1");
  EXPECT_EQ(Write([](Writer& w) { w.Double(0.1); }), "0.1");
  EXPECT_EQ(Write([](Writer& w) { w.Float(3); }), "3");
  EXPECT_EQ(Write([](Writer& w) { w.Float(-0.0f); }), "-0.0");
  EXPECT_EQ(Write([](Writer& w) { w.Double(1e300); }), "1e+300");
  EXPECT_EQ(Write([](Writer& w) { w.Float(std::numeric_limits<float>::quiet_NaN()); }), "null");
  EXPECT_EQ(Write([](Writer& w) { w.Double(-std::numeric_limits<double>::infinity()); }), "null");
}

TEST(Writer, NumbersReadBackAsTheyWere) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto number = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(number) || !std::isfinite(narrow)) continue;
    const std::string text = Write([&](Writer& w) {
      w.BeginArray();
      w.Double(number);
      w.Float(narrow);
      w.EndArray();
    });
    const auto document = Document::Parse(text, "test");
    ASSERT_TRUE(document.ok()) << text;
    std::vector<double> read;
    document->root().ForEachElement([&](Value value) {
      read.push_back(value.AsDouble().value());
      return true;
    });
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0], number) << text;
    EXPECT_EQ(static_cast<float>(read[1]), narrow) << text;
  }
}

}  // namespace
}  // namespace podium::json
