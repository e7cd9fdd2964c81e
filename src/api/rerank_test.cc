#include "api/rerank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/concat.h"

namespace podium::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr RerankPath kBare{.kind = RerankPath::Kind::kBare};
constexpr RerankPath kVersioned{};

std::shared_ptr<RerankCall> Decode(std::string_view body, const RerankPath& path = kVersioned) {
  auto decoded = DecodeRerank(body, path, {});
  if (const Error* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::get<std::shared_ptr<RerankCall>>(decoded);
}

Error Refused(std::string_view body, const RerankPath& path = kVersioned,
              const DecodeLimits& limits = {}) {
  auto decoded = DecodeRerank(body, path, limits);
  if (!std::holds_alternative<Error>(decoded)) {
    ADD_FAILURE() << body << " was taken";
    return {};
  }
  return std::get<Error>(decoded);
}

TEST(Decode, TheBodyDecidesTheDialect) {
  const auto dialect = [](std::string_view members, const RerankPath& path) {
    return Decode(Concat("{\"query\":\"q\",", members, "}"), path)->dialect;
  };
  EXPECT_EQ(dialect(R"("texts":["a"])", kVersioned), Dialect::kTei);
  EXPECT_EQ(dialect(R"("texts":["a"])", kBare), Dialect::kTei);
  EXPECT_EQ(dialect(R"("documents":["a"])", kBare), Dialect::kDocuments);
  EXPECT_EQ(dialect(R"("documents":["a"],"texts":["a"])", kBare), Dialect::kTei);
  EXPECT_EQ(dialect(R"("documents":["a"],"texts":["a"])", kVersioned), Dialect::kDocuments);
  EXPECT_EQ(dialect(R"("documents":["a"],"texts":null)", kBare), Dialect::kDocuments);
  EXPECT_EQ(dialect(R"("documents":["a"],"property":"")", kBare), Dialect::kScores);
  EXPECT_EQ(dialect(R"("documents":["a"],"property":"")", kVersioned), Dialect::kDocuments);
  EXPECT_EQ(dialect(R"("input":["a"])", kVersioned), Dialect::kInput);
  EXPECT_EQ(dialect(R"("documents":["a"])", {.kind = RerankPath::Kind::kArray}), Dialect::kArray);
  EXPECT_EQ(
      dialect(R"("documents":["a"])", {.kind = RerankPath::Kind::kBare, .ranked_documents = true}),
      Dialect::kRankedDocuments);
  // The server's own choice is for those who ask for nothing else; Weaviate does, by its member.
  const RerankPath short_replies{.kind = RerankPath::Kind::kBare, .ranked_documents_default = true};
  EXPECT_EQ(dialect(R"("documents":["a"])", short_replies), Dialect::kRankedDocuments);
  EXPECT_EQ(dialect(R"("documents":["a"],"property":"")", short_replies), Dialect::kScores);
  EXPECT_EQ(dialect(R"("texts":["a"])", short_replies), Dialect::kTei);
}

TEST(Decode, OddButMeantWell) {
  const auto call = Decode(
      R"({"query":{"text":"q"},"documents":["a"],"top_n":null,"top_k":"3","return_documents":"true",
          "model":["m"],"max_tokens_per_doc":null,"kwargs":"{}","priority":0,"rank_fields":null})");
  EXPECT_EQ(call->query, "q");
  EXPECT_EQ(call->top_n, 3);
  EXPECT_TRUE(call->return_documents);
  EXPECT_EQ(call->model, "");
  EXPECT_EQ(Decode(R"({"query":"q","documents":["a"],"top_n":0})")->top_n, -1);
  EXPECT_EQ(Decode(R"({"query":"q","documents":["a"],"top_n":1e30})")->top_n,
            std::numeric_limits<int>::max());
  EXPECT_EQ(Decode(R"({"query":"q","documents":["a"],"top_n":2.0,"top_k":7})")->top_n, 2);
  EXPECT_FALSE(Decode(R"({"query":"q","documents":["a"],"truncation":false})")->truncate);
  EXPECT_TRUE(
      Decode(R"({"query":"q","texts":["a"],"truncation_direction":"left"})")->truncate_left);
}

TEST(Decode, SidesInAnyCaseAndNoOthers) {
  for (const char* texts : {"texts", "documents", "input"}) {
    const auto body = [&](std::string_view side) {
      return Concat("{\"query\":\"q\",\"", texts, "\":[\"a\"],\"truncation_direction\":", side,
                    "}");
    };
    for (const char* side : {R"("Left")", R"("left")", R"("LEFT")"}) {
      EXPECT_TRUE(Decode(body(side))->truncate_left) << texts << side;
    }
    for (const char* side : {R"("Right")", R"("right")", R"("RIGHT")", R"("")", "null"}) {
      EXPECT_FALSE(Decode(body(side))->truncate_left) << texts << side;
    }
    for (const char* side : {"middle", "lef", "Left ", "none"}) {
      const Error error = Refused(body(Concat("\"", side, "\"")));
      EXPECT_EQ(error.status, std::string_view(texts) == "texts" ? 422 : 400);
      EXPECT_EQ(error.message,
                Concat("truncation_direction: got \"", side, "\", allowed: Left, Right"));
    }
    EXPECT_THAT(Refused(body("3")).message, HasSubstr("got integer, expected a string"));
  }
  EXPECT_TRUE(Decode(R"({"query":"q","documents":["a"],"truncation_side":"left"})")->truncate_left);
  EXPECT_THAT(Refused(R"({"query":"q","documents":["a"],"truncation_side":"start"})").message,
              HasSubstr("truncation_side: got \"start\""));
}

TEST(Decode, NumbersAtTheirEdges) {
  const auto top_n = [](std::string_view number) {
    return Decode(Concat(R"({"query":"q","documents":["a"],"top_n":)", number, "}"))->top_n;
  };
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const char* most :
       {"2147483647", "2147483648", "9223372036854775807", "18446744073709551616", "1e300",
        R"("9223372036854775808")", R"("99999999999999999999999999")", R"("1e400")"}) {
    EXPECT_EQ(top_n(most), kMost) << most;
  }
  for (const char* all : {"-1", "-99999999999999999999", R"("-1e400")", R"("0")", R"("1e-400")"}) {
    EXPECT_EQ(top_n(all), -1) << all;
  }
  EXPECT_EQ(top_n(R"("3.0")"), 3);
  for (const char* none :
       {R"("nan")", R"("inf")", R"("")", R"("3 ")", R"("0x3")", "2.5", "[3]", R"("2.5")"}) {
    EXPECT_THAT(Refused(Concat(R"({"query":"q","documents":["a"],"top_n":)", none, "}")).message,
                HasSubstr("top_n: got "))
        << none;
  }
  const auto call =
      Decode(R"({"query":"q","documents":["a"],"max_tokens_per_doc":1e30,"min_score":"0.25"})");
  EXPECT_EQ(call->max_tokens_per_doc, kMost);
  EXPECT_EQ(call->min_score, 0.25);
}

TEST(Decode, DocumentsOfEveryShape) {
  const auto call = Decode(
      R"({"query":"q","documents":["a",{"text":"b"},{"content":[{"type":"text","text":"c"},
          {"type":"image_url"},{"type":"text","text":"d"}]},{"t":"e","n":3,"l":["x"]},"",{"passage":"f"}]})");
  EXPECT_THAT(call->documents, ElementsAre("a", "b", "c\nd", "t: e\nn: 3\nl: [\"x\"]", "", "f"));
  EXPECT_THAT(Decode(R"({"query":"q","texts":["a",null,""]})")->documents,
              ElementsAre("a", "", ""));
  EXPECT_THAT(
      Decode(R"({"query":"q","rank_fields":["b","a"],"documents":[{"a":"1","b":"2","text":"3"}]})")
          ->documents,
      ElementsAre("b: 2\na: 1"));
  EXPECT_THAT(Decode(R"({"query":"q","rank_fields":["text"],"documents":[{"a":"1","text":"3"}]})")
                  ->documents,
              ElementsAre("3"));
}

TEST(Decode, MembersThatAreNullCountAsAbsent) {
  const auto documents = [](std::string_view rank_fields, std::string_view list) {
    const auto call = Decode(
        Concat(R"({"query":"q","rank_fields":)", rank_fields, R"(,"documents":)", list, "}"));
    return std::vector<std::string>(call->documents.begin(), call->documents.end());
  };
  EXPECT_THAT(documents("null", R"([{},{"text":null},{"a":null,"b":null},{"content":null},
                                    {"document":null},{"passage":null}])"),
              ElementsAre("", "", "", "", "", ""));
  EXPECT_THAT(documents("null", R"([{"a":1,"b":null},{"a":null,"b":2},{"text":null,"content":"c"},
                            {"text":null,"t":"d"},{"a":{"b":null}},{"a":[null]},{"a":"null"}])"),
              ElementsAre("a: 1", "b: 2", "c", "t: d", "a: {\"b\":null}", "a: [null]", "a: null"));
  // Fields to rank by that are missing or null are left out; with none of them all members count.
  EXPECT_THAT(documents(R"(["a","b"])",
                        R"([{"a":1,"b":null,"c":3},{"a":1,"c":3},{"a":null,"c":3,"d":null},{"c":3},
                            {"a":null,"b":null}])"),
              ElementsAre("a: 1", "a: 1", "c: 3", "c: 3", ""));
  EXPECT_THAT(documents(R"(["a"])", R"([{"a":null,"text":"t"},{"text":"t"},{"a":null}])"),
              ElementsAre("t", "t", ""));
}

TEST(Decode, WhatIsRefusedSaysWhere) {
  EXPECT_THAT(Refused(R"({"query":"q","documents":["a",3]})").message,
              HasSubstr("documents[1]: got integer"));
  EXPECT_THAT(Refused(R"({"query":"q","documents":["a",null]})").message,
              HasSubstr("documents[1]: got null"));
  EXPECT_THAT(Refused(R"({"query":"q","documents":[["a"]]})").message,
              HasSubstr("documents[0]: got array"));
  EXPECT_THAT(Refused(R"({"query":"q","documents":"a"})").message, HasSubstr("expected an array"));
  EXPECT_THAT(Refused(R"({"documents":["a"]})").message, HasSubstr("query"));
  EXPECT_THAT(Refused(R"({"query":"q"})").message, HasSubstr("documents: it is missing"));
  EXPECT_THAT(Refused(R"({"query":"q","documents":["a"],"top_n":"many"})").message,
              HasSubstr("top_n: got string"));
  EXPECT_THAT(Refused("[1]").message, HasSubstr("expected an object"));
  EXPECT_THAT(Refused("").message, HasSubstr("request body"));
  // The status is the dialect's: infinity's client reads a list from a 422.
  EXPECT_EQ(Refused(R"({"query":3,"documents":["a"]})").status, 400);
  EXPECT_EQ(Refused(R"({"query":3,"texts":["a"]})").status, 422);
  EXPECT_EQ(Refused(R"({"query":"q","texts":[]})").status, 400);
  EXPECT_EQ(Refused(R"({"query":"q","texts":[]})").kind, ErrorKind::kEmpty);
  EXPECT_EQ(Refused(R"({"query":"q","documents":[]})").kind, ErrorKind::kEmpty);
}

TEST(Decode, DamagedBodies) {
  std::string deep = R"({"query":"q","documents":["a"],"x":)";
  deep.append(100'000, '[').append(100'000, ']').append("}");
  for (const std::string& body : {
           std::string("{"),
           std::string(R"({"query":"q","documents":["a"],})"),
           deep,
           std::string("{\"query\":\"\xFF\",\"documents\":[\"a\"]}"),
           std::string(R"({"query":"\ud800","documents":["a"]})"),
           std::string(R"({"query":"\udc00x","documents":["a"]})"),
           std::string("{\"query\":\"a\0b\",\"documents\":[\"a\"]}", 33),
       }) {
    const Error error = Refused(body);
    EXPECT_EQ(error.status, 400);
    EXPECT_THAT(error.message, HasSubstr("request body"));
  }
  // An escaped NUL is text.
  EXPECT_EQ(Decode(R"({"query":"a\u0000b","documents":["a"]})")->query,
            std::string_view("a\0b", 3));
}

TEST(Decode, TooManyDocuments) {
  const DecodeLimits limits{.documents_max = 3};
  const Error documents =
      Refused(R"({"query":"q","documents":["a","a","a","a"]})", kVersioned, limits);
  EXPECT_EQ(documents.status, 400);
  EXPECT_THAT(documents.message, HasSubstr("got 4, at most 3"));
  EXPECT_EQ(Refused(R"({"query":"q","texts":["a","a","a","a"]})", kVersioned, limits).status, 422);
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<RerankCall>>(
      DecodeRerank(R"({"query":"q","documents":["a","a","a"]})", kVersioned, limits)));
}

// Readers that cast to Integer or BigDecimal by the look of a number (OpenSearch).
TEST(Encode, ScoresHaveAPointOrAnExponentAndAreShort) {
  for (const float logit : {-200.F, -88.7F, -20.F, -1e-3F, 0.F, 0.1F, 3.7F, 17.F, 200.F}) {
    const auto call = Decode(R"({"query":"q","documents":["a"]})");
    const Score score{.logit = logit};
    const RankedDocument ranked{0, score};
    RerankReply reply;
    reply.ranking = std::span(&ranked, 1);
    reply.scores = std::span(&score, 1);
    const std::string body = EncodeRerank(*call, reply);
    const size_t start = body.find("relevance_score\":") + 17;
    const std::string literal = body.substr(start, body.find_first_of(",}", start) - start);
    EXPECT_NE(literal.find_first_of(".e"), std::string::npos) << literal;
    EXPECT_LE(literal.size(), 18u) << literal;
    EXPECT_EQ(std::strtof(literal.c_str(), nullptr), static_cast<float>(Sigmoid(logit)));
  }
}

TEST(Errors, HaveEveryFieldThatClientsRead) {
  const Error error{ErrorKind::kValidation, 400, "no \"query\""};
  EXPECT_EQ(EncodeError(error, "id-1"),
            R"({"error":"no \"query\"","error_type":"Validation","message":"no \"query\"",)"
            R"("detail":"no \"query\"","request_id":"id-1"})");
  EXPECT_THAT(EncodeError({ErrorKind::kValidation, 422, "m"}, ""),
              testing::Not(HasSubstr("detail")));
}

}  // namespace
}  // namespace podium::api
