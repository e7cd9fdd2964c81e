// A rectangle with axes: numbers in, shapes of a picture out.
#ifndef PODIUM_PLOT_PANEL_H_
#define PODIUM_PLOT_PANEL_H_

#include <span>
#include <string_view>

#include "plot/axis.h"
#include "plot/svg.h"

namespace podium::plot {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

struct PanelLabels {
  std::string_view title;
  std::string_view x;
  std::string_view y;
};

/// Draws its frame, grid, ticks and labels when made, then what is asked for, inside `box`. Labels
/// take 60 pixels to the left of the box, 40 below and 20 above.
class Panel {
 public:
  Panel(Svg& svg, Box box, Range x, Range y, const PanelLabels& labels);

  Point At(double x, double y) const;
  void Histogram(const Bins& bins, Ink ink);
  void Dots(std::span<const Point> points, Ink ink);
  void Curve(std::span<const Point> points, Ink ink);
  /// Larger dots, for values that were measured at some places only.
  void Marks(std::span<const Point> points, Ink ink);
  /// Across the panel, at x, with a word at its upper end.
  void Mark(double x, std::string_view word, Ink ink);
  /// Where x = y.
  void Diagonal(Ink ink);

 private:
  Svg& svg_;
  const Box box_;
  const Range x_;
  const Range y_;
};

}  // namespace podium::plot

#endif  // PODIUM_PLOT_PANEL_H_
