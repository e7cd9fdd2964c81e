#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/progress.h"
#include "base/byte_size.h"
#include "base/concat.h"
#include "base/environment.h"
#include "hub/pull.h"
#include "model/hub_cache.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTextColumnsMax = 1000;  // of what the hub says

// "model.safetensors  480 MB of 1.11 GB (43%)  52.1 MB/s  0:12 left"
std::string ProgressText(const hub::PullProgress& progress, std::optional<double> rate) {
  std::string text = Printable(progress.file, kTextColumnsMax);
  if (progress.checking) return Concat(text, "  checking ", ByteSize(progress.file_done));
  text += Concat("  ", ByteSize(progress.done));
  if (progress.total > 0) {
    const uint64_t percent = 100 * std::min(progress.done, progress.total) / progress.total;
    text += Concat(" of ", ByteSize(progress.total), " (", percent, "%)");
  }
  if (rate) text += Concat("  ", ByteSize(static_cast<uint64_t>(std::max(0.0, *rate))), "/s");
  const double left = static_cast<double>(progress.total) - static_cast<double>(progress.done);
  const std::string time = TimeLeft(rate, std::max(0.0, left));
  return time.empty() ? text : Concat(text, "  ", time, " left");
}

}  // namespace

int Run(const PullCommand& command, Session session) {
  auto model = ParseHubName(command.model);
  if (!model) {
    return UsageFail("the model's name must be org/name or org/name@revision", "pull");
  }
  if (!command.revision.empty()) {
    const auto revision = ParseHubName(Concat(model->name, "@", command.revision));
    if (!revision) {
      return UsageFail("--revision: a branch, tag or commit: letters, digits, - _ . and /", "pull");
    }
    if (!model->revision.empty()) {
      return UsageFail("the revision is given twice: after @ and with --revision", "pull");
    }
    model = revision;
  }
  hub::PullOptions options;
  options.model = *model;
  options.folder = command.to;
  options.offline = command.offline;
  options.retries = command.retries;

  ProgressLine line(command.quiet || IsOn(ProcessEnvironment, "HF_HUB_DISABLE_PROGRESS_BARS"));
  RateMeter meter;
  hub::PullEvents events;
  events.plan = [&](const hub::PullPlan& plan) {
    if (plan.files == 0 || command.quiet) return;
    line.Note(Concat(model->name, " at ", plan.commit.substr(0, 12), ": ", plan.files, " file",
                     plan.files == 1 ? "" : "s", ", ", ByteSize(plan.bytes), " to download into ",
                     Printable(plan.folder, kTextColumnsMax)));
  };
  events.note = [&](const std::string& text) {
    line.Clear();
    if (!command.quiet) PrintMessage(text);
  };
  events.progress = [&](const hub::PullProgress& progress) {
    const Clock::time_point now = Clock::now();
    if (!progress.checking) meter.Add(now, static_cast<double>(progress.done));
    if (line.IsDue(now)) line.Show(now, ProgressText(progress, meter.rate()));
  };
  const Clock::time_point start = Clock::now();
  const auto pulled = hub::Pull(options, ProcessEnvironment, events, session.cancel);
  line.Clear();
  if (!pulled.ok()) {
    const int code = Fail(pulled.status());
    if (code == kExitInterrupted && !command.quiet) {
      PrintMessage("what was downloaded is kept; the same command goes on from there");
    }
    return code;
  }
  if (!command.quiet && pulled->downloaded > 0) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::fprintf(stderr, "%s in %.1f s, checksums right\n", ByteSize(pulled->downloaded).c_str(),
                 seconds);
  }
  session.out.Write(pulled->folder + "\n");
  const Status status = session.out.Finish();
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
