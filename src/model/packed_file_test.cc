#include "model/packed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>

#include "base/fnv.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A file of three sections: a text, four floats, three bytes.
PackedDirectory Example() {
  PackedDirectory directory;
  directory.made_by = "test";
  directory.source = "org/name";
  directory.precision = "int8";
  directory.parameters = 7;
  directory.sections = {{"file/config.json", "u8", {2}, 64, 2, 0},
                        {"numbers", "f32", {2, 2}, 128, 16, 0},
                        {"panels", "i8", {3}, 192, 3, 0}};
  return directory;
}

std::vector<std::byte> Build(PackedDirectory directory, bool checksums = true) {
  std::vector<std::byte> file(256);
  for (size_t i = kPackedHeaderBytes; i < file.size(); ++i) file[i] = static_cast<std::byte>(i);
  std::memcpy(&file[64], "{}", 2);
  const float numbers[] = {1, 2, 3, 4};
  std::memcpy(&file[128], numbers, sizeof numbers);
  for (PackedSection& section : directory.sections) {
    if (checksums) section.checksum = Fnv1a(std::span(file).subspan(section.offset, section.bytes));
  }
  const std::string text = PackedDirectoryText(directory);
  const auto bytes = std::as_bytes(std::span(text));
  const auto header = PackedHeader(directory.version, file.size(), bytes);
  std::memcpy(file.data(), header.data(), header.size());
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

void Save(const std::string& path, std::span<const std::byte> file) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  ASSERT_TRUE(out.good());
}

TEST(Fnv1a, KnownValues) {
  const auto of = [](std::string_view text) { return Fnv1a(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(of("foobar"), 0x85944171f73967e8u);
}

TEST(ParsePackedFile, GivesWhatWasWritten) {
  const auto directory = ParsePackedFile(Build(Example()), "f");
  ASSERT_TRUE(directory.ok()) << directory.status().ToString();
  EXPECT_EQ(directory->version, kPackedVersion);
  EXPECT_EQ(directory->source, "org/name");
  EXPECT_EQ(directory->precision, "int8");
  EXPECT_EQ(directory->parameters, 7u);
  ASSERT_EQ(directory->sections.size(), 3u);
  EXPECT_EQ(directory->sections[1].name, "numbers");
  EXPECT_EQ(directory->sections[1].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(directory->sections[1].offset, 128u);
}

TEST(ParsePackedFile, EveryByteOfHeaderAndDirectoryIsGuarded) {
  const std::vector<std::byte> file = Build(Example());
  for (size_t i = 0; i < file.size(); ++i) {
    if (i == kPackedHeaderBytes) i = 256;  // sections are not read here
    std::vector<std::byte> broken = file;
    broken[i] ^= std::byte{0x10};
    const auto directory = ParsePackedFile(broken, "f");
    ASSERT_FALSE(directory.ok()) << i;
    EXPECT_THAT(directory.status().message(), HasSubstr("f: ")) << i;
  }
}

TEST(ParsePackedFile, ACutOrGrownFileSaysHowLongItShouldBe) {
  std::vector<std::byte> file = Build(Example());
  const size_t whole = file.size();
  for (size_t size = 0; size < whole; ++size) {
    const auto directory = ParsePackedFile(std::span(file).first(size), "f");
    ASSERT_EQ(directory.status().code(), StatusCode::kCorrupt) << size;
    EXPECT_THAT(directory.status().message(), HasSubstr(std::to_string(size) + " bytes"));
  }
  file.push_back({});
  EXPECT_THAT(ParsePackedFile(file, "f").status().message(),
              HasSubstr("expected " + std::to_string(whole)));
}

TEST(ParsePackedFile, ANewerVersionIsRefusedByNumberAnOlderOneRead) {
  PackedDirectory directory = Example();
  directory.version = kPackedVersion + 1;
  const Status newer = ParsePackedFile(Build(directory), "f").status();
  EXPECT_EQ(newer.code(), StatusCode::kUnsupported);
  EXPECT_THAT(newer.message(), HasSubstr("got " + std::to_string(kPackedVersion + 1)));
  directory.version = 0;
  EXPECT_EQ(ParsePackedFile(Build(directory), "f").status().code(), StatusCode::kCorrupt);
  for (uint32_t version = 1; version <= kPackedVersion; ++version) {
    directory.version = version;
    EXPECT_TRUE(ParsePackedFile(Build(directory), "f").ok()) << version;
  }
}

struct Wrong {
  const char* what;  // part of the message
  std::function<void(PackedDirectory&)> make;
};

TEST(ParsePackedFile, WrongSectionsAreNamed) {
  const Wrong wrongs[] = {
      {"multiple of 64", [](auto& d) { d.sections[1].offset = 136; }},
      {"behind the section before", [](auto& d) { d.sections[2].offset = 128; }},
      {"behind the section before", [](auto& d) { d.sections[0].offset = 0; }},
      {"at most", [](auto& d) { d.sections[2].offset = 320; }},
      {"at most", [](auto& d) { d.sections[2].offset = uint64_t{1} << 62; }},
      {"at most",
       [](auto& d) {
         d.sections[2].shape = {100};
         d.sections[2].bytes = 100;
       }},
      {"for its shape", [](auto& d) { d.sections[1].bytes = 12; }},
      {"for its shape", [](auto& d) { d.sections[1].shape = {-4}; }},
      {"for its shape", [](auto& d) { d.sections[1].shape = {INT64_MAX, INT64_MAX}; }},
      {"at most 4", [](auto& d) { d.sections[1].shape = {1, 1, 1, 2, 2}; }},
      {"twice", [](auto& d) { d.sections[2].name = "numbers"; }},
      {"\"f64\"", [](auto& d) { d.sections[1].type = "f64"; }},
      {"name", [](auto& d) { d.sections[1].name = ""; }}};
  for (const Wrong& wrong : wrongs) {
    PackedDirectory directory = Example();
    wrong.make(directory);
    // Checksums cannot be computed of what is outside; nobody reads them here.
    const Status status = ParsePackedFile(Build(directory, false), "f").status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << wrong.what;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("f: "), HasSubstr(wrong.what)));
  }
}

TEST(PackedFile, ReadsArraysAndFiles) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/model.podium";
  EXPECT_FALSE(IsPackedFile(path));
  Save(path, Build(Example()));
  EXPECT_TRUE(IsPackedFile(path));
  const auto file = PackedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const auto numbers = file->Array<float>("numbers", 4);
  ASSERT_TRUE(numbers.ok());
  EXPECT_EQ((*numbers)[3], 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers->data()) % kPackedAlignment, 0u);
  EXPECT_EQ(*file->ReadFile("config.json", 10), "{}");
  EXPECT_EQ(file->ReadFile("config.json", 1).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(file->ReadFile("vocab.txt", 10).status().code(), StatusCode::kNotFound);
  EXPECT_THAT(
      file->Array<float>("numbers", 5).status().message(),
      AllOf(HasSubstr(path), HasSubstr("numbers"), HasSubstr("got 16"), HasSubstr("expected 20")));
  EXPECT_THAT(file->Array<float>("panels", 3).status().message(), HasSubstr("of i8"));
  EXPECT_THAT(file->Array<float>("letters", 3).status().message(), HasSubstr("not there"));
  for (const PackedSection& section : file->directory().sections) {
    EXPECT_TRUE(file->Verify(section).ok());
  }
}

TEST(PackedFile, ASmallSectionThatChangedIsSeenWhenOpened) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/model.podium";
  std::vector<std::byte> file = Build(Example());
  file[130] ^= std::byte{1};
  Save(path, file);
  const Status status = PackedFile::Open(path).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), AllOf(HasSubstr(path), HasSubstr("numbers"), HasSubstr("got"),
                                      HasSubstr("expected")));
  // A file within is compared when it is read.
  file = Build(Example());
  file[64] = std::byte{'['};
  Save(path, file);
  EXPECT_THAT(PackedFile::Open(path)->ReadFile("config.json", 10).status().message(),
              HasSubstr("file/config.json: checksum"));
}

TEST(PackedFile, WrittenToWhileOpenIsSeen) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/model.podium";
  Save(path, Build(Example()));
  const auto file = PackedFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(file->CheckUnchanged().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace podium
