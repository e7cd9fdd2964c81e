// Threads that tokenize: beside the I/O threads, which must stay quick, and the compute team.
#ifndef PODIUM_SERVICE_TEXT_THREADS_H_
#define PODIUM_SERVICE_TEXT_THREADS_H_

#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace podium {

/// Runs tasks in slices, in turns: a slice of a task, then one of the next, so that a short request
/// waits for a slice of a long one and not for all of it. How many tasks there may be is bounded by
/// who adds them (service admission). Any thread adds.
class TextThreads {
 public:
  /// One slice; true when there is more to do. Without memory it is dropped, and so is what it
  /// held.
  using Task = std::function<bool()>;

  explicit TextThreads(int count);
  /// Ends as Stop does.
  ~TextThreads();
  TextThreads(const TextThreads&) = delete;
  TextThreads& operator=(const TextThreads&) = delete;

  void Add(Task task) EXCLUDES(mutex_);
  /// Ends after the tasks that are there and those that they add; what is added later is dropped.
  void Stop() EXCLUDES(mutex_);

 private:
  using Tasks = std::list<Task>;  // a task goes to the end again without needing memory

  void Append(Tasks& tasks) EXCLUDES(mutex_);
  void Loop() EXCLUDES(mutex_);

  Mutex mutex_;
  ConditionVariable changed_;
  Tasks tasks_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace podium

#endif  // PODIUM_SERVICE_TEXT_THREADS_H_
