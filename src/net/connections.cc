#include "net/connections.h"

#include <utility>

namespace podium {

void Connections::Add(const void* connection, std::function<void()> close_idle) {
  MutexLock lock(mutex_);
  if (open_.emplace(connection, std::move(close_idle)).second) ++routes_.connections;
}

void Connections::Remove(const void* connection) {
  {
    MutexLock lock(mutex_);
    if (open_.erase(connection) > 0) --routes_.connections;
  }
  changed_.notify_all();
}

int Connections::size() {
  MutexLock lock(mutex_);
  return static_cast<int>(open_.size());
}

bool Connections::AwaitNone(std::chrono::steady_clock::duration patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!open_.empty()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    changed_.wait_until(mutex_, end);
  }
  return true;
}

void Connections::CloseIdle() {
  closing_.store(true);
  MutexLock lock(mutex_);
  for (const auto& [connection, close_idle] : open_) close_idle();
}

}  // namespace podium
