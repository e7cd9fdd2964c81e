#include "batch/waiting.h"

#include <algorithm>

#include "base/check.h"

namespace podium {
namespace {

constexpr auto kNever = WaitingPairs::TimePoint::max();

}  // namespace

double WaitingPairs::Cost(std::span<const int> lengths) const {
  double cost = 0;
  for (const int length : lengths) cost += budget_.Cost(length);
  return cost;
}

void WaitingPairs::Add(uint64_t request, std::span<const int> lengths, TimePoint deadline) {
  PODIUM_CHECK(!lengths.empty());
  Entry entry{.lengths = lengths, .cost = Cost(lengths), .deadline = deadline};
  entry.tag = clock_ + entry.cost;
  cost_ += entry.cost;
  pairs_ += lengths.size();
  sharing_.insert(entry.tag);
  by_tag_.emplace(entry.tag, request);
  if (deadline != kNever) by_deadline_.emplace(deadline, request);
  PODIUM_CHECK(entries_.emplace(request, entry).second);
}

void WaitingPairs::Erase(Entries::iterator entry) {
  by_tag_.erase({entry->second.tag, entry->first});
  by_deadline_.erase({entry->second.deadline, entry->first});
  cost_ -= entry->second.cost;
  pairs_ -= entry->second.lengths.size() - entry->second.next;
  entries_.erase(entry);
  if (!entries_.empty()) return;
  // Idle: both clocks agree that nothing is left, so sums of rounded costs cannot drift.
  sharing_.clear();
  clock_ = 0;
  cost_ = 0;
}

bool WaitingPairs::Remove(uint64_t request) {
  const auto entry = entries_.find(request);
  if (entry == entries_.end()) return false;
  // It takes no part in the even share any more either.
  if (const auto tag = sharing_.find(entry->second.tag); tag != sharing_.end()) {
    sharing_.erase(tag);
  }
  Erase(entry);
  return true;
}

void WaitingPairs::Advance(double work) {
  while (work > 0 && !sharing_.empty()) {
    const auto sharers = static_cast<double>(sharing_.size());
    const double to_next = (*sharing_.begin() - clock_) * sharers;
    if (work < to_next) {
      clock_ += work / sharers;
      return;
    }
    work -= std::max(to_next, 0.0);
    clock_ = *sharing_.begin();
    sharing_.erase(sharing_.begin());
  }
}

bool WaitingPairs::TakeFrom(Entries::iterator entry, std::vector<JobSlice>& batch, double& cost,
                            int& count) {
  Entry& waiting = entry->second;
  const auto size = static_cast<uint32_t>(waiting.lengths.size());
  const uint32_t begin = waiting.next;
  double taken = 0;
  bool room = true;
  while (waiting.next < size) {
    const double added = budget_.Cost(waiting.lengths[waiting.next]);
    room =
        count == 0 || (cost + taken + added <= budget_.tokens_max && count < budget_.sequences_max);
    if (!room) break;
    taken += added;
    ++count;
    ++waiting.next;
  }
  if (waiting.next > begin) {
    batch.push_back({entry->first, begin, waiting.next});
    cost += taken;
    waiting.cost -= taken;
    cost_ -= taken;
    pairs_ -= waiting.next - begin;
  }
  if (waiting.next == size) Erase(entry);
  return room;
}

WaitingPairs::Entries::iterator WaitingPairs::Urgent(TimePoint now, double cost_per_second) {
  if (urgent_last_ || cost_per_second <= 0 || by_deadline_.empty()) return entries_.end();
  const auto& [deadline, request] = *by_deadline_.begin();
  const auto entry = entries_.find(request);
  const double left = std::chrono::duration<double>(deadline - now).count();
  const double needed = (entry->second.cost + budget_.tokens_max) / cost_per_second;
  // Twice what it needs is near enough to act; what cannot be met any more holds up nobody.
  return needed <= left && left < 2 * needed ? entry : entries_.end();
}

void WaitingPairs::TakeBatch(TimePoint now, double cost_per_second, std::vector<JobSlice>& batch,
                             std::vector<uint64_t>& expired) {
  batch.clear();
  expired.clear();
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now) {
    expired.push_back(by_deadline_.begin()->second);
    Remove(expired.back());
  }
  double cost = 0;
  int count = 0;
  bool room = true;
  const auto urgent = Urgent(now, cost_per_second);
  urgent_last_ = urgent != entries_.end();
  if (urgent_last_) room = TakeFrom(urgent, batch, cost, count);
  while (room && !by_tag_.empty()) {
    room = TakeFrom(entries_.find(by_tag_.begin()->second), batch, cost, count);
  }
  if (!entries_.empty()) Advance(cost);
}

double WaitingPairs::CostBefore(double cost) const {
  const double tag = clock_ + cost;
  double before = 0;
  for (auto at = by_tag_.begin(); at != by_tag_.end() && at->first <= tag; ++at) {
    before += entries_.find(at->second)->second.cost;
  }
  return before;
}

}  // namespace podium
