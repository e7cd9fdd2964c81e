// What happens when a page of a mapped file cannot be read any more, because the file was cut short
// or its disk failed. The kernel then raises SIGBUS, which ends a process without a word.
//
// Once CatchBusErrors is called, such a page reads as zeros instead and its range is marked lost;
// whoever computed with it asks lost() before the result leaves and answers with an error. The
// process lives on.
#ifndef PODIUM_BASE_BUS_ERROR_H_
#define PODIUM_BASE_BUS_ERROR_H_

#include <cstddef>

namespace podium {

/// Installs the handler, once; later calls do nothing. A SIGBUS outside of the ranges below goes to
/// the handler that was there before, or ends the process as it would have. For the program to
/// decide: a library that took the signal unasked would break its host's own handling.
void CatchBusErrors();

/// Mapped ranges at once, over all models of the process. Beyond it a range is not covered.
constexpr size_t kMappedRangesMax = 4096;

/// A range that the handler knows, while this lives. Movable; any thread.
class MappedRange {
 public:
  MappedRange() = default;  // of nothing
  MappedRange(const void* data, size_t size);
  MappedRange(MappedRange&& other) noexcept;
  MappedRange& operator=(MappedRange&& other) noexcept;
  ~MappedRange();

  /// A page of it could not be read.
  bool lost() const;

 private:
  static constexpr size_t kNone = kMappedRangesMax;
  size_t slot_ = kNone;
};

}  // namespace podium

#endif  // PODIUM_BASE_BUS_ERROR_H_
