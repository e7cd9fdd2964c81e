// What `podium score` reads and writes: lines, a file to go on with, a run.
#ifndef PODIUM_APP_SCORE_FILES_H_
#define PODIUM_APP_SCORE_FILES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/output.h"
#include "app/score_line.h"
#include "base/line_reader.h"
#include "base/status.h"

namespace podium {

/// The input's lines that are to be scored, and those that cannot be.
class ScoreInput {
 public:
  /// Blank lines are passed over. A header (of a TSV) is read here.
  static Result<ScoreInput> Open(const ScoreCommand& command, const std::atomic<bool>* cancel);

  struct Line {
    std::string_view text;  // valid until the next call
    std::string where;
  };
  /// nullopt at the end. kResourceExhausted for a line over the limit; the next call goes on.
  Result<std::optional<Line>> Next();

  void set_scores(ScoreKind scores) { format_.scores = scores; }
  const ScoreFormat& format() const { return format_; }
  const std::optional<std::string>& header() const { return header_; }
  const LineReader& lines() const { return lines_; }

 private:
  explicit ScoreInput(LineReader lines) : lines_(std::move(lines)) {}

  LineReader lines_;
  ScoreFormat format_;
  std::optional<std::string> header_;
  std::optional<std::string> pending_;  // read to see what it is
  std::string shown_;                   // what was pending
};

/// An output file that was begun: how much of it stands, and its last line to check.
struct ResumePoint {
  size_t lines = 0;         // whole ones, a header among them
  uint64_t bytes = 0;       // up to the last whole line's end
  size_t skipped = 0;       // lines of the input that could not be scored
  std::string last_scored;  // the last whole line, with its end; "" for none
  std::string last_input;   // the line of the input that it belongs to
  std::string last_where;
};

/// Compares the output file at `path` line by line with what it must have been written for, taking
/// the lines from `input`, which goes on behind them. A last line that was cut off does not count.
/// kInvalidArgument, with both places, when a line does not belong to its input.
Result<ResumePoint> FindResumePoint(const std::string& path, bool skip_bad_lines,
                                    ScoreInput& input);

/// Collects a run: consecutive lines of one query are one ranking of it.
class RunWriter {
 public:
  /// Documents of one query, at most.
  static constexpr size_t kRankedMax = 1'000'000;

  RunWriter(Output& out, std::string tag) : out_(out), tag_(std::move(tag)) {}
  Status Add(const ScoreLine& line, std::span<const Score> scores);
  /// The query that was begun.
  Status Finish();

 private:
  Output& out_;
  const std::string tag_;
  std::string query_;
  std::vector<RunEntry> entries_;
};

}  // namespace podium

#endif  // PODIUM_APP_SCORE_FILES_H_
