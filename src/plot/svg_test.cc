#include "plot/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plot/panel.h"

namespace podium::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Svg, TextFromOutsideStaysText) {
  Svg svg(100, 50, "a<b>&\x1b\"c\"", "d\xff");
  svg.Text({1.25, 2}, Anchor::kEnd, "</text><script>alert(1)</script>\n", Ink::kText);
  svg.TextUpwards({1, 2}, "x & y", Ink::kMuted);
  const std::string out = std::move(svg).Finish();
  EXPECT_THAT(out, HasSubstr("<title>a&lt;b&gt;&amp; \"c\"</title>"));
  EXPECT_THAT(out, HasSubstr("<desc>d\xEF\xBF\xBD</desc>"));
  EXPECT_THAT(out, Not(HasSubstr("<script>")));
  EXPECT_THAT(out, HasSubstr("x &amp; y"));
  EXPECT_EQ(out.substr(out.size() - 7), "</svg>\n");
}

TEST(Svg, HasColoursForLightAndDark) {
  const std::string out = Svg(10, 10, "", "").Finish();
  EXPECT_THAT(out, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(out, HasSubstr("class=\"paper\""));
}

TEST(Svg, CoordinatesAreShortAndFinite) {
  Svg svg(10, 10, "", "");
  svg.Line({-0.01, 1.0 / 3}, {2, 1e300}, Ink::kGrid, true);
  const std::string out = std::move(svg).Finish();
  EXPECT_THAT(out, HasSubstr("x1=\"0\" y1=\"0.3\" x2=\"2\" y2=\"1000000\""));
}

TEST(Panel, NumbersLandWhereTheAxesSay) {
  Svg svg(400, 300, "", "");
  const Panel panel(svg, {50, 20, 300, 200}, {-1, 1}, {0, 10}, {"t", "x", "y"});
  EXPECT_EQ(panel.At(-1, 0).x, 50);
  EXPECT_EQ(panel.At(-1, 0).y, 220);
  EXPECT_EQ(panel.At(1, 10).x, 350);
  EXPECT_EQ(panel.At(1, 10).y, 20);
  EXPECT_EQ(panel.At(0, 5).x, 200);
  EXPECT_EQ(panel.At(9, 99).x, 350);  // beyond the axes: at their end
}

TEST(Panel, DrawsABarForEachFilledBin) {
  Svg svg(400, 300, "", "");
  Panel panel(svg, {50, 20, 300, 200}, {0, 3}, {0, 4}, {"t", "x", "y"});
  panel.Histogram({0, 1, {4, 0, 2}}, Ink::kFirst);
  const std::string out = std::move(svg).Finish();
  EXPECT_THAT(out, HasSubstr("class=\"f3\" x=\"50\" y=\"20\" width=\"99\" height=\"200\""));
  EXPECT_THAT(out, HasSubstr("class=\"f3\" x=\"250\" y=\"120\" width=\"99\" height=\"100\""));
  EXPECT_THAT(out, Not(HasSubstr("class=\"f3\" x=\"150\"")));
}

}  // namespace
}  // namespace podium::plot
