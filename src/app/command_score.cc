#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/progress.h"
#include "app/rank_output.h"
#include "app/score_files.h"
#include "app/score_line.h"
#include "base/concat.h"
#include "podium/reranker.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

// Lines are scored some at a time. Seconds of work: longer, and Ctrl-C, the progress line and
// whoever reads the output wait; shorter, and the last batch of each time, which is rarely full,
// costs more than a few percent. Bytes and pairs bound the memory.
constexpr double kChunkSeconds = 2;
constexpr size_t kChunkPairsMin = 64;
constexpr size_t kChunkPairsMax = 8192;
constexpr size_t kChunkBytesMax = size_t{4} << 20;
constexpr size_t kSkippedShown = 5;

Result<std::vector<Score>> ScoreOne(const Reranker& reranker, const ScoreLine& line,
                                    const RankOptions& options) {
  std::vector<Pair> pairs;
  for (const std::string_view document : line.documents())
    pairs.push_back({line.query(), document});
  auto scores = reranker.ScorePairs(pairs, options);
  if (scores.ok() || scores.status().code() == StatusCode::kCancelled) return scores;
  return Status(scores.status().code(), Concat(line.where(), ": ", scores.status().message()));
}

// Whether the last line that stands is what this model and these options give.
Status CheckResumed(const ResumePoint& point, const std::string& path, const ScoreFormat& format,
                    const Reranker& reranker, const RankOptions& options) {
  if (point.last_scored.empty()) return OkStatus();
  PODIUM_ASSIGN_OR_RETURN(const ScoreLine line,
                          ScoreLine::Parse(point.last_input, point.last_where, format));
  PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores, ScoreOne(reranker, line, options));
  if (line.WithScores(scores, format) == point.last_scored) return OkStatus();
  return InvalidArgument(Concat(path, ":", point.lines, ": other scores than this model gives for ",
                                line.where(),
                                ": it was written with another model, precision, kernel table or "
                                "options; --resume goes on only with the same ones"));
}

class Scoring {
 public:
  Scoring(const ScoreCommand& command, const RankOptions& options, const Reranker& reranker,
          ScoreInput& input, Output& out, const ResumePoint& behind)
      : command_(command),
        options_(options),
        reranker_(reranker),
        input_(input),
        out_(out),
        run_(out, RunTag(reranker.info().name)),
        progress_(isatty(STDERR_FILENO) == 0 || out.is_terminal()),
        written_(behind.lines),
        skipped_(behind.skipped) {}

  Status Run() {
    if (input_.header() && !input_.format().ids && written_ == 0) {
      out_.Write(ScoredHeader(*input_.header(), input_.format()));
    }
    std::deque<ScoreLine> chunk;
    bool more = true;
    while (more && !out_.is_closed()) {
      const Result<bool> filled = FillChunk(&chunk);
      // What came before a bad line is scored all the same.
      const Status scored = ScoreChunk(chunk);
      chunk.clear();
      out_.Flush();
      PODIUM_RETURN_IF_ERROR(scored);
      PODIUM_RETURN_IF_ERROR(filled.status());
      more = *filled;
      ShowProgress();
    }
    return input_.format().ids ? run_.Finish() : OkStatus();
  }

  void Report() {
    progress_.Clear();
    if (skipped_ > kSkippedShown) {
      PrintMessage(Concat("… and ", skipped_ - kSkippedShown, " more lines skipped"));
    }
    if (skipped_ > 0) PrintMessage(Concat(skipped_, " lines skipped in all"));
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (!command_.time && !(terminal && !command_.output.empty())) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const ModelInfo& info = reranker_.info();
    std::fprintf(
        stderr, "%zu pairs in %.1f s, %.1f pairs/s, %.0f tokens/s; %s %s %s, %d thread%s\n", pairs_,
        seconds, static_cast<double>(pairs_) / seconds, static_cast<double>(tokens_) / seconds,
        Printable(info.name, 100).c_str(), info.precision.c_str(), info.isa.c_str(), info.threads,
        info.threads == 1 ? "" : "s");
  }

  size_t written() const { return written_; }

 private:
  static std::string RunTag(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');
    return name.empty() ? "podium" : name;
  }

  // A line that cannot be scored: the end, or one that is counted.
  Status Bad(Status status) {
    if (!command_.skip_bad_lines || status.code() == StatusCode::kCancelled ||
        status.code() == StatusCode::kIo) {
      return status;
    }
    if (++skipped_ <= kSkippedShown) {
      progress_.Clear();
      PrintMessage(Concat("skipped: ", status.message()));
    }
    return OkStatus();
  }

  // False at the input's end. An error comes after the lines before it.
  Result<bool> FillChunk(std::deque<ScoreLine>* chunk) {
    size_t bytes = 0;
    size_t pairs = 0;
    while (pairs < chunk_pairs_ && bytes < kChunkBytesMax) {
      // Whoever writes slowly into a pipe gets what is there, line by line if need be.
      if (!chunk->empty() && !input_.lines().IsReady()) return true;
      const auto next = input_.Next();
      if (next.ok() && !*next) return false;
      auto line = next.ok() ? ScoreLine::Parse((*next)->text, (*next)->where, input_.format())
                            : Result<ScoreLine>(next.status());
      if (!line.ok()) {
        PODIUM_RETURN_IF_ERROR(Bad(line.status()));
        continue;
      }
      bytes += line->bytes();
      pairs += line->documents().size();
      chunk->push_back(std::move(line).value());
    }
    return true;
  }

  Status ScoreChunk(const std::deque<ScoreLine>& chunk) {
    std::vector<Pair> pairs;
    for (const ScoreLine& line : chunk) {
      for (const std::string_view document : line.documents()) {
        pairs.push_back({line.query(), document});
      }
    }
    const Clock::time_point begin = Clock::now();
    const auto scores = reranker_.ScorePairs(pairs, options_);
    if (!scores.ok() && scores.status().code() != StatusCode::kInternal) return scores.status();
    if (!scores.ok()) {  // one pair has no finite score: which line's?
      for (const ScoreLine& line : chunk) {
        const auto own = ScoreOne(reranker_, line, options_);
        PODIUM_RETURN_IF_ERROR(own.ok() ? Write(line, *own) : Bad(own.status()));
      }
      return OkStatus();
    }
    std::span<const Score> rest = *scores;
    for (const ScoreLine& line : chunk) {
      PODIUM_RETURN_IF_ERROR(Write(line, rest.first(line.documents().size())));
      rest = rest.subspan(line.documents().size());
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (pairs.size() >= chunk_pairs_ / 2) {
      const double fitting = static_cast<double>(pairs.size()) * kChunkSeconds / seconds;
      const double most = static_cast<double>(std::min(2 * chunk_pairs_, kChunkPairsMax));
      chunk_pairs_ =
          static_cast<size_t>(std::clamp(fitting, static_cast<double>(kChunkPairsMin), most));
    }
    return OkStatus();
  }

  Status Write(const ScoreLine& line, std::span<const Score> scores) {
    ++written_;
    pairs_ += scores.size();
    for (const Score& score : scores) tokens_ += static_cast<size_t>(score.tokens);
    if (input_.format().ids) return run_.Add(line, scores);
    out_.Write(line.WithScores(scores, input_.format()));
    return OkStatus();
  }

  void ShowProgress() {
    const Clock::time_point now = Clock::now();
    const auto read = static_cast<double>(input_.lines().bytes_read());
    pair_rate_.Add(now, static_cast<double>(pairs_));
    byte_rate_.Add(now, read);
    if (!progress_.IsDue(now)) return;
    std::string text = Concat(written_, " lines");
    if (const auto rate = pair_rate_.rate()) {
      char shown[32];
      std::snprintf(shown, sizeof shown, "  %.1f pairs/s", *rate);
      text += shown;
    }
    if (const auto size = static_cast<double>(input_.lines().size()); size > 0) {
      text += Concat("  ", static_cast<int>(100 * std::min(1.0, read / size)), "%");
      const std::string left = TimeLeft(byte_rate_.rate(), std::max(0.0, size - read));
      if (!left.empty()) text += Concat("  ", left, " left");
    }
    progress_.Show(now, text);
  }

  const ScoreCommand& command_;
  const RankOptions options_;
  const Reranker& reranker_;
  ScoreInput& input_;
  Output& out_;
  RunWriter run_;
  ProgressLine progress_;
  RateMeter pair_rate_;
  RateMeter byte_rate_;
  const Clock::time_point start_ = Clock::now();
  size_t chunk_pairs_ = kChunkPairsMin;
  size_t written_;
  size_t skipped_;
  size_t pairs_ = 0;
  size_t tokens_ = 0;
};

// The file of --output.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  /// Changes nothing yet of what is there.
  Status Open(const ScoreCommand& command) {
    path_ = command.output;
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    struct stat about = {};
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0) return Error();
    is_file_ = S_ISREG(about.st_mode);
    struct stat input = {};
    if (is_file_ && !command.file.empty() && stat(command.file.c_str(), &input) == 0 &&
        input.st_dev == about.st_dev && input.st_ino == about.st_ino) {
      return InvalidArgument(Concat(path_, ": is the input too"));
    }
    if (is_file_ && about.st_size > 0 && !command.resume && !command.force) {
      return InvalidArgument(
          Concat(path_, ": exists; --resume goes on with it, --force writes it anew"));
    }
    return OkStatus();
  }

  /// Writes go behind the first `bytes`, what else there was is gone.
  Status Keep(uint64_t bytes) {
    const bool kept = !is_file_ || (ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 &&
                                    lseek(descriptor_, 0, SEEK_END) >= 0);
    return kept ? OkStatus() : Error();
  }

  int descriptor() const { return descriptor_; }

 private:
  Status Error() const { return IoError(Concat(path_, ": ", std::strerror(errno))); }

  std::string path_;
  int descriptor_ = -1;
  bool is_file_ = false;
};

}  // namespace

int Run(const ScoreCommand& command, Session session) {
  const bool trec = command.format == ScoreOutputFormat::kTrec;
  const bool has_file = !command.output.empty();
  if (command.file.empty() && isatty(STDIN_FILENO) == 1) {
    return UsageFail("no input: give a file, or lines on standard input", "score");
  }
  if (command.resume && trec) {
    return UsageFail("--resume goes on with scored lines, not with a run", "score");
  }
  if (command.resume && !has_file) {
    return UsageFail("--resume goes on with a file: name it with --output", "score");
  }
  auto input = ScoreInput::Open(command, &session.cancel);
  if (!input.ok()) return Fail(input.status());
  ResumePoint point;
  if (command.resume) {
    auto found = FindResumePoint(command.output, command.skip_bad_lines, *input);
    if (!found.ok()) return Fail(found.status());
    point = *std::move(found);
  }
  OutputFile file;
  if (Status status = has_file ? file.Open(command) : OkStatus(); !status.ok()) {
    return Fail(status);
  }
  OpenOptions open = command.open;
  auto model = ChooseModel(open.model);
  if (!model.ok()) return Fail(model.status());
  open.model = *std::move(model);
  auto reranker = Reranker::Open(open);
  if (!reranker.ok()) return Fail(reranker.status());

  input->set_scores(ChosenScores(command.scores, (*reranker)->info()));

  RankOptions options;
  options.cancel = &session.cancel;
  const ScoreFormat& format = input->format();
  Status status = CheckResumed(point, command.output, format, **reranker, options);
  if (status.ok() && has_file) status = file.Keep(point.bytes);
  if (!status.ok()) return Fail(status);
  std::optional<Output> file_out;
  if (has_file) file_out.emplace(file.descriptor(), command.output);
  Output& out = file_out ? *file_out : session.out;
  Scoring scoring(command, options, **reranker, *input, out, point);
  const Status scored = scoring.Run();
  const Status flushed = out.Finish();
  scoring.Report();
  if (!flushed.ok()) return Fail(flushed);
  if (scored.ok()) return kExitOk;
  const int code = Fail(scored);
  if (has_file && !trec) {
    PrintMessage(Concat(scoring.written(), " lines stand in ", command.output,
                        "; the same command with --resume goes on behind them"));
  }
  return code;
}

}  // namespace podium
