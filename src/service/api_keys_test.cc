#include "service/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ApiKeys, NoneAreNeeded) {
  const ApiKeys keys;
  for (const char* header : {"", "Bearer None", "Bearer ", "x", "Basic abc"}) {
    EXPECT_EQ(keys.Check(header, ""), "") << header;
  }
}

TEST(ApiKeys, SpellingsThatClientsUse) {
  const auto keys = ApiKeys::Parse("# tenants\nsecret-1\n\nshop  secret-2 \r\n", "keys");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->size(), 2u);
  EXPECT_EQ(keys->Check("Bearer secret-1", ""), "key-1");
  EXPECT_EQ(keys->Check("bearer secret-2", ""), "shop");
  EXPECT_EQ(keys->Check("BEARER  secret-2 ", ""), "shop");
  EXPECT_EQ(keys->Check("secret-2", ""), "shop");
  EXPECT_EQ(keys->Check("", "secret-2"), "shop");
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer secret-", "Bearer secret-11",
                            "Bearer secret-3", "Bearer None", "secret-1secret-1", "shop"}) {
    EXPECT_FALSE(keys->Check(wrong, "")) << wrong;
  }
}

TEST(ApiKeys, ErrorsNameTheLineAndNotTheKey) {
  const auto three = ApiKeys::Parse("good\nname hidden word\n", "keys");
  EXPECT_THAT(three.status().message(), HasSubstr("keys:2"));
  EXPECT_THAT(three.status().message(), Not(HasSubstr("hidden")));
  EXPECT_FALSE(ApiKeys::Parse("# none\n", "keys").ok());
  EXPECT_FALSE(ApiKeys::Parse("", "keys").ok());
}

}  // namespace
}  // namespace podium
