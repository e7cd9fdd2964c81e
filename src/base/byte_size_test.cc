#include "base/byte_size.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace podium {
namespace {

TEST(ByteSize, HasThreeDigits) {
  EXPECT_EQ(ByteSize(0), "0 B");
  EXPECT_EQ(ByteSize(999), "999 B");
  EXPECT_EQ(ByteSize(1000), "1.00 kB");
  EXPECT_EQ(ByteSize(9'994), "9.99 kB");
  EXPECT_EQ(ByteSize(9'996), "10.0 kB");
  EXPECT_EQ(ByteSize(99'960), "100 kB");
  EXPECT_EQ(ByteSize(999'499), "999 kB");
  EXPECT_EQ(ByteSize(999'500), "1.00 MB");
  EXPECT_EQ(ByteSize(1'112'201'932), "1.11 GB");
  EXPECT_EQ(ByteSize(std::numeric_limits<uint64_t>::max()), "18.4 EB");
}

}  // namespace
}  // namespace podium
