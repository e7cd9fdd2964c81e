// Combining characters in a row, put into canonical order.
#ifndef PODIUM_TEXT_COMBINING_RUN_H_
#define PODIUM_TEXT_COMBINING_RUN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace podium {

class CombiningRun {
 public:
  /// `order` is not 0.
  void Add(int order, char32_t code) { held_.push_back({order, held_.size(), code}); }
  size_t size() const { return held_.size(); }
  /// Calls put(code, order) for each, in order, and forgets them.
  template <typename Put>
  void Flush(Put put) {
    if (held_.empty()) return;
    std::sort(held_.begin(), held_.end(), [](const Held& a, const Held& b) {
      return a.order != b.order ? a.order < b.order : a.arrival < b.arrival;
    });
    for (const Held& held : held_) put(held.code, held.order);
    held_.clear();
  }

 private:
  struct Held {
    int order;
    size_t arrival;
    char32_t code;
  };
  std::vector<Held> held_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_COMBINING_RUN_H_
