#include "service/model_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ModelNames, AliasesAndUnknownNames) {
  const auto strict = ModelNames::Make({{"a", "alias"}, {"b"}});
  ASSERT_TRUE(strict.ok());
  EXPECT_EQ(strict->Find("a"), 0);
  EXPECT_EQ(strict->Find("alias"), 0);
  EXPECT_EQ(strict->Find("b"), 1);
  EXPECT_EQ(strict->Find("c"), std::nullopt);
  EXPECT_EQ(strict->Find("*"), std::nullopt);
  EXPECT_EQ(strict->Find(""), 0) << "no name: the first";
  EXPECT_EQ(strict->List(), "a, alias, b");

  const auto open = ModelNames::Make({{"a"}, {"*", "b", "x"}});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(open->Find("a"), 0);
  EXPECT_EQ(open->Find("anything"), 1);
  EXPECT_EQ(open->Find(""), 1) << "no name: where unknown names go";
  EXPECT_EQ(open->shown(1), "b");
  EXPECT_THAT(open->of(1), ElementsAre("b", "x"));
}

TEST(ModelNames, WhatTwoModelsClaim) {
  EXPECT_THAT(ModelNames::Make({{"a", "x"}, {"b", "x"}}).status().message(), HasSubstr("\"x\""));
  EXPECT_THAT(ModelNames::Make({{"a", "*"}, {"*", "b"}}).status().message(), HasSubstr("\"*\""));
  EXPECT_TRUE(ModelNames::Make({{"a", "a"}}).ok()) << "twice the same says nothing new";
}

}  // namespace
}  // namespace podium
