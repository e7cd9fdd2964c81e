#include "measure/pass.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <random>
#include <string_view>
#include <utility>

#include "base/concat.h"
#include "measure/clock.h"

namespace podium::measure {
namespace {

// A whole number of at least 1; 0 for anything else.
int Number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::max(0, number) : 0;
}

std::vector<int> MixedLengths() {
  std::mt19937 random(1);
  std::lognormal_distribution<double> length(std::log(150.0), 0.6);
  std::vector<int> out(50);
  for (int& n : out) n = std::clamp(static_cast<int>(length(random)), 24, 512);
  return out;
}

}  // namespace

Result<Workload> ParseWorkload(const std::string& name) {
  constexpr int kLong = 512;
  constexpr int kLengthMax = 1 << 20;
  if (name == "var") return Workload{name, MixedLengths()};
  if (name == "short") return Workload{name, {30, 32, 34, 36, 38, 42, 44, 46, 48, 50}};
  const size_t by = name.find('x');
  const int length = Number(std::string_view(name).substr(by == std::string::npos ? 0 : by + 1));
  const int pairs = by != std::string::npos ? Number(std::string_view(name).substr(0, by))
                    : length >= kLong       ? 8
                                            : 50;
  if (length < 1 || length > kLengthMax || pairs < 1 || pairs > kWorkloadPairsMax) {
    return InvalidArgument(Concat("workload: got \"", name,
                                  "\", allowed: LENGTH, PAIRSxLENGTH, var or short, with 1 to ",
                                  kWorkloadPairsMax, " pairs"));
  }
  return Workload{name, std::vector<int>(static_cast<size_t>(pairs), length)};
}

double NominalOperations(const EncoderSpec& spec, std::span<const int> lengths) {
  const double h = spec.hidden;
  double sum = 0;
  for (const int n : lengths) sum += n * spec.layers * (8 * h * h + 4 * h * spec.ffn + 4 * h * n);
  return sum;
}

std::vector<MadeBatch> MakeBatches(int vocabulary, std::span<const int> lengths,
                                   const BatchBudget& budget) {
  std::mt19937 random(2);
  // Past the first few, which special tokens have in most models.
  const int first = vocabulary > 8 ? 4 : 0;
  // By Zipf's law, as words are: the n-th id 1 / n as often as the first.
  std::uniform_real_distribution<double> logarithm(0, std::log(vocabulary - first + 1.0));
  const auto id = [&] {
    return std::min(first + static_cast<int32_t>(std::exp(logarithm(random))) - 1, vocabulary - 1);
  };
  std::vector<MadeBatch> batches;
  for (const BatchRange& range : FormBatches(lengths, budget)) {
    MadeBatch batch;
    for (size_t i = range.begin; i < range.end; ++i) {
      for (int t = 0; t < lengths[i]; ++t) batch.ids.push_back(id());
      batch.starts.push_back(static_cast<int32_t>(batch.ids.size()));
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

Result<PassTimes> TimePass(Lane& lane, std::span<const MadeBatch> batches, double seconds,
                           const Interrupt& interrupt, FunctionRef<void()> between) {
  int most = 0;
  for (const MadeBatch& batch : batches) most = std::max(most, batch.view().size());
  std::vector<float> logits(static_cast<size_t>(most));
  const auto score = [&](const MadeBatch& batch) {
    const Batch view = batch.view();
    return lane.Score(view, std::span(logits).first(static_cast<size_t>(view.size())), interrupt);
  };
  PassTimes times;
  const double end = Now() + seconds;
  PODIUM_RETURN_IF_ERROR(score(batches.front()));
  do {
    between();
    double round = 0;
    for (const MadeBatch& batch : batches) {
      const double start = Now();
      PODIUM_RETURN_IF_ERROR(score(batch));
      times.batches.push_back(Now() - start);
      round += times.batches.back();
    }
    times.rounds.push_back(round);
  } while (Now() + times.rounds.back() < end && times.rounds.size() < kTimedRoundsMax);
  std::sort(times.rounds.begin(), times.rounds.end());
  std::sort(times.batches.begin(), times.batches.end());
  return times;
}

Result<double> RoughSpeed(Lane& lane, const EncoderSpec& spec, const Interrupt& interrupt) {
  constexpr int kLengths[] = {16, 64, 128};
  constexpr double kLongest = 1;
  double speed = 0;
  for (const int wanted : kLengths) {
    const std::vector<int> length = {std::min(wanted, lane.limits().length_max)};
    const double work = NominalOperations(spec, length);
    if (speed > 0 && 2 * work / speed > kLongest) break;
    PODIUM_ASSIGN_OR_RETURN(
        const PassTimes times,
        TimePass(lane, MakeBatches(spec.vocabulary, length, {}), 0, interrupt, [] {}));
    speed = work / times.best();
  }
  return speed;
}

}  // namespace podium::measure
