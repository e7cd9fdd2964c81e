#include "service/text_threads.h"

#include <pthread.h>

#include <cstdio>
#include <new>
#include <utility>

namespace podium {

TextThreads::TextThreads(int count) {
  threads_.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads_.emplace_back([this] { Loop(); });
    char name[16];
    std::snprintf(name, sizeof name, "podium-text-%d", i % 1000);
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

TextThreads::~TextThreads() { Stop(); }

void TextThreads::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TextThreads::Add(Task task) {
  Tasks fresh;
  fresh.push_back(std::move(task));
  Append(fresh);
}

void TextThreads::Append(Tasks& tasks) {
  {
    MutexLock lock(mutex_);
    tasks_.splice(tasks_.end(), tasks);
  }
  changed_.notify_one();
}

void TextThreads::Loop() {
  while (true) {
    Tasks mine;
    {
      MutexLock lock(mutex_);
      while (tasks_.empty() && !stop_) changed_.wait(mutex_);
      if (tasks_.empty()) return;
      mine.splice(mine.end(), tasks_, tasks_.begin());
    }
    bool more = false;
    try {
      more = mine.front()();
    } catch (const std::bad_alloc&) {
    }
    if (more) Append(mine);
  }
}

}  // namespace podium
