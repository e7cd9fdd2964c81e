// Which pairs are computed next. Pure: the time comes in, a batch comes out.
//
// The pairs of a request wait together. Requests are served in the order in which they would finish
// if all of them shared the engine evenly ("fair sojourn"): a request of 10 documents that comes
// behind one of 1,000 goes first, equal requests are served as they came (so their mean wait is
// that of a plain queue), and a large request cannot starve, because the even share's clock passes
// it. No request finishes later than under even sharing, but for the batch that is running. Evenly
// means in the proportion of their shares, which are all 1 unless several keys are told apart.
//
// Requests of several models share the engine's time in the same way: what is shared evenly is
// time, so a cost counts by how long it takes with its model. A batch holds pairs of one model:
// that of the request that is next. It is filled with that model's other requests, also past one of
// another model that would come before them; whose turn was passed over like that has the next
// batch.
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

struct WaitingRequest {
  std::span<const int> lengths;  // of its pairs; not empty; they outlive the request's time here
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  int model = 0;
  /// Above 0: of two requests that wait, one with half the share of the other is given half the
  /// time.
  double share = 1;
  /// How long a cost of 1 takes with this model, in a unit that is the same for all models.
  double work_per_cost = 1;
};

class WaitingPairs {
 public:
  static constexpr size_t kExpiredMax = 256;
  using TimePoint = std::chrono::steady_clock::time_point;

  /// What a batch of each model may hold; at least one model.
  explicit WaitingPairs(std::span<const BatchBudget> budgets);

  /// `request` is new. All or nothing, where memory fails.
  void Add(uint64_t request, const WaitingRequest& waiting);
  /// Takes the request's waiting pairs out; false when none wait.
  bool Remove(uint64_t request);

  /// The next batch within its model's budget (a pair above it comes alone), empty when nothing
  /// waits; returns whose model it is. Requests whose deadline is not after `now` are taken out
  /// first, kExpiredMax at most, and named in `expired`. Needs no memory but the two lists'. A
  /// request that would miss its deadline in its turn goes first when its model's `cost_per_second`
  /// (0: not known) says that it can still meet it, in every other batch at most.
  int TakeBatch(TimePoint now, std::span<const double> cost_per_second,
                std::vector<JobSlice>& batch, std::vector<uint64_t>& expired);

  /// Whether the next batch has all that it may hold.
  bool BatchIsFull() const;

  size_t requests() const { return entries_.size(); }
  double cost(int model) const { return Of(model).cost; }
  size_t pairs(int model) const { return Of(model).pairs; }
  /// Of what would be computed before a new request of this work (cost times work_per_cost, over
  /// its share) has ended, without itself; models of unknown speed (0) do not count.
  double SecondsBefore(double work, std::span<const double> cost_per_second) const;

 private:
  struct Entry {
    std::span<const int> lengths;
    uint32_t next = 0;  // first pair that waits
    double cost = 0;    // of those that wait
    double tag = 0;     // the even share's clock when it would have finished
    double share = 1;
    TimePoint deadline;
    int model = 0;
    double work_per_cost = 1;
  };
  using Entries = std::unordered_map<uint64_t, Entry>;
  struct Model {
    BatchBudget budget;
    std::set<std::pair<double, uint64_t>> by_tag;
    double cost = 0;
    size_t pairs = 0;
  };

  void Erase(Entries::iterator entry);
  struct Taken {
    double cost = 0;
    double work = 0;
    double last_tag = 0;  // the latest of its requests'
    int count = 0;
  };
  /// Takes pairs of the entry while they fit; true when there is room for another request's.
  bool TakeFrom(Entries::iterator entry, std::vector<JobSlice>& batch, Taken& taken);
  /// The urgent request, or entries_.end().
  Entries::iterator Urgent(TimePoint now, std::span<const double> cost_per_second);
  /// The model that is next, deadlines aside; something waits.
  int Next() const;
  /// The model whose first request has the earliest tag, `except` aside; -1 when there is none.
  int Earliest(int except) const;
  void Advance(double work);
  /// It shares no more.
  void EndSharing(std::multiset<std::pair<double, double>>::iterator sharer);
  Model& Of(int model) { return models_[static_cast<size_t>(model)]; }
  const Model& Of(int model) const { return models_[static_cast<size_t>(model)]; }

  std::vector<Model> models_;
  Entries entries_;
  std::set<std::pair<TimePoint, uint64_t>> by_deadline_;  // those that have one
  // Tag and share of what the even share has not finished.
  std::multiset<std::pair<double, double>> sharing_;
  double shares_ = 0;  // Σ of their shares
  double clock_ = 0;   // of the even share: work done for each request of share 1
  bool urgent_last_ = false;
  int passed_over_ = -1;  // the model that has the next batch
};

}  // namespace podium

#endif  // PODIUM_BATCH_WAITING_H_
