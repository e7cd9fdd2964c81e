// Whatever allocation of a request fails, alone or with all that follow it, on whatever thread: its
// client gets a reply or sees its connection end, and is not left waiting.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "engine/fake/fake_engine.h"
#include "net/server.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/failing_new.h"

namespace podium {
namespace {

class Rig {
 public:
  Rig() : metrics_(Labels()), log_(*Log::Open({.file = "/dev/null"})) {
    Ranker::Parts parts;
    parts.tokenizer = std::make_unique<ByteTokenizer>();
    parts.engine = std::make_unique<FakeEngine>(FakeEngineOptions());
    parts.team = std::make_shared<Team>(1);
    std::vector<std::unique_ptr<Ranker>> rankers;
    rankers.push_back(*Ranker::Make(std::move(parts), {.batch_tokens_max = 256}));
    service_ =
        std::make_unique<Service>(std::move(rankers), ServiceOptions(), [](const BatchReport&) {});
    routes_ = std::make_unique<Routes>(*service_, metrics_, *log_, RouteOptions(),
                                       *ModelNames::Make({{"fake", "*"}}),
                                       std::vector<api::ServedModel>(1));
    ServerOptions options;
    options.port = 0;
    server_ = *Server::Start(options, *routes_);
  }
  ~Rig() {
    server_->Stop();
    service_.reset();
  }
  int port() const {
    return std::atoi(server_->address().c_str() + server_->address().rfind(':') + 1);
  }
  Service& service() { return *service_; }
  Server& server() { return *server_; }

 private:
  static MetricsLabels Labels() {
    return {.version = "0",
            .models = {{"fake", "fp32", "scalar"}},
            .routes = RouteLabels(),
            .model_routes = ModelRouteLabels(),
            .outcomes = OutcomeLabels(),
            .refusals = {}};
  }

  Metrics metrics_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Routes> routes_;
  std::unique_ptr<Server> server_;
};

int Connect(int port) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where = {};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  return client;
}

// The reply's status; 0 for a connection that ended without one, -1 for a client that was left
// waiting. Needs no memory itself.
int AwaitStatus(int client) {
  char got[64] = {};
  size_t size = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (size < 12 && std::chrono::steady_clock::now() < end) {
    pollfd waiting = {.fd = client, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 1000) <= 0) continue;
    const ssize_t more = ::recv(client, got + size, sizeof got - 1 - size, 0);
    if (more <= 0) return 0;
    size += static_cast<size_t>(more);
  }
  return size < 12 ? -1 : std::atoi(got + 9);
}

std::string RequestOf(std::string_view path, std::string_view body) {
  return Concat("POST ", path, " HTTP/1.1\r\nHost: x\r\nContent-Length: ", body.size(), "\r\n\r\n",
                body);
}

void FailEach(std::string_view path, std::string_view body, bool all) {
  Rig rig;
  const std::string request = RequestOf(path, body);
  int failed = 0;
  int fine_in_a_row = 0;
  all_fail_from_then.store(all);
  for (int64_t n = 0; fine_in_a_row < 5; ++n) {
    ASSERT_LT(n, 3000);
    const int client = Connect(rig.port());
    // Taken in already: it is the request's memory that fails.
    ASSERT_EQ(::send(client, request.data(), 5, 0), 5);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (rig.server().connections() == 0 && std::chrono::steady_clock::now() < end) ::usleep(100);
    allocations_left.store(n);
    ASSERT_EQ(::send(client, request.data() + 5, request.size() - 5, MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size() - 5));
    const int status = AwaitStatus(client);
    const bool met = allocations_left.exchange(-1) <= 0;
    ASSERT_NE(status, -1) << path << ": left waiting at allocation " << n;
    failed += status != 200 ? 1 : 0;
    fine_in_a_row = status == 200 && !met ? fine_in_a_row + 1 : 0;
    ::close(client);
    ASSERT_TRUE(rig.server().AwaitClosed(std::chrono::seconds(10))) << path << ": " << n;
    ASSERT_EQ(rig.service().load().requests, 0);
    // The next one is fine.
    const int next = Connect(rig.port());
    ASSERT_EQ(::send(next, request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    ASSERT_EQ(AwaitStatus(next), 200) << path << ": " << n;
    ::close(next);
    ASSERT_TRUE(rig.server().AwaitClosed(std::chrono::seconds(10)));
  }
  EXPECT_GT(failed, 5) << path;
}

constexpr std::string_view kRerank =
    R"({"query":"which one of these","documents":["a first document","a second one, which is longer"],)"
    R"("return_documents":true})";
constexpr std::string_view kPredict = R"({"inputs":[["a text","another text"],["a","b"]]})";
constexpr std::string_view kTokenize = R"({"inputs":["a text","another text"]})";

TEST(NetMemory, AnyOneAllocationMayFail) {
  for (const auto& [path, body] :
       {std::pair("/v1/rerank", kRerank), std::pair("/predict", kPredict),
        std::pair("/tokenize", kTokenize)}) {
    FailEach(path, body, false);
  }
}

TEST(NetMemory, AllAllocationsMayFailFromAnyOneOn) {
  for (const auto& [path, body] :
       {std::pair("/v1/rerank", kRerank), std::pair("/predict", kPredict),
        std::pair("/tokenize", kTokenize)}) {
    FailEach(path, body, true);
  }
}

// Decoded and encoded beside the I/O thread.
TEST(NetMemory, AllocationsOfALargeRequestMayFail) {
  const std::string body =
      Concat(R"({"query":"q","documents":[")", std::string(kInlineBytesMax, 'x'), R"("]})");
  FailEach("/v1/rerank", body, false);
  FailEach("/v1/rerank", body, true);
}

}  // namespace
}  // namespace podium
