// How far a long work is: on a terminal one line that is rewritten, elsewhere a line now and then.
#ifndef PODIUM_APP_PROGRESS_H_
#define PODIUM_APP_PROGRESS_H_

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace podium {

/// What is done per second, over the last seconds. Time comes in.
class RateMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  void Add(Time now, double done);
  /// nullopt until two points are far enough apart to tell.
  std::optional<double> rate() const;

 private:
  std::deque<std::pair<Time, double>> points_;
};

/// "0:05", "12:34", "3:00:00"; "" when nobody knows.
std::string TimeLeft(std::optional<double> rate, double left);

/// Standard error. Not thread-safe.
class ProgressLine {
 public:
  using Time = RateMeter::Time;
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether it is time for another line; ask before making one.
  bool IsDue(Time now) const;
  /// Printable text.
  void Show(Time now, const std::string& text);
  /// A line of its own, that stays.
  void Note(const std::string& text);
  /// Takes the line off the terminal.
  void Clear();

 private:
  const bool quiet_;
  bool is_terminal_ = false;
  bool is_shown_ = false;
  Time last_;
};

}  // namespace podium

#endif  // PODIUM_APP_PROGRESS_H_
