#include "json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "json/scan.h"

namespace podium::json {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Document ParseOrDie(std::string_view text) {
  auto document = Document::Parse(text, "test");
  EXPECT_TRUE(document.ok()) << text << ": " << document.status().ToString();
  return std::move(document).value();
}

TEST(Json, ReadsEveryType) {
  const Document document = ParseOrDie(
      R"( {"null":null,"yes":true,"int":-3,"big":18446744073709551615,"real":2.5,"text":"é\u4f60",
           "list":[1,"two",[3]],"object":{"k":"v"}} )");
  const Value root = document.root();
  EXPECT_EQ(root.type(), Type::kObject);
  EXPECT_EQ(root.size(), 8u);
  EXPECT_EQ(root.Find("null")->type(), Type::kNull);
  EXPECT_EQ(root.Find("yes")->AsBool(), true);
  EXPECT_EQ(root.Find("int")->AsInt(), -3);
  EXPECT_EQ(root.Find("int")->AsDouble(), -3.0);
  EXPECT_EQ(root.Find("big")->type(), Type::kUnsigned);
  EXPECT_EQ(root.Find("big")->AsInt(), std::nullopt);
  EXPECT_EQ(root.Find("big")->AsDouble(), 18446744073709551616.0);
  EXPECT_EQ(root.Find("real")->AsDouble(), 2.5);
  EXPECT_EQ(root.Find("real")->AsInt(), std::nullopt);
  EXPECT_EQ(root.Find("text")->AsString(), "é你");
  EXPECT_EQ(root.Find("text")->AsBool(), std::nullopt);
  EXPECT_EQ(root.Find("absent"), std::nullopt);
  EXPECT_STREQ(root.Find("list")->type_name(), "array");

  std::vector<Type> types;
  root.Find("list")->ForEachElement([&](Value value) {
    types.push_back(value.type());
    return types.size() < 2;
  });
  EXPECT_EQ(types, (std::vector{Type::kInteger, Type::kString}));
  EXPECT_EQ(root.Find("list")->size(), 3u);
  EXPECT_EQ(root.Find("list")->Find("x"), std::nullopt);
  EXPECT_EQ(root.Find("int")->size(), 0u);
}

TEST(Json, LastOfDuplicateKeysCounts) {
  const Document document = ParseOrDie(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(document.root().Find("a")->AsInt(), 3);
  EXPECT_EQ(document.root().size(), 3u);
}

TEST(Json, DocumentMayMove) {
  Document first = ParseOrDie(R"(["kept"])");
  const Value root = first.root();
  const Document second = std::move(first);
  root.ForEachElement([](Value value) {
    EXPECT_EQ(value.AsString(), "kept");
    return true;
  });
  EXPECT_EQ(second.root().size(), 1u);
}

TEST(Json, StringsMayHoldNul) {
  EXPECT_EQ(ParseOrDie(R"("a\u0000b")").root().AsString(), std::string_view("a\0b", 3));
}

TEST(Json, IntegersBeyondSixtyFourBitsAreDoubles) {
  const Document document = ParseOrDie(
      R"({"model_max_length": 1000000000000000019884624838656, "n": [-9223372036854775809,7],
          "digits in text": "1000000000000000019884624838656"})");
  const Value root = document.root();
  EXPECT_EQ(root.Find("model_max_length")->AsDouble(), 1e30);
  EXPECT_EQ(root.Find("model_max_length")->AsInt(), std::nullopt);
  EXPECT_EQ(root.Find("digits in text")->AsString(), "1000000000000000019884624838656");
  root.Find("n")->ForEachElement([](Value value) {
    EXPECT_TRUE(value.AsDouble() == 7 || value.AsDouble() == -9223372036854775808.0);
    return true;
  });
}

struct Bad {
  std::string text;
  size_t offset;
  std::string reason;
};

TEST(Json, RefusesWithPlaceAndReason) {
  const Bad cases[] = {
      {"", 0, "ends too early"},
      {"  ", 2, "ends too early"},
      {"{", 1, "ends too early"},
      {"[1,]", 3, "expected a value"},
      {"{\"a\":1,}", 7, "expected a key"},
      {"{a:1}", 1, "expected a key"},
      {"{\"a\" 1}", 5, "expected ':'"},
      {"[1 2]", 3, "expected ',' or ']'"},
      {"{\"a\":1]", 6, "expected ',' or '}'"},
      {"1 2", 2, "more text"},
      {"[] // note", 3, "more text"},
      {"'a'", 0, "expected a value"},
      {"nul", 0, "expected a value"},
      {"[NaN]", 1, "expected a value"},
      {"[Infinity]", 1, "expected a value"},
      {"[01]", 2, "must not start with 0"},
      {"[1.]", 3, "expected a digit"},
      {"[.5]", 1, "expected a value"},
      {"[+1]", 1, "expected a value"},
      {"[1e]", 3, "expected a digit"},
      {"[1e400]", 1, "beyond the range"},
      {"[-1e400]", 1, "beyond the range"},
      {"\"a", 2, "ends too early"},
      {"\"a\nb\"", 2, "control character"},
      {"\"\\x\"", 1, "unknown escape"},
      {"\"\\u12g4\"", 1, "four hexadecimal"},
      {"\"\\ud800\"", 1, "surrogate"},
      {"\"\\ud800\\u0041\"", 1, "surrogate"},
      {"\"\\udc00\"", 1, "surrogate"},
      {"\"\xff\"", 1, "invalid UTF-8"},
      {"\"\xc0\x80\"", 1, "invalid UTF-8"},
      {"\"\xed\xa0\x80\"", 1, "invalid UTF-8"},
      {"\xEF\xBB\xBF{}", 0, "byte order mark"},
      {std::string("[1]\0", 4), 3, "more text"},
  };
  for (const Bad& bad : cases) {
    const auto document = Document::Parse(bad.text, "config.json");
    ASSERT_FALSE(document.ok()) << bad.text;
    EXPECT_EQ(document.status().code(), StatusCode::kCorrupt) << bad.text;
    EXPECT_THAT(document.status().message(),
                StartsWith("config.json: byte " + std::to_string(bad.offset) + ": "))
        << bad.text;
    EXPECT_THAT(document.status().message(), HasSubstr(bad.reason)) << bad.text;
  }
}

TEST(Json, AcceptsTheCornersOfTheGrammar) {
  for (const std::string_view text :
       {"0", "-0", "1E+2", "1e-400", "0e400", "0.0000000000000000000000000001e-300", "[]", "{}",
        "\"\"", " [ ] ", "\"\\ud83d\\ude80\"", "\"\\/\"", "[[],[]]", "{\"\":{}}", "\"\x7f\"",
        "null", "[1e308,-1e308]", "\"\xEF\xBF\xBF\""}) {
    EXPECT_TRUE(Document::Parse(text, "test").ok()) << text;
    EXPECT_EQ(ScanJson(text, 64).verdict, Scan::Verdict::kValid) << text;
  }
}

TEST(Json, DepthAndSizeHaveLimits) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') + "1" +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(Document::Parse(nested(64), "test").ok());
  const auto deep = Document::Parse(nested(65), "body");
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(deep.status().message(), "body: byte 64: nested too deep, limit 64");
  EXPECT_EQ(Document::Parse(std::string(1 << 20, '['), "body").status().code(),
            StatusCode::kResourceExhausted);
  const auto large = Document::Parse("[1, 2, 3]", "body", {.bytes_max = 8});
  EXPECT_EQ(large.status().message(), "body: 9 bytes of JSON, limit 8");
  EXPECT_TRUE(Document::Parse("[1, 2, 3]", "body", {.bytes_max = 9}).ok());
}

TEST(Json, EveryPrefixOfAValidTextIsRefusedWithoutOverrun) {
  const std::string text = R"({"a": [1, -2.5e3, "x\ud83d\ude80\n", true, null], "é": {"b": {}}})";
  for (size_t length = 0; length < text.size(); ++length) {
    const std::vector<char> exact(text.begin(), text.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_FALSE(Document::Parse({exact.data(), exact.size()}, "test").ok()) << length;
  }
}

}  // namespace
}  // namespace podium::json
