#include "app/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/display_width.h"

namespace podium {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kWindow = seconds(8);          // what the rate is taken over
constexpr auto kStep = milliseconds(200);     // between its points
constexpr auto kRewrite = milliseconds(100);  // of the line on a terminal
constexpr auto kRepeat = seconds(10);         // of lines elsewhere

int Columns() {
  constexpr int kDefault = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefault;
}

bool IsDumb() {  // a terminal that cannot take a line back
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") == 0;
}

}  // namespace

void RateMeter::Add(Time now, double done) {
  if (!points_.empty() && done < points_.back().second) points_.clear();  // it started again
  if (points_.size() > 1 && now - points_[points_.size() - 2].first < kStep) points_.pop_back();
  points_.emplace_back(now, done);
  while (now - points_.front().first > kWindow && points_.size() > 2) points_.pop_front();
}

std::optional<double> RateMeter::rate() const {
  if (points_.size() < 2) return std::nullopt;
  const double time = duration<double>(points_.back().first - points_.front().first).count();
  if (time < duration<double>(kStep).count()) return std::nullopt;
  return (points_.back().second - points_.front().second) / time;
}

std::string TimeLeft(std::optional<double> rate, double left) {
  constexpr double kLongest = 100 * 3600.0;
  if (!rate || *rate <= 0 || left / *rate > kLongest) return "";
  const long all = std::lround(std::ceil(left / *rate));
  char text[64];
  if (all < 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld", all / 60, all % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
  }
  return text;
}

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      is_terminal_(isatty(STDERR_FILENO) == 1 && !IsDumb()),
      // The first line elsewhere comes after a while: short work needs none.
      last_(is_terminal_ ? Time() : std::chrono::steady_clock::now()) {}

bool ProgressLine::IsDue(Time now) const {
  if (quiet_) return false;
  return is_terminal_ ? now - last_ >= kRewrite : now - last_ >= kRepeat;
}

void ProgressLine::Show(Time now, const std::string& text) {
  last_ = now;
  if (is_terminal_) {
    // One column stays free: a full line would wrap.
    std::fprintf(stderr, "\r\x1b[K%s", CutToWidth(text, Columns() - 1).c_str());
    is_shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

void ProgressLine::Note(const std::string& text) {
  Clear();
  if (!quiet_) std::fprintf(stderr, "%s\n", text.c_str());
}

void ProgressLine::Clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

}  // namespace podium
