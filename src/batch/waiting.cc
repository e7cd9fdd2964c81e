#include "batch/waiting.h"

#include <algorithm>
#include <new>

#include "base/check.h"

namespace podium {
namespace {

constexpr auto kNever = WaitingPairs::TimePoint::max();

}  // namespace

WaitingPairs::WaitingPairs(std::span<const BatchBudget> budgets) {
  PODIUM_CHECK(!budgets.empty());
  for (const BatchBudget& budget : budgets) models_.push_back({.budget = budget, .by_tag = {}});
}

void WaitingPairs::Add(uint64_t request, const WaitingRequest& waiting) {
  PODIUM_CHECK(!waiting.lengths.empty() && waiting.share > 0);
  Model& model = Of(waiting.model);
  Entry entry{.lengths = waiting.lengths,
              .cost = model.budget.Cost(waiting.lengths),
              .share = waiting.share,
              .deadline = waiting.deadline,
              .model = waiting.model,
              .work_per_cost = waiting.work_per_cost};
  entry.tag = clock_ + entry.cost * entry.work_per_cost / entry.share;
  const auto [added, fresh] = entries_.emplace(request, entry);
  PODIUM_CHECK(fresh);
  auto sharer = sharing_.end();
  try {
    sharer = sharing_.emplace(entry.tag, entry.share);
    model.by_tag.emplace(entry.tag, request);
    if (entry.deadline != kNever) by_deadline_.emplace(entry.deadline, request);
  } catch (const std::bad_alloc&) {
    model.by_tag.erase({entry.tag, request});
    if (sharer != sharing_.end()) sharing_.erase(sharer);
    entries_.erase(added);
    throw;
  }
  shares_ += entry.share;
  model.cost += entry.cost;
  model.pairs += waiting.lengths.size();
}

void WaitingPairs::Erase(Entries::iterator entry) {
  Model& model = Of(entry->second.model);
  const size_t left = entry->second.lengths.size() - entry->second.next;
  model.by_tag.erase({entry->second.tag, entry->first});
  by_deadline_.erase({entry->second.deadline, entry->first});
  model.pairs -= left;
  // Nothing is left: sums of rounded costs cannot drift.
  model.cost = model.by_tag.empty() ? 0 : model.cost - entry->second.cost;
  entries_.erase(entry);
  if (!entries_.empty()) return;
  sharing_.clear();
  shares_ = 0;
  clock_ = 0;
}

bool WaitingPairs::Remove(uint64_t request) {
  const auto entry = entries_.find(request);
  if (entry == entries_.end()) return false;
  // It takes no part in the even share any more either.
  const auto sharer = sharing_.find({entry->second.tag, entry->second.share});
  if (sharer != sharing_.end()) EndSharing(sharer);
  Erase(entry);
  return true;
}

void WaitingPairs::EndSharing(std::multiset<std::pair<double, double>>::iterator sharer) {
  const double share = sharer->second;
  sharing_.erase(sharer);
  // Rounded sums cannot drift below what is there.
  shares_ = sharing_.empty() ? 0 : std::max(shares_ - share, sharing_.begin()->second);
}

void WaitingPairs::Advance(double work) {
  while (work > 0 && !sharing_.empty()) {
    const double next = sharing_.begin()->first;
    const double to_next = (next - clock_) * shares_;
    if (work < to_next) {
      clock_ += work / shares_;
      return;
    }
    work -= std::max(to_next, 0.0);
    clock_ = next;
    EndSharing(sharing_.begin());
  }
}

bool WaitingPairs::TakeFrom(Entries::iterator entry, std::vector<JobSlice>& batch, Taken& taken) {
  Entry& waiting = entry->second;
  Model& model = Of(waiting.model);
  const BatchBudget& budget = model.budget;
  const auto size = static_cast<uint32_t>(waiting.lengths.size());
  const uint32_t begin = waiting.next;
  double cost = 0;
  bool room = true;
  while (waiting.next < size) {
    const double added = budget.Cost(waiting.lengths[waiting.next]);
    room = taken.count == 0 ||
           (taken.cost + cost + added <= budget.tokens_max && taken.count < budget.sequences_max);
    if (!room) break;
    cost += added;
    ++taken.count;
    ++waiting.next;
  }
  if (waiting.next > begin) {
    batch.push_back({entry->first, begin, waiting.next});
    taken.cost += cost;
    taken.work += cost * waiting.work_per_cost;
    taken.last_tag = std::max(taken.last_tag, waiting.tag);
    waiting.cost -= cost;
    model.cost -= cost;
    model.pairs -= waiting.next - begin;
  }
  if (waiting.next == size) Erase(entry);
  return room;
}

WaitingPairs::Entries::iterator WaitingPairs::Urgent(TimePoint now,
                                                     std::span<const double> cost_per_second) {
  if (urgent_last_ || by_deadline_.empty()) return entries_.end();
  const auto& [deadline, request] = *by_deadline_.begin();
  const auto entry = entries_.find(request);
  const double speed = cost_per_second[static_cast<size_t>(entry->second.model)];
  if (speed <= 0) return entries_.end();
  const double left = std::chrono::duration<double>(deadline - now).count();
  const double needed = (entry->second.cost + Of(entry->second.model).budget.tokens_max) / speed;
  // Twice what it needs is near enough to act; what cannot be met any more holds up nobody.
  return needed <= left && left < 2 * needed ? entry : entries_.end();
}

int WaitingPairs::Earliest(int except) const {
  int earliest = -1;
  for (int model = 0; model < static_cast<int>(models_.size()); ++model) {
    if (model == except || Of(model).by_tag.empty()) continue;
    if (earliest < 0 || *Of(model).by_tag.begin() < *Of(earliest).by_tag.begin()) earliest = model;
  }
  return earliest;
}

int WaitingPairs::Next() const {
  const bool passed = passed_over_ >= 0 && !Of(passed_over_).by_tag.empty();
  return passed ? passed_over_ : Earliest(-1);
}

bool WaitingPairs::BatchIsFull() const {
  if (entries_.empty()) return false;
  const Model& model = Of(Next());
  return model.cost >= model.budget.tokens_max ||
         model.pairs >= static_cast<size_t>(model.budget.sequences_max);
}

int WaitingPairs::TakeBatch(TimePoint now, std::span<const double> cost_per_second,
                            std::vector<JobSlice>& batch, std::vector<uint64_t>& expired) {
  batch.clear();
  expired.clear();
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now &&
         expired.size() < kExpiredMax) {
    expired.push_back(by_deadline_.begin()->second);
    Remove(expired.back());
  }
  if (entries_.empty()) return 0;
  Taken taken;
  bool room = true;
  const auto urgent = Urgent(now, cost_per_second);
  urgent_last_ = urgent != entries_.end();
  const int next = urgent_last_ ? urgent->second.model : Next();
  if (urgent_last_) room = TakeFrom(urgent, batch, taken);
  const auto& by_tag = Of(next).by_tag;
  const auto requests_max = static_cast<size_t>(Of(next).budget.requests_max);
  while (room && !by_tag.empty() && (requests_max == 0 || batch.size() < requests_max)) {
    room = TakeFrom(entries_.find(by_tag.begin()->second), batch, taken);
  }
  passed_over_ = Earliest(next);
  if (passed_over_ >= 0 && Of(passed_over_).by_tag.begin()->first >= taken.last_tag) {
    passed_over_ = -1;
  }
  if (!entries_.empty()) Advance(taken.work);
  return next;
}

double WaitingPairs::SecondsBefore(double work, std::span<const double> cost_per_second) const {
  const double tag = clock_ + work;
  double seconds = 0;
  for (size_t model = 0; model < models_.size(); ++model) {
    if (cost_per_second[model] <= 0) continue;
    double cost = 0;
    const auto& by_tag = models_[model].by_tag;
    for (auto at = by_tag.begin(); at != by_tag.end() && at->first <= tag; ++at) {
      cost += entries_.find(at->second)->second.cost;
    }
    seconds += cost / cost_per_second[model];
  }
  return seconds;
}

}  // namespace podium
