#include "base/file_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace podium {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

size_t FilesIn(const std::string& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

TEST(FileWriter, IsThereWholeOrNotAtAll) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/out";
  std::ofstream(path) << "old";
  {
    auto file = FileWriter::Create(path);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE(file->Write(Bytes("abc")).ok());
    EXPECT_EQ(*ReadFile(path, 100), "old");
  }
  EXPECT_EQ(*ReadFile(path, 100), "old");
  EXPECT_EQ(FilesIn(folder.path()), 1u);

  auto file = FileWriter::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write(Bytes("abc")).ok());
  ASSERT_TRUE(file->Align(8).ok());
  EXPECT_EQ(file->position(), 8u);
  ASSERT_TRUE(file->Write(Bytes("d")).ok());
  ASSERT_TRUE(file->Rewrite(Bytes("A")).ok());
  const auto held = MappedFile::Open(path);
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(*ReadFile(path, 100), std::string("Abc\0\0\0\0\0d", 9));
  EXPECT_EQ(FilesIn(folder.path()), 1u);
  EXPECT_TRUE(held->CheckUnchanged().ok()) << "whoever had the old file keeps it";
}

TEST(FileWriter, WhatCannotBeWrittenIsNamed) {
  const testing_support::TempFolder folder;
  EXPECT_EQ(FileWriter::Create(folder.path() + "/none/out").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(FileWriter::Create(folder.path()).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace podium
