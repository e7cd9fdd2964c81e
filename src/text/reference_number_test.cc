#include "text/reference_number.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

// Right: what `tokenizers` 0.23.3 writes after reading the left number.
TEST(ReferenceNumber, IsWhatTheReferenceReads) {
  const struct {
    double exact, reads;
  } cases[] = {
      {-15.844215372453373, -15.844215372453371},
      {1.2046159579473539, 1.204615957947354},
      {-15.562963586548955, -15.562963586548957},
      {-15.440134965081217, -15.440134965081215},
      {1.8904666584502934, 1.8904666584502936},
      {-3.0, -3.0},
      {-0.1, -0.1},
      {0, 0},
      {1e-30, 9.999999999999999e-31},
      {1.2345678901234567e-30, 1.2345678901234568e-30},
      {1.2345678901234567e-200, 1.2345678901234567e-200},
      {2.2250738585072014e-308, 2.2250738585072014e-308},
      {5e-324, 5e-324},
      {1.7976931348623155e308, 1.7976931348623157e308},
      {1.2345678901234566e25, 1.2345678901234566e25},
      {123456789.12345679, 123456789.1234568},
      {-3.2391462326049805, -3.2391462326049805},  // a score of XLM-RoBERTa's
  };
  for (const auto& c : cases) EXPECT_EQ(ReferenceNumber(c.exact), c.reads) << c.exact;
}

}  // namespace
}  // namespace podium
