#include "plot/panel.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace podium::plot {

Panel::Panel(Svg& svg, Box box, Range x, Range y, const PanelLabels& labels)
    : svg_(svg), box_(box), x_(x), y_(y) {
  PODIUM_CHECK(x.high > x.low && y.high > y.low);
  const double right = box.x + box.width;
  const double bottom = box.y + box.height;
  constexpr double kTickWidth = 60;   // pixels a label of the x axis needs
  constexpr double kTickHeight = 40;  // between two of the y axis
  for (const Tick& tick : Ticks(y, std::max(2, static_cast<int>(box.height / kTickHeight)))) {
    const double at = At(x.low, tick.value).y;
    svg_.Line({box.x, at}, {right, at}, Ink::kGrid);
    svg_.Text({box.x - 8, at + 4}, Anchor::kEnd, tick.label, Ink::kMuted);
  }
  for (const Tick& tick : Ticks(x, std::max(2, static_cast<int>(box.width / kTickWidth)))) {
    const double at = At(tick.value, y.low).x;
    svg_.Line({at, bottom}, {at, bottom + 4}, Ink::kMuted);
    svg_.Text({at, bottom + 18}, Anchor::kMiddle, tick.label, Ink::kMuted);
  }
  svg_.Line({box.x, bottom}, {right, bottom}, Ink::kMuted);
  svg_.Line({box.x, box.y}, {box.x, bottom}, Ink::kMuted);
  svg_.Text({box.x, box.y - 8}, Anchor::kStart, labels.title, Ink::kText, true);
  svg_.Text({box.x + box.width / 2, bottom + 36}, Anchor::kMiddle, labels.x, Ink::kText);
  svg_.TextUpwards({box.x - 50, box.y + box.height / 2}, labels.y, Ink::kText);
}

Point Panel::At(double x, double y) const {
  const double right = (std::clamp(x, x_.low, x_.high) - x_.low) / (x_.high - x_.low);
  const double up = (std::clamp(y, y_.low, y_.high) - y_.low) / (y_.high - y_.low);
  return {box_.x + box_.width * right, box_.y + box_.height * (1 - up)};
}

void Panel::Histogram(const Bins& bins, Ink ink) {
  for (size_t i = 0; i < bins.counts.size(); ++i) {
    if (bins.counts[i] == 0) continue;
    const Point corner = At(bins.edge(i), static_cast<double>(bins.counts[i]));
    const Point base = At(bins.edge(i + 1), y_.low);
    const double gap = base.x - corner.x > 4 ? 1 : 0;
    svg_.Bar(corner, base.x - corner.x - gap, base.y - corner.y, ink);
  }
}

void Panel::Dots(std::span<const Point> points, Ink ink) {
  for (const Point& point : points) svg_.Dot(At(point.x, point.y), 2, ink);
}

void Panel::Curve(std::span<const Point> points, Ink ink) {
  std::vector<Point> pixels;
  pixels.reserve(points.size());
  for (const Point& point : points) pixels.push_back(At(point.x, point.y));
  svg_.PolyLine(pixels, ink);
}

void Panel::Marks(std::span<const Point> points, Ink ink) {
  for (const Point& point : points) svg_.Dot(At(point.x, point.y), 4, ink);
}

void Panel::Mark(double x, std::string_view word, Ink ink) {
  const Point top = At(x, y_.high);
  svg_.Line(top, At(x, y_.low), ink, true);
  const bool left_half = top.x < box_.x + box_.width / 2;
  svg_.Text({top.x + (left_half ? 4 : -4), top.y + 12}, left_half ? Anchor::kStart : Anchor::kEnd,
            word, ink);
}

void Panel::Diagonal(Ink ink) {
  const double low = std::max(x_.low, y_.low);
  const double high = std::min(x_.high, y_.high);
  if (low < high) svg_.Line(At(low, low), At(high, high), ink, true);
}

}  // namespace podium::plot
