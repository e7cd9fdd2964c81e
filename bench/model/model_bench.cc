// A whole forward pass: real tokens per second and share of the measured peak, as one JSON line per
// workload. Usage: model_bench --model FOLDER [--workload 128|512|var|short]… [--repeat N] [--isa
// NAME] [--precision fp32|int8] [--threads N] [--batch-tokens N]. Each line has the times of all
// rounds, fastest first.
//
// Workloads and nominal FLOPs are those of src/measure/pass.h; bench/peers measures others on the
// same ones. `podium bench` is for everybody else.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/team.h"
#include "engine/factory.h"
#include "measure/clock.h"
#include "measure/pass.h"
#include "measure/peak.h"
#include "model/model.h"

namespace podium::bench {
namespace {

using measure::Now;

struct Options {
  std::string model;
  std::vector<std::string> workloads;
  std::string isa;
  std::string precision = "fp32";
  int repeat = 5;
  int threads = 0;
  int batch_tokens = 2048;
};

// Sequences in order, as many to a batch as the budget takes; the attention's share is not counted.
std::vector<measure::MadeBatch> Batches(const EncoderSpec& spec, const std::vector<int>& lengths,
                                        int budget) {
  return measure::MakeBatches(spec.vocabulary, lengths, {.tokens_max = budget});
}

int Fail(const Status& status) {
  std::fprintf(stderr, "model_bench: %s\n", status.ToString().c_str());
  return 1;
}

int Run(const Options& options) {
  Team team(options.threads > 0 ? options.threads : UsableCores());
  auto model = OpenModel(options.model);
  if (!model.ok()) return Fail(model.status());
  const EncoderSpec spec = (*model)->spec();
  auto engine = MakeEngine(*model, {.precision = options.precision, .isa = options.isa}, team);
  if (!engine.ok()) return Fail(engine.status());
  LaneLimits limits;
  limits.batch_tokens_max = options.batch_tokens;
  auto lane = (*engine)->NewLane(team, limits);
  if (!lane.ok()) return Fail(lane.status());
  const std::string isa = (*engine)->info().isa;

  for (const std::string& workload : options.workloads) {
    const auto parsed = measure::ParseWorkload(workload);
    if (!parsed.ok()) return Fail(parsed.status());
    const std::vector<int>& lengths = parsed->lengths;
    const auto batches = Batches(spec, lengths, (*lane)->limits().batch_tokens_max);
    std::vector<float> logits(lengths.size());
    std::vector<double> times;
    double peak = 0;
    const auto score = [&](const measure::MadeBatch& batch) {
      const Batch view = batch.view();
      return (*lane)->Score(view, std::span(logits).first(static_cast<size_t>(view.size())), {});
    };
    if (const Status status = score(batches.front()); !status.ok())
      return Fail(status);  // warms up
    for (int round = 0; round < options.repeat; ++round) {
      peak = std::max(peak, measure::TeamPeak(isa, measure::UnitOf(options.precision), 0.05, team));
      const double start = Now();
      for (const measure::MadeBatch& batch : batches) {
        if (const Status status = score(batch); !status.ok()) return Fail(status);
      }
      times.push_back(Now() - start);
    }
    std::sort(times.begin(), times.end());
    double tokens = 0;
    for (const int n : lengths) tokens += n;
    const double flops = measure::NominalOperations(spec, lengths);
    std::printf(
        "{\"engine\":\"podium\",\"precision\":\"%s\",\"isa\":\"%s\",\"threads\":%d,\"workload\":\"%"
        "s\",\"tokens_per_s\":"
        "%.0f,"
        "\"tokens_per_s_median\":%.0f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"spread\":%.3f,\"gflops\":%."
        "1f,\"peak_gflops\":%.1f,\"share_"
        "of_peak\":%.3f,\"times_ms\":[",
        options.precision.c_str(), isa.c_str(), team.size(), workload.c_str(),
        tokens / times.front(), tokens / times[times.size() / 2],
        times[(times.size() - 1) / 2] * 1e3, times[(times.size() * 99 + 99) / 100 - 1] * 1e3,
        times.back() / times.front(), flops / times.front() * 1e-9, peak * 1e-9,
        peak > 0 ? flops / times.front() / peak : 0);
    for (size_t i = 0; i < times.size(); ++i) {
      std::printf("%s%.2f", i == 0 ? "" : ",", times[i] * 1e3);
    }
    std::printf("]}\n");
    std::fflush(stdout);
  }
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const char* value = argv[i + 1];
    if (flag == "--model")
      options.model = value;
    else if (flag == "--workload")
      options.workloads.emplace_back(value);
    else if (flag == "--repeat")
      options.repeat = std::max(1, std::atoi(value));
    else if (flag == "--isa")
      options.isa = value;
    else if (flag == "--precision")
      options.precision = value;
    else if (flag == "--threads")
      options.threads = std::atoi(value);
    else if (flag == "--batch-tokens")
      options.batch_tokens = std::atoi(value);
    else
      return Fail(Status(StatusCode::kInvalidArgument, "unknown option " + flag));
  }
  if (options.model.empty())
    return Fail(Status(StatusCode::kInvalidArgument, "--model FOLDER is needed"));
  if (options.workloads.empty()) options.workloads = {"128", "var", "512"};
  return Run(options);
}

}  // namespace
}  // namespace podium::bench

int main(int argc, char** argv) { return podium::bench::Main(argc, argv); }
