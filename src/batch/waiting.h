// Which pairs are computed next. Pure: the time comes in, a batch comes out.
//
// The pairs of a request wait together. Requests are served in the order in which they would finish
// if all of them shared the engine evenly ("fair sojourn"): a request of 10 documents that comes
// behind one of 1,000 goes first, equal requests are served as they came (so their mean wait is
// that of a plain queue), and a large request cannot starve, because the even share's clock passes
// it. No request finishes later than under even sharing, but for the batch that is running.
#ifndef PODIUM_BATCH_WAITING_H_
#define PODIUM_BATCH_WAITING_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "batch/former.h"

namespace podium {

/// Pairs [begin, end) of one request.
struct JobSlice {
  uint64_t request = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

class WaitingPairs {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit WaitingPairs(const BatchBudget& budget) : budget_(budget) {}

  /// `lengths`, of its pairs, not empty, outlive the request's time here. `request` is new.
  void Add(uint64_t request, std::span<const int> lengths, TimePoint deadline);
  /// Takes the request's waiting pairs out; false when none wait.
  bool Remove(uint64_t request);

  /// The next batch within the budget (a pair above it comes alone), empty when nothing waits.
  /// Requests whose deadline is not after `now` are taken out first and named in `expired`. A
  /// request that would miss its deadline in its turn goes first when `cost_per_second` (0: not
  /// known) says that it can still meet it, in every other batch at most.
  void TakeBatch(TimePoint now, double cost_per_second, std::vector<JobSlice>& batch,
                 std::vector<uint64_t>& expired);

  size_t requests() const { return entries_.size(); }
  size_t pairs() const { return pairs_; }
  double cost() const { return cost_; }
  /// Of what would be computed before a new request of this cost has ended, without itself.
  double CostBefore(double cost) const;
  double Cost(std::span<const int> lengths) const;

 private:
  struct Entry {
    std::span<const int> lengths;
    uint32_t next = 0;  // first pair that waits
    double cost = 0;    // of those that wait
    double tag = 0;     // the even share's clock when it would have finished
    TimePoint deadline;
  };
  using Entries = std::unordered_map<uint64_t, Entry>;

  void Erase(Entries::iterator entry);
  /// Takes pairs of the entry while they fit; true when there is room for another request's.
  bool TakeFrom(Entries::iterator entry, std::vector<JobSlice>& batch, double& cost, int& count);
  /// The urgent request, or entries_.end().
  Entries::iterator Urgent(TimePoint now, double cost_per_second);
  void Advance(double work);

  const BatchBudget budget_;
  Entries entries_;
  std::set<std::pair<double, uint64_t>> by_tag_;
  std::set<std::pair<TimePoint, uint64_t>> by_deadline_;  // those that have one
  std::multiset<double> sharing_;  // tags of what the even share has not finished
  double clock_ = 0;               // of the even share: work done for each request
  double cost_ = 0;
  size_t pairs_ = 0;
  bool urgent_last_ = false;
};

}  // namespace podium

#endif  // PODIUM_BATCH_WAITING_H_
