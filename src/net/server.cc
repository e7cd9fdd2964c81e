#include "net/server.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "net/connection.h"

namespace podium {
namespace {

// Some of Asio's functions return the error that they also put into their argument.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// As many descriptors as the system grants: the soft limit is often 1,024.
void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

// A request whose own memory cannot be had ends alone: what its handler held is dropped, which
// closes the connection or, past the reading, answers with an internal error (Completion).
void Run(asio::io_context& context) {
  while (true) {
    try {
      context.run();
      return;
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, Routes& routes)
      : options_(options), connections_(routes, options.limits) {
    for (int i = 0; i < options.io_threads; ++i) {
      contexts_.push_back(std::make_unique<asio::io_context>(1));
      guards_.emplace_back(asio::make_work_guard(*contexts_.back()));
    }
    acceptor_.emplace(*contexts_[0]);
    retry_.emplace(*contexts_[0]);
  }

  ~Impl() {
    Stop();
    // What is still queued holds connections, which hold Connections.
    acceptor_.reset();
    retry_.reset();
    contexts_.clear();
  }

  void Stop() {
    guards_.clear();
    for (const auto& context : contexts_) context->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Status Listen() {
    RaiseDescriptorLimit();
    error_code error;
    const auto address = asio::ip::make_address(options_.host, error);
    if (error) {
      return InvalidArgument(
          Concat("host: got \"", options_.host, "\", expected an address such as 127.0.0.1 or ::"));
    }
    const tcp::endpoint endpoint(address, static_cast<uint16_t>(options_.port));
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return IoError(
          Concat("cannot listen on ", options_.host, ":", options_.port, ": ", error.message()));
    }
    const auto bound = acceptor_->local_endpoint(error);
    const bool v6 = bound.address().is_v6();
    address_ = Concat(v6 ? "[" : "", bound.address().to_string(), v6 ? "]" : "", ":", bound.port());
    Accept();
    for (size_t i = 0; i < contexts_.size(); ++i) {
      threads_.emplace_back([context = contexts_[i].get()] { Run(*context); });
      char name[16];
      std::snprintf(name, sizeof name, "podium-io-%d", static_cast<int>(i % 1000));
      pthread_setname_np(threads_.back().native_handle(), name);
    }
    return OkStatus();
  }

  void Accept() {
    asio::io_context& context = *contexts_[next_++ % contexts_.size()];
    acceptor_->async_accept(context, [this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_->is_open()) return;
      if (error) {
        // Most likely no descriptor is left: the queue of the system holds them for a while.
        retry_->expires_after(std::chrono::milliseconds(100));
        retry_->async_wait([this](error_code stopped) {
          if (!stopped) Accept();
        });
        return;
      }
      if (connections_.size() >= options_.limits.connections_max) {
        RefuseConnection(std::move(socket));
      } else {
        StartConnection(std::move(socket), connections_);
      }
      Accept();
    });
  }

  void StopAccepting() {
    asio::post(*contexts_[0], [this] {
      error_code ignored;
      acceptor_->close(ignored);
      retry_->cancel();
      connections_.CloseIdle();
    });
  }

  const std::string& address() const { return address_; }
  Connections& connections() { return connections_; }

 private:
  using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

  const ServerOptions options_;
  Connections connections_;
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<Guard> guards_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> retry_;
  std::vector<std::thread> threads_;
  std::string address_;
  size_t next_ = 0;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, Routes& routes) {
  auto impl = std::make_unique<Impl>(options, routes);
  PODIUM_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const std::string& Server::address() const { return impl_->address(); }
void Server::Stop() { impl_->Stop(); }
void Server::StopAccepting() { impl_->StopAccepting(); }
int Server::connections() const { return impl_->connections().size(); }

bool Server::AwaitClosed(std::chrono::steady_clock::duration patience) {
  return impl_->connections().AwaitNone(patience);
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace podium
