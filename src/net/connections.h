// All connections of a port together: what they share, and how they end.
#ifndef PODIUM_NET_CONNECTIONS_H_
#define PODIUM_NET_CONNECTIONS_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <unordered_map>

#include "base/mutex.h"
#include "net/limits.h"
#include "net/routes.h"

namespace podium {

/// Any thread.
class Connections {
 public:
  /// `admin`: what comes in is for the admin port's paths.
  Connections(Routes& routes, const NetLimits& limits, bool admin)
      : routes_(routes), limits_(limits), admin_(admin) {}

  Routes& routes() { return routes_; }
  bool admin() const { return admin_; }
  const NetLimits& limits() const { return limits_; }
  BodyBytes& bodies() { return routes_.bodies; }

  /// `close_idle` posts: it may be called until Remove, under the lock.
  void Add(const void* connection, std::function<void()> close_idle) EXCLUDES(mutex_);
  void Remove(const void* connection) EXCLUDES(mutex_);
  int size() EXCLUDES(mutex_);
  /// Blocks until none is left; false when some still were at the end of `patience`.
  bool AwaitNone(std::chrono::steady_clock::duration patience) EXCLUDES(mutex_);
  /// Closes those that wait for a request, now and from now on.
  void CloseIdle() EXCLUDES(mutex_);
  bool closing() const { return closing_.load(std::memory_order_relaxed); }

 private:
  Routes& routes_;
  const NetLimits limits_;
  const bool admin_;
  std::atomic<bool> closing_{false};
  Mutex mutex_;
  ConditionVariable changed_;
  std::unordered_map<const void*, std::function<void()>> open_ GUARDED_BY(mutex_);
};

}  // namespace podium

#endif  // PODIUM_NET_CONNECTIONS_H_
