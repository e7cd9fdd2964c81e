// A mutex that clang's thread-safety analysis understands (-Wthread-safety is an error).
#ifndef PODIUM_BASE_MUTEX_H_
#define PODIUM_BASE_MUTEX_H_

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define PODIUM_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PODIUM_THREAD_ATTRIBUTE(x)
#endif
#define GUARDED_BY(x) PODIUM_THREAD_ATTRIBUTE(guarded_by(x))
#define REQUIRES(x) PODIUM_THREAD_ATTRIBUTE(requires_capability(x))
#define EXCLUDES(x) PODIUM_THREAD_ATTRIBUTE(locks_excluded(x))

namespace podium {

class PODIUM_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() PODIUM_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() PODIUM_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class PODIUM_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PODIUM_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() PODIUM_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Waits on a Mutex that the caller holds.
using ConditionVariable = std::condition_variable_any;

}  // namespace podium

#endif  // PODIUM_BASE_MUTEX_H_
