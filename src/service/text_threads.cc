#include "service/text_threads.h"

#include <pthread.h>

#include <cstdio>
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
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void TextThreads::Loop() {
  while (true) {
    Task task;
    {
      MutexLock lock(mutex_);
      while (tasks_.empty() && !stop_) changed_.wait(mutex_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    if (task()) Add(std::move(task));
  }
}

}  // namespace podium
