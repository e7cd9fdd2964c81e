#include <optional>
#include <string>
#include <utility>

#include "base/concat.h"
#include "service/service.h"

namespace podium {

Status Service::WarmUp() {
  for (int model = 0; model < models(); ++model) PODIUM_RETURN_IF_ERROR(WarmUp(model));
  return OkStatus();
}

Status Service::WarmUp(int model) {
  // From a pair to full batches: the lane's memory is touched and the speed is measured.
  std::string text;
  for (int i = 0; i < 400; ++i) text += Concat("warm up ", i, ' ');
  for (const size_t count : {size_t{1}, size_t{8}, size_t{64}}) {
    ServiceRequest request;
    request.model = model;
    for (size_t i = 0; i < count; ++i) {
      request.pairs.push_back(
          {"warm up", std::string_view(text).substr(i, count == 64 ? 100 : 2000)});
    }
    request.received = std::chrono::steady_clock::now();
    request.deadline = request.received + std::chrono::minutes(10);
    std::optional<Answer> answer;
    Mutex mutex;
    ConditionVariable changed;
    Submit(std::move(request), Completion<Answer>([&](Answer got) {
             MutexLock lock(mutex);
             answer = std::move(got);
             changed.notify_one();
           }));
    MutexLock lock(mutex);
    while (!answer) changed.wait(mutex);
    PODIUM_RETURN_IF_ERROR(answer->status);
  }
  return OkStatus();
}

}  // namespace podium
