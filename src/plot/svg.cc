#include "plot/svg.h"

#include <algorithm>
#include <charconv>

#include "base/concat.h"
#include "base/utf8.h"

namespace podium::plot {
namespace {

// Classes and no variables: several viewers know the former only. One that knows no media query
// shows the light page. The series are blue, orange and grey-green of clearly different lightness.
constexpr std::string_view kStyle = R"(<style>
text{font:12px system-ui,sans-serif}
.bold{font-weight:600;font-size:14px}
.paper{fill:#fff}
.f0{fill:#1f2328}.f1{fill:#59636e}.f2{fill:#dfe3e8}.f3{fill:#0a66c2}.f4{fill:#c2570a}.f5{fill:#3f8f6b}
.s0{stroke:#1f2328}.s1{stroke:#59636e}.s2{stroke:#dfe3e8}.s3{stroke:#0a66c2}.s4{stroke:#c2570a}.s5{stroke:#3f8f6b}
.line{fill:none;stroke-width:1}
.series{fill:none;stroke-width:2;stroke-linejoin:round}
.dashed{stroke-dasharray:4 4}
.dot{fill-opacity:.45}
@media (prefers-color-scheme:dark){
.paper{fill:#0d1117}
.f0{fill:#e6edf3}.f1{fill:#9aa4af}.f2{fill:#2b323b}.f3{fill:#58a6ff}.f4{fill:#f0883e}.f5{fill:#6cc7a0}
.s0{stroke:#e6edf3}.s1{stroke:#9aa4af}.s2{stroke:#2b323b}.s3{stroke:#58a6ff}.s4{stroke:#f0883e}.s5{stroke:#6cc7a0}
}
</style>
)";

// A tenth of a pixel is finer than eyes, and halves the file.
std::string Pixels(double value) {
  char digits[64];
  const double clamped = std::clamp(value, -1e6, 1e6);
  const auto end =
      std::to_chars(digits, digits + sizeof digits, clamped, std::chars_format::fixed, 1).ptr;
  std::string text(digits, end);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string Escaped(std::string_view text) {
  std::string valid;
  AppendReplaced(text, valid);
  std::string out;
  for (const char c : valid) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return out;
}

std::string Filled(Ink ink) { return Concat("f", static_cast<int>(ink)); }
std::string Stroked(Ink ink) { return Concat("s", static_cast<int>(ink)); }

}  // namespace

Svg::Svg(int width, int height, std::string_view title, std::string_view description) {
  out_ = Concat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
                "\" viewBox=\"0 0 ", width, " ", height, "\" role=\"img\">\n<title>",
                Escaped(title), "</title>\n<desc>", Escaped(description), "</desc>\n", kStyle,
                "<rect class=\"paper\" width=\"", width, "\" height=\"", height, "\"/>\n");
}

void Svg::Line(Point from, Point to, Ink ink, bool dashed) {
  out_ += Concat("<line class=\"line ", Stroked(ink), dashed ? " dashed" : "", "\" x1=\"",
                 Pixels(from.x), "\" y1=\"", Pixels(from.y), "\" x2=\"", Pixels(to.x), "\" y2=\"",
                 Pixels(to.y), "\"/>\n");
}

void Svg::PolyLine(std::span<const Point> points, Ink ink) {
  out_ += Concat("<polyline class=\"series ", Stroked(ink), "\" points=\"");
  for (size_t i = 0; i < points.size(); ++i) {
    out_ += Concat(i == 0 ? "" : " ", Pixels(points[i].x), ",", Pixels(points[i].y));
  }
  out_ += "\"/>\n";
}

void Svg::Bar(Point corner, double width, double height, Ink ink) {
  out_ += Concat("<rect class=\"", Filled(ink), "\" x=\"", Pixels(corner.x), "\" y=\"",
                 Pixels(corner.y), "\" width=\"", Pixels(std::max(0.0, width)), "\" height=\"",
                 Pixels(std::max(0.0, height)), "\"/>\n");
}

void Svg::Dot(Point at, double radius, Ink ink) {
  out_ += Concat("<circle class=\"dot ", Filled(ink), "\" cx=\"", Pixels(at.x), "\" cy=\"",
                 Pixels(at.y), "\" r=\"", Pixels(radius), "\"/>\n");
}

void Svg::Text(Point at, Anchor anchor, std::string_view text, Ink ink, bool bold) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  out_ += Concat("<text class=\"", Filled(ink), bold ? " bold" : "", "\" x=\"", Pixels(at.x),
                 "\" y=\"", Pixels(at.y), "\" text-anchor=\"",
                 kAnchors[static_cast<size_t>(anchor)], "\">", Escaped(text), "</text>\n");
}

void Svg::TextUpwards(Point at, std::string_view text, Ink ink) {
  out_ +=
      Concat("<text class=\"", Filled(ink), "\" transform=\"translate(", Pixels(at.x), " ",
             Pixels(at.y), ") rotate(-90)\" text-anchor=\"middle\">", Escaped(text), "</text>\n");
}

std::string Svg::Finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace podium::plot
