#include "service/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::AllOf;
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

TEST(ApiKeys, OnlyPrintableAsciiIsAKeyOrAName) {
  for (int c = 0; c < 256; ++c) {
    const char byte = static_cast<char>(c);
    if (byte == '\n' || byte == ' ' || byte == '\t') continue;  // these end a word
    const bool is_allowed = c >= 0x21 && c <= 0x7E;
    for (const char* format : {"se?cret", "shop se?cret", "sh?op secret"}) {
      std::string line = format;
      line[line.find('?')] = byte;
      const auto keys = ApiKeys::Parse("# \xFF\x01\ngood\n" + line + "\n", "keys");
      ASSERT_EQ(keys.ok(), is_allowed) << c << " in " << format;
      if (is_allowed) continue;
      EXPECT_THAT(keys.status().message(), HasSubstr("keys:3: the "));
      EXPECT_THAT(keys.status().message(), HasSubstr("not printable ASCII"));
      EXPECT_THAT(keys.status().message(), Not(HasSubstr("cret")));
    }
  }
}

TEST(ApiKeys, LengthOfAKeyAndAName) {
  const std::string most(kApiKeyBytesMax, 'x');
  EXPECT_TRUE(ApiKeys::Parse(most, "keys").ok());
  EXPECT_TRUE(ApiKeys::Parse(most + " secret", "keys").ok());
  EXPECT_THAT(
      ApiKeys::Parse("a\n" + most + "x", "keys").status().message(),
      AllOf(HasSubstr("keys:2: the key has 4097 bytes, at most 4096"), Not(HasSubstr("xx"))));
  EXPECT_THAT(ApiKeys::Parse(most + "x secret", "keys").status().message(),
              HasSubstr("keys:1: the name has 4097 bytes"));
}

TEST(ApiKeys, AByteOrderMarkIsSkippedAtTheStartOnly) {
  const auto keys = ApiKeys::Parse("\xEF\xBB\xBFsecret\n", "keys");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_TRUE(keys->Check("Bearer secret", "").has_value());
  EXPECT_TRUE(ApiKeys::Parse("\xEF\xBB\xBF# tenants\nsecret\n", "keys").ok());
  EXPECT_FALSE(ApiKeys::Parse("a\n\xEF\xBB\xBFsecret\n", "keys").ok());
  EXPECT_FALSE(ApiKeys::Parse("\xFF\xFEs\0e\0", "keys").ok());
}

TEST(ApiKeys, OneNameMayHaveTwoKeysButAKeyStandsOnce) {
  const auto keys = ApiKeys::Parse("shop old\nshop new\n", "keys");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->Check("old", ""), "shop");
  EXPECT_EQ(keys->Check("new", ""), "shop");
  for (const char* twice :
       {"secret\n\nsecret", "a secret\n#\nb secret", "a secret\n\nsecret\r\n"}) {
    EXPECT_THAT(ApiKeys::Parse(twice, "keys").status().message(),
                AllOf(HasSubstr("keys:3: the key of line 1 again"), Not(HasSubstr("secret"))));
  }
}

}  // namespace
}  // namespace podium
