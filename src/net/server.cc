#include "net/server.h"

#include <pthread.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "net/listener.h"

namespace podium {
namespace {

namespace asio = boost::asio;

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

// Metrics and probes need few connections, and have them whatever comes to the other port.
NetLimits AdminLimits(NetLimits limits) {
  limits.connections_max = kAdminConnectionsMax;
  return limits;
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, Routes& routes)
      : options_(options),
        connections_(routes, options.limits, false),
        admin_connections_(routes, AdminLimits(options.limits), true) {
    std::vector<asio::io_context*> pointers;
    for (int i = 0; i < options.io_threads; ++i) {
      contexts_.push_back(std::make_unique<asio::io_context>(1));
      guards_.emplace_back(asio::make_work_guard(*contexts_.back()));
      pointers.push_back(contexts_.back().get());
    }
    listener_.emplace(pointers, connections_, options.tls);
    if (options.admin_port >= 0) admin_.emplace(pointers, admin_connections_, nullptr);
  }

  ~Impl() {
    Stop();
    // What is still queued holds connections, which hold Connections.
    listener_.reset();
    admin_.reset();
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
    PODIUM_RETURN_IF_ERROR(listener_->Listen(options_.host, options_.port));
    if (admin_) {
      const std::string& host = options_.admin_host.empty() ? options_.host : options_.admin_host;
      PODIUM_RETURN_IF_ERROR(admin_->Listen(host, options_.admin_port));
    }
    for (size_t i = 0; i < contexts_.size(); ++i) {
      threads_.emplace_back([context = contexts_[i].get()] { Run(*context); });
      char name[16];
      std::snprintf(name, sizeof name, "podium-io-%d", static_cast<int>(i % 1000));
      pthread_setname_np(threads_.back().native_handle(), name);
    }
    return OkStatus();
  }

  void SetTls(std::shared_ptr<const TlsIdentity> tls) {
    asio::post(*contexts_[0],
               [this, tls = std::move(tls)]() mutable { listener_->set_tls(std::move(tls)); });
  }

  // The admin port stays: the end is what is watched there.
  void StopAccepting() {
    asio::post(*contexts_[0], [this] {
      listener_->Close();
      connections_.CloseIdle();
    });
  }

  const std::string& address() const { return listener_->address(); }
  std::string admin_address() const { return admin_ ? admin_->address() : ""; }
  Connections& connections() { return connections_; }

 private:
  using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

  const ServerOptions options_;
  Connections connections_;
  Connections admin_connections_;
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<Guard> guards_;
  std::optional<Listener> listener_;
  std::optional<Listener> admin_;
  std::vector<std::thread> threads_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, Routes& routes) {
  auto impl = std::make_unique<Impl>(options, routes);
  PODIUM_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const std::string& Server::address() const { return impl_->address(); }
std::string Server::admin_address() const { return impl_->admin_address(); }
void Server::SetTls(std::shared_ptr<const TlsIdentity> tls) { impl_->SetTls(std::move(tls)); }
void Server::Stop() { impl_->Stop(); }
void Server::StopAccepting() { impl_->StopAccepting(); }
int Server::connections() const { return impl_->connections().size(); }

bool Server::AwaitClosed(std::chrono::steady_clock::duration patience) {
  return impl_->connections().AwaitNone(patience);
}

}  // namespace podium
