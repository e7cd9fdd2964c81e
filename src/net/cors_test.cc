#include "net/cors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The Access-Control-Allow-Origin and Vary of a reply.
std::vector<std::pair<std::string, std::string>> Decision(const Cors& cors,
                                                          std::string_view origin) {
  HttpReply reply;
  cors.AddHeaders(origin, reply);
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& header : reply.headers) {
    if (header.first != "Access-Control-Expose-Headers") found.push_back(header);
  }
  return found;
}

TEST(Cors, NamesTheOriginsThatAreListed) {
  const Cors cors({"https://a.example", "http://localhost:3000"});
  EXPECT_THAT(Decision(cors, "http://localhost:3000"),
              ElementsAre(Pair("Vary", "Origin"),
                          Pair("Access-Control-Allow-Origin", "http://localhost:3000")));
  for (const char* other : {"", "null", "*", "http://a.example", "https://a.example:8443",
                            "https://a.example.evil.example", "https://A.example"}) {
    EXPECT_THAT(Decision(cors, other), ElementsAre(Pair("Vary", "Origin"))) << other;
  }
}

TEST(Cors, AnyOriginAndNone) {
  const Cors any({"https://a.example", "*"});
  EXPECT_THAT(Decision(any, "null"), ElementsAre(Pair("Access-Control-Allow-Origin", "*")));
  EXPECT_THAT(Decision(any, ""), ElementsAre(Pair("Access-Control-Allow-Origin", "*")));
  EXPECT_THAT(Decision(Cors({}), "https://a.example"), IsEmpty());
  EXPECT_FALSE(Cors({}).enabled());
}

TEST(Cors, AllowedHeadersAreThoseAskedFor) {
  HttpRequest request;
  request.method = "OPTIONS";
  EXPECT_FALSE(Cors::IsPreflight(request));
  request.headers = {{"origin", "https://a.example"}, {"access-control-request-method", "POST"}};
  EXPECT_TRUE(Cors::IsPreflight(request));
  const auto allowed = [&](const std::string& asked) {
    request.headers.resize(2);
    request.headers.emplace_back("Access-Control-Request-Headers", asked);
    for (const auto& [name, value] : Cors::AnswerPreflight(request, "POST").headers) {
      if (name == "Access-Control-Allow-Headers") return value;
    }
    return std::string("none");
  };
  EXPECT_EQ(allowed("authorization, content-type,x-api-key"),
            "authorization, content-type,x-api-key");
  for (const std::string& odd :
       {std::string("a\r\nSet-Cookie: b"), std::string("a;b"), std::string(2000, 'a')}) {
    EXPECT_EQ(allowed(odd), "none");
  }
}

TEST(Cors, OriginsThatNoBrowserSendsAreRefused) {
  for (const char* origin : {"*", "https://a.example", "http://[::1]:8080", "app://shell"}) {
    EXPECT_TRUE(Cors::CheckOrigin(origin).ok()) << origin;
  }
  for (const char* origin :
       {"", "a.example", "https://", "://a", "https://a.example/", "https://A.example",
        "https://*.example", "https://a.example/x", "https://a b", "null"}) {
    EXPECT_THAT(Cors::CheckOrigin(origin).message(), HasSubstr("https://app.example")) << origin;
  }
}

}  // namespace
}  // namespace podium
