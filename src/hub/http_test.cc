#include "hub/http.h"

#include <gtest/gtest.h>

#include <string>

namespace podium::hub {
namespace {

TEST(Origin, SchemeHostAndPort) {
  EXPECT_EQ(Origin("https://HuggingFace.co/x?y"), "https://huggingface.co:443");
  EXPECT_EQ(Origin("https://huggingface.co:443"), Origin("https://huggingface.co/a/b"));
  EXPECT_EQ(Origin("http://user:secret@host:8080/x"), "http://host:8080");
  // A token for one of these is none for the other.
  EXPECT_NE(Origin("https://host"), Origin("http://host"));
  EXPECT_NE(Origin("https://host"), Origin("https://host:444"));
  EXPECT_NE(Origin("https://host"), Origin("https://host.evil"));
  EXPECT_NE(Origin("https://host"), Origin("https://host@evil"));
  EXPECT_EQ(Origin("nonsense here"), "");
  EXPECT_EQ(Origin(""), "");
}

TEST(DisplayUrl, HoldsNoSecret) {
  EXPECT_EQ(DisplayUrl("https://me:secret@host/path?signature=secret#f"), "https://host/path");
  EXPECT_EQ(DisplayUrl("http://[::bad"), "(a malformed URL)");
}

TEST(EscapeSegment, KeepsASegmentOne) {
  EXPECT_EQ(EscapeSegment("refs/pr/3"), "refs%2Fpr%2F3");
  EXPECT_EQ(EscapeSegment("a b?c#d%e"), "a%20b%3Fc%23d%25e");
  EXPECT_EQ(EscapeSegment("model-1_a.safetensors"), "model-1_a.safetensors");
}

}  // namespace
}  // namespace podium::hub
