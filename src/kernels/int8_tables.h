// What the tests of the int8 functions share: the tables that run here and the AMX table's twin,
// and guarded arrays.
#ifndef PODIUM_KERNELS_INT8_TABLES_H_
#define PODIUM_KERNELS_INT8_TABLES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/select.h"

namespace podium::kernels {

extern const Table kAmxTwinTable;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline std::vector<const Table*> Int8Tables() {
  std::vector<const Table*> tables = {&kAmxTwinTable};
  for (size_t i = 0; i < TableCount(); ++i) {
    if (TableAt(i).runnable) tables.push_back(TableAt(i).table);
  }
  return tables;
}

template <typename T>
class Aligned {
 public:
  explicit Aligned(size_t count, T fill = T()) : storage_(count + 2 * kGuard, kMark) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    first_ = (64 - address % 64) % 64 / sizeof(T) + 64 / sizeof(T);
    count_ = count;
    std::fill_n(data(), count, fill);
  }
  T* data() { return storage_.data() + first_; }
  T& operator[](size_t i) { return data()[i]; }
  bool Intact() const {
    for (size_t i = 0; i < storage_.size(); ++i) {
      if ((i < first_ || i >= first_ + count_) && storage_[i] != kMark) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 256;
  static constexpr T kMark = static_cast<T>(77);
  std::vector<T> storage_;
  size_t first_ = 0, count_ = 0;
};

// Where a row's column lies in blocks of activations.
inline size_t ByteAt(int row, int column, int depth) {
  return (static_cast<size_t>(row / 32) * depth + column / 64) * 2048 + row % 32 * 64 + column % 64;
}

}  // namespace podium::kernels

#endif  // PODIUM_KERNELS_INT8_TABLES_H_
