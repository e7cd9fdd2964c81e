// Charts as SVG, without a library.
//
// plot/ turns numbers into pictures as text: shapes (svg.h), axes and bins (axis.h), panels
// (panel.h). It may include base/. Pure: starts no thread, locks nothing. A picture carries its own
// colours for light and dark pages and needs no font, script or file beside it.
#ifndef PODIUM_PLOT_SVG_H_
#define PODIUM_PLOT_SVG_H_

#include <span>
#include <string>
#include <string_view>

namespace podium::plot {

/// What a shape is drawn as; the colours are in svg.cc, each twice.
enum class Ink {
  kText,   // black on white, or white on black
  kMuted,  // axis lines, labels of ticks, remarks
  kGrid,   // barely seen
  kFirst,  // three series, told apart by people who see red and green alike
  kSecond,
  kThird,
};

enum class Anchor { kStart, kMiddle, kEnd };

struct Point {
  double x = 0;
  double y = 0;
};

/// One picture; coordinates in pixels from the left upper corner.
class Svg {
 public:
  /// `title` and `description` are for screen readers and tooltips.
  Svg(int width, int height, std::string_view title, std::string_view description);

  void Line(Point from, Point to, Ink ink, bool dashed = false);
  void PolyLine(std::span<const Point> points, Ink ink);
  /// Filled. A negative width or height is drawn as 0.
  void Bar(Point corner, double width, double height, Ink ink);
  /// A half transparent dot, so that many on one place look darker.
  void Dot(Point at, double radius, Ink ink);
  /// Any text: it is escaped, control characters become spaces.
  void Text(Point at, Anchor anchor, std::string_view text, Ink ink, bool bold = false);
  /// Upwards, its middle at `at`.
  void TextUpwards(Point at, std::string_view text, Ink ink);

  /// The whole file.
  std::string Finish() &&;

 private:
  std::string out_;
};

}  // namespace podium::plot

#endif  // PODIUM_PLOT_SVG_H_
