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
               {"/a?x=//", "/a", "x=//"},
               // With scheme and host.
               {"http://host/rerank", "/rerank", ""},
               {"HTTPS://user@host:8080/v1/rerank/?a=/b", "/v1/rerank", "a=/b"},
               {"http://[::1]:80//rerank", "/rerank", ""},
               {"http://host", "/", ""},
               {"http://host?a=b", "/", "a=b"},
               {"http://", "/", ""},
               {"/http://host/rerank", "/http:/host/rerank", ""},
               {"ftp://host/rerank", "ftp:/host/rerank", ""},
               {"*", "*", ""},
               // Percent: what needs none, in any case of its digits, and nothing else.
               {"/%72erank", "/rerank", ""},
               {"/%2E%2d%5F%7e%41%7A%30", "/.-_~Az0", ""},
               {"/v1%2Frerank", "/v1%2Frerank", ""},
               {"/v1%2frerank%2F", "/v1%2frerank%2F", ""},
               {"/%252Frerank", "/%252Frerank", ""},
               {"/%", "/%", ""},
               {"/%7", "/%7", ""},
               {"/%7?2", "/%7", "2"},
               {"/%zz%00%ff%20", "/%zz%00%ff%20", ""},
               {"/rerank%3Fshape=a", "/rerank%3Fshape=a", ""}};
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
  request.query = "sh%61pe=ranked%5Fdocuments&t=a+b%2B%26c%&u=%zz";
  EXPECT_EQ(request.QueryValue("shape"), "ranked_documents");
  EXPECT_EQ(request.QueryValue("t"), "a b+&c%");
  EXPECT_EQ(request.QueryValue("u"), "%zz");
}

TEST(HttpRequest, ValuesOfOneNameInAQuery) {
  HttpRequest request;
  request.query = "shape=a&x&shape=%62&shape";
  EXPECT_EQ(request.QueryValues("shape"), (std::vector<std::string>{"a", "b", ""}));
  EXPECT_TRUE(request.QueryValues("y").empty());
}

TEST(WrongFraming, ChunkedAloneIsRight) {
  const auto wrong = [](std::vector<std::pair<std::string, std::string>> headers, bool http10) {
    HttpRequest head;
    head.headers = std::move(headers);
    return WrongFraming(head, http10).has_value();
  };
  EXPECT_FALSE(wrong({}, false));
  EXPECT_FALSE(wrong({{"Content-Length", "3"}}, true));
  for (const char* right : {"chunked", "Chunked", "CHUNKED"}) {
    EXPECT_FALSE(wrong({{"transfer-encoding", right}}, false)) << right;
    EXPECT_TRUE(wrong({{"Transfer-Encoding", right}}, true)) << right;
    for (const bool length_first : {false, true}) {
      std::vector<std::pair<std::string, std::string>> headers = {{"Transfer-Encoding", right},
                                                                  {"Content-Length", "0"}};
      if (length_first) std::swap(headers[0], headers[1]);
      EXPECT_TRUE(wrong(std::move(headers), false)) << right;
    }
  }
  for (const char* value :
       {"", "x", "xchunked", "identity", "gzip", "gzip, chunked", "chunked, chunked",
        "chunked, identity", "chunked;a=b", "\"chunked\""}) {
    EXPECT_TRUE(wrong({{"Transfer-Encoding", value}}, false)) << value;
  }
  EXPECT_TRUE(wrong({{"Transfer-Encoding", "chunked"}, {"transfer-encoding", "x"}}, false));
}

TEST(HttpRequest, WhatIsKnownOfABrokenHead) {
  HttpRequest request;
  request.AddLines("POST /rerank HTTP/1.1\r\nX-One:  1 \r\nno header\r\nX-Two:\nX-Cut: 3");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/rerank");
  EXPECT_EQ(request.headers.size(), 2U);
  EXPECT_EQ(request.Header("x-one"), "1");
  EXPECT_EQ(request.Header("x-cut"), "");
  request.AddLines("GET /later HTTP/1.1\r\nX-Three: 3\r\n\r\nX-Body: 4\r\n");  // has its first line
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.Header("X-Three"), "3");
  EXPECT_EQ(request.Header("X-Body"), "");
  HttpRequest garbage;
  garbage.AddLines("\x16\x03\r\nX-One: 1\r\n");
  EXPECT_EQ(garbage.method, "");
  EXPECT_EQ(garbage.Header("X-One"), "1");
  for (const char* bytes :
       {"", "\n", "\r\n", "\r", "GET", "\n\n\n", "word\r\n", "GET \r\n", ":\r\n", " \n"}) {
    HttpRequest odd;
    odd.AddLines(bytes);
    EXPECT_EQ(odd.target, "") << bytes;
  }
}

TEST(ReadCount, DigitsOfAnyNumber) {
  EXPECT_EQ(ReadCount("0"), 0);
  EXPECT_EQ(ReadCount("007"), 7);
  EXPECT_EQ(ReadCount("9223372036854775806"), INT64_MAX - 1);
  for (const char* most :
       {"9223372036854775807", "9223372036854775808", "99999999999999999999999"}) {
    EXPECT_EQ(ReadCount(most), INT64_MAX) << most;
  }
  for (const char* none :
       {"", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x1", "soon", "-99999999999999999999"}) {
    EXPECT_EQ(ReadCount(none), std::nullopt) << none;
  }
}

TEST(HttpRequest, HeadersInAnyCase) {
  HttpRequest request;
  request.headers = {{"X-One", "1"}, {"x-ONE", "2"}};
  EXPECT_EQ(request.Header("x-one"), "1");
  EXPECT_EQ(request.Header("X-On"), "");
}

}  // namespace
}  // namespace podium
