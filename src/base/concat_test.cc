#include "base/concat.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace podium {
namespace {

TEST(Concat, JoinsTextNumbersAndBools) {
  EXPECT_EQ(Concat("got ", 12, " of ", std::string("x"), ' ', 0.5f, " ", true, " ", size_t{7}),
            "got 12 of x 0.5 true 7");
}

Result<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument(Concat("odd: ", x));
  return x / 2;
}
Result<int> Quarter(int x) {
  PODIUM_ASSIGN_OR_RETURN(const int half, Half(x));
  return Half(half);
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().ToString(), "invalid argument: odd: 3");
  EXPECT_EQ(Quarter(1).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace podium
