#include "app/side.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(ParseSide, ModelAndKeys) {
  struct Case {
    const char* text;
    const char* model;
    const char* precision;
    const char* isa;
    int threads;
    int max_length;
  };
  const Case cases[] = {
      {"BAAI/bge-reranker-base", "BAAI/bge-reranker-base", "auto", "", 0, 0},
      {"./folder,precision=int8", "./folder", "int8", "", 0, 0},
      {"precision=int8,threads=2", "", "int8", "", 2, 0},
      {"isa=avx2", "", "auto", "avx2", 0, 0},
      {"m,max-length=128,isa=scalar,threads=0", "m", "auto", "scalar", 0, 128},
      {"folder, with comma,isa=avx2", "folder, with comma", "auto", "avx2", 0, 0},
      {"a,b", "a,b", "auto", "", 0, 0},
      {"run=7/model", "run=7/model", "auto", "", 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto got = ParseSide(c.text);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(got->model, c.model);
    EXPECT_EQ(got->precision, c.precision);
    EXPECT_EQ(got->isa, c.isa);
    EXPECT_EQ(got->threads, c.threads);
    EXPECT_EQ(got->max_length, c.max_length);
  }
}

TEST(ParseSide, Truncation) {
  const auto got = ParseSide("m,truncation=only_second");
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(got->truncation, "only_second");
}

TEST(ParseSide, MistakesAreNamed) {
  for (const char* text : {"", "m,prec=int8", "m,precision=", "m,precision=int8,",
                           "m,precision=int8,fp32", "m,threads=two", "m,threads=-1", "threads=1.5",
                           "m,isa=avx2,isa=scalar", "m,max-length=99999999999"}) {
    SCOPED_TRACE(text);
    const auto got = ParseSide(text);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(got.status().message().find("side: got"), std::string::npos);
  }
}

}  // namespace
}  // namespace podium
