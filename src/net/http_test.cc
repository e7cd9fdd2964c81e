#include "net/http.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(HttpRequest, TargetsAreReadAsUsersWriteThem) {
  const struct {
    const char* target;
    const char* path;
    const char* query;
  } cases[] = {{"/rerank", "/rerank", ""},
               {"//v1///rerank/", "/v1/rerank", ""},
               {"/rerank?shape=a&b", "/rerank", "shape=a&b"},
               {"/", "/", ""},
               {"", "", ""},
               {"/rerank?", "/rerank", ""},
               {"/a?x=//", "/a", "x=//"}};
  for (const auto& c : cases) {
    HttpRequest request;
    request.target = c.target;
    request.SplitTarget();
    EXPECT_EQ(request.path, c.path) << c.target;
    EXPECT_EQ(request.query, c.query) << c.target;
  }
}

TEST(HttpRequest, QueryValues) {
  HttpRequest request;
  request.query = "a=1&&shape=ranked_documents&b&c=&a=2";
  EXPECT_EQ(request.QueryValue("a"), "1");
  EXPECT_EQ(request.QueryValue("shape"), "ranked_documents");
  EXPECT_EQ(request.QueryValue("b"), "");
  EXPECT_EQ(request.QueryValue("c"), "");
  EXPECT_EQ(request.QueryValue("none"), "");
}

TEST(HttpRequest, HeadersInAnyCase) {
  HttpRequest request;
  request.headers = {{"X-One", "1"}, {"x-ONE", "2"}};
  EXPECT_EQ(request.Header("x-one"), "1");
  EXPECT_EQ(request.Header("X-On"), "");
}

}  // namespace
}  // namespace podium
