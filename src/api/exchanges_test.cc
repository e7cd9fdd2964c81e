// Every exchange of tests/exchanges: the client's request, and a reply that holds what it reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "api/rerank.h"
#include "base/concat.h"

namespace podium::api {
namespace {

constexpr const char* kQuery = "\"who baked it\"";
constexpr const char* kDocuments = "[\"Ana baked the loaf.\",\"Rain fell.\"]";
constexpr const char* kResults =
    "[{\"index\":0,\"relevance_score\":0.97},{\"index\":1,\"relevance_score\":0.02}]";
constexpr const char* kResultsWithDocuments =
    "[{\"index\":0,\"relevance_score\":0.97,\"document\":{\"text\":\"Ana baked the loaf.\"}},"
    "{\"index\":1,\"relevance_score\":0.02,\"document\":{\"text\":\"Rain fell.\"}}]";

struct Exchange {
  std::string client;
  std::string path;
  std::string request;
  std::string reply;
};

std::string Expand(std::string text) {
  const std::pair<const char*, const char*> names[] = {
      {"@RD", kResultsWithDocuments}, {"@R", kResults}, {"@Q", kQuery}, {"@D", kDocuments}};
  for (const auto& [name, value] : names) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, std::string_view(name).size(), value);
    }
  }
  return text;
}

std::vector<Exchange> ReadExchanges() {
  std::vector<Exchange> exchanges;
  for (const auto& entry :
       std::filesystem::directory_iterator(PODIUM_SOURCE_DIR "/tests/exchanges")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("client: ", 0) == 0) {
        exchanges.emplace_back().client = line.substr(8);
      } else if (line.rfind("POST ", 0) == 0) {
        exchanges.back().path = line.substr(5);
      } else if (line.rfind('{', 0) == 0) {
        exchanges.back().request = Expand(line);
      } else if (line.rfind("200 ", 0) == 0) {
        exchanges.back().reply = Expand(line.substr(4));
      }
    }
  }
  return exchanges;
}

RerankPath PathOf(const std::string& path) {
  if (path == "/rerank") return {.kind = RerankPath::Kind::kBare};
  if (path == "/array/rerank") return {.kind = RerankPath::Kind::kArray};
  if (path == "/api/rerank") return {.kind = RerankPath::Kind::kOllama};
  return {.kind = RerankPath::Kind::kVersioned};
}

float Logit(double score) { return static_cast<float>(std::log(score / (1 - score))); }

// The reply as it would be if the model gave "Rain fell." 0.02 and every other document 0.97.
std::string Answer(const RerankCall& call) {
  std::vector<Score> scores;
  for (const std::string_view document : call.documents) {
    scores.push_back(
        {.logit = Logit(document.find("Rain") == 0 || document.find("t: Rain") == 0 ? 0.02 : 0.97),
         .tokens = 6,
         .truncated = false});
  }
  std::vector<RankedDocument> ranking;
  for (size_t i = 0; i < scores.size(); ++i) {
    ranking.push_back({static_cast<uint32_t>(i), scores[i]});
  }
  if (call.top_n >= 0 && static_cast<size_t>(call.top_n) < ranking.size()) {
    ranking.resize(static_cast<size_t>(call.top_n));
  }
  RerankReply reply;
  reply.id = "rr-1";
  reply.model = call.model.empty() ? "bundled" : call.model;
  reply.created = 1790000000;
  reply.ranking = ranking;
  reply.scores = scores;
  reply.tokens = 12;
  reply.latency_ms = 1.5;
  return EncodeRerank(call, reply);
}

// Whether `got` holds all of `wanted`: every member and element, strings and indices equal, scores
// near, counts of the same type.
std::string Missing(json::Value wanted, json::Value got, const std::string& where) {
  if (wanted.is(json::Type::kObject)) {
    std::string missing;
    wanted.ForEachMember([&](std::string_view key, json::Value value) {
      const auto member = got.Find(key);
      const std::string here = Concat(where, ".", key);
      missing = !member          ? here
                : key == "index" ? (member->AsInt() == value.AsInt() ? "" : here)
                                 : Missing(value, *member, here);
      return missing.empty();
    });
    return missing;
  }
  if (wanted.is(json::Type::kArray)) {
    if (!got.is(json::Type::kArray) || got.size() != wanted.size()) return where;
    std::vector<json::Value> elements;
    got.ForEachElement([&](json::Value element) {
      elements.push_back(element);
      return true;
    });
    std::string missing;
    size_t i = 0;
    wanted.ForEachElement([&](json::Value element) {
      missing = Missing(element, elements[i], Concat(where, "[", i, "]"));
      ++i;
      return missing.empty();
    });
    return missing;
  }
  if (wanted.type() != got.type()) return Concat(where, " is ", got.type_name());
  if (wanted.is(json::Type::kString)) return wanted.AsString() == got.AsString() ? "" : where;
  if (wanted.is(json::Type::kDouble)) {
    return std::fabs(*wanted.AsDouble() - *got.AsDouble()) < 1e-6 ? "" : where;
  }
  return "";
}

TEST(Exchanges, EveryClientFindsWhatItReads) {
  const std::vector<Exchange> exchanges = ReadExchanges();
  ASSERT_GE(exchanges.size(), 60u);
  for (const Exchange& exchange : exchanges) {
    SCOPED_TRACE(exchange.client + ": " + exchange.request);
    const auto decoded = DecodeRerank(exchange.request, PathOf(exchange.path), {});
    const auto* const call = std::get_if<std::shared_ptr<RerankCall>>(&decoded);
    ASSERT_NE(call, nullptr) << std::get<Error>(decoded).message;
    const std::string body = Answer(**call);
    const auto wanted = json::Document::Parse(exchange.reply, "wanted");
    const auto got = json::Document::Parse(body, "reply");
    ASSERT_TRUE(wanted.ok() && got.ok()) << body;
    EXPECT_EQ(Missing(wanted->root(), got->root(), "reply"), "") << body;
  }
}

// Parsers that refuse what they do not know (Elasticsearch) and that look for the first closing
// brace.
TEST(Exchanges, VersionedPathsKeepToTheStrictForm) {
  for (const Exchange& exchange : ReadExchanges()) {
    SCOPED_TRACE(exchange.client);
    const auto decoded = DecodeRerank(exchange.request, PathOf(exchange.path), {});
    const auto& call = *std::get<std::shared_ptr<RerankCall>>(decoded);
    const std::string body = Answer(call);
    const auto parsed = json::Document::Parse(body, "reply");
    const json::Value root = parsed->root();
    std::set<std::string> allowed = {"index", "score", "text"};
    json::Value list = root;
    if (call.dialect == Dialect::kDocuments) {
      if (call.with_score) continue;
      EXPECT_LT(body.find("\"results\""), body.find('}'));
      allowed = {"index", "relevance_score", "document"};
      list = *root.Find("results");
      EXPECT_GE(*root.Find("usage")->Find("total_tokens")->AsInt(), 1);
      EXPECT_TRUE(root.Find("meta")->Find("billed_units")->Find("search_units")->AsInt());
      EXPECT_EQ(root.Find("object")->AsString(), "rerank");
    } else if (call.dialect != Dialect::kTei && call.dialect != Dialect::kArray) {
      continue;
    }
    list.ForEachElement([&](json::Value result) {
      result.ForEachMember([&](std::string_view key, json::Value value) {
        EXPECT_TRUE(allowed.count(std::string(key))) << key;
        EXPECT_FALSE(value.is(json::Type::kNull)) << key;
        return true;
      });
      EXPECT_EQ(result.Find("document").has_value(),
                call.return_documents && call.dialect == Dialect::kDocuments);
      return true;
    });
  }
}

}  // namespace
}  // namespace podium::api
