// A packed file scores as its folder does when it is packed at load: to the bit, in every table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/bus_error.h"
#include "base/concat.h"
#include "base/fnv.h"
#include "base/team.h"
#include "engine/factory.h"
#include "engine/pack.h"
#include "kernels/select.h"
#include "model/model.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/synthetic_model.h"
#include "tests/support/tables.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using golden::CaseBatch;
using golden::GoldenCase;
using golden::Recipe;
using golden::SyntheticModel;
using testing::HasSubstr;

struct Shape {
  const char* name;
  Recipe recipe;
};

const Shape kShapes[] = {
    {"odd",  // rows and columns that fill no panel
     {.kind = "xlm-roberta",
      .layers = 2,
      .hidden = 72,
      .heads = 3,
      .ffn = 200,
      .vocabulary = 300,
      .positions = 258,
      .seed = 31}},
    {"bert",  // types, two groups of the FFN's columns, 16 bits
     {.kind = "bert",
      .layers = 2,
      .hidden = 384,
      .heads = 12,
      .ffn = 1536,
      .vocabulary = 300,
      .positions = 200,
      .token_types = 2,
      .eps = 1e-12,
      .seed = 32,
      .storage = "F16"}},
    {"two_labels",
     {.kind = "camembert",
      .layers = 1,
      .hidden = 64,
      .heads = 2,
      .ffn = 128,
      .vocabulary = 200,
      .positions = 130,
      .seed = 33,
      .storage = "BF16",
      .labels = 2}},
};

// The model of a folder with the word embeddings of its packed file.
class WithWordsOf : public Model {
 public:
  WithWordsOf(std::shared_ptr<const Model> base, std::shared_ptr<const Model> packed)
      : base_(std::move(base)), packed_(std::move(packed)) {
    folder_ = base_->folder();
    spec_ = base_->spec();
    weights_ = base_->weights();
    parameters_ = base_->parameters();
    weights_.word_embedding = packed_->weights().word_embedding;
  }

 private:
  std::shared_ptr<const Model> base_;
  std::shared_ptr<const Model> packed_;
};

class PackedTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    files_ = std::make_unique<SyntheticModel>(GetParam().recipe);
    model_ = Open(files_->folder());
    ASSERT_NE(model_, nullptr);
    std::mt19937 random(5);
    for (const int length : {1, 2, 9, 33, 64, 100}) {
      GoldenCase one;
      for (int i = 0; i < length; ++i) {
        one.ids.push_back(static_cast<int32_t>(
            6 + random() % static_cast<unsigned>(model_->spec().vocabulary - 6)));
        if (model_->spec().token_types > 1) one.types.push_back(random() % 2);
      }
      batch_.Add(one);
      ++cases_;
    }
  }

  static std::shared_ptr<const Model> Open(const std::string& path) {
    auto model = OpenModel(path);
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return model.ok() ? *model : nullptr;
  }

  std::string Pack(const PackOptions& options, const char* name = "model.podium") {
    std::string path = folder_.path() + "/" + name;
    const auto packed = PackModel(model_, options, team_, path);
    EXPECT_TRUE(packed.ok()) << packed.status().ToString();
    return path;
  }

  std::vector<uint32_t> Bits(const std::shared_ptr<const Model>& model,
                             const std::string& precision, const std::string& isa,
                             bool in_place = false) {
    const auto engine =
        MakeEngine(model, {.precision = precision, .isa = isa, .read_in_place = in_place}, team_);
    EXPECT_TRUE(engine.ok()) << engine.status().ToString();
    if (!engine.ok()) return {};
    const auto lane = (*engine)->NewLane(team_, {});
    std::vector<float> logits(cases_);
    const Status status = (*lane)->Score(batch_.batch(), logits, Interrupt());
    EXPECT_TRUE(status.ok()) << status.ToString();
    std::vector<uint32_t> bits;
    for (const float logit : logits) bits.push_back(std::bit_cast<uint32_t>(logit));
    return bits;
  }

  Team team_{2};
  testing_support::TempFolder folder_;
  std::unique_ptr<SyntheticModel> files_;
  std::shared_ptr<const Model> model_;
  CaseBatch batch_;
  size_t cases_ = 0;
};

TEST_P(PackedTest, SameBitsAsPackingAtLoad) {
  const auto packed = Open(Pack({.source = "m", .embeddings = "keep"}));
  EXPECT_EQ(packed->parameters(), model_->parameters());
  for (const RunnableTable& table : RunnableTables()) {
    if (table.precision != "int8") continue;
    const std::vector<uint32_t> expected = Bits(model_, "int8", table.isa);
    EXPECT_EQ(Bits(packed, "auto", table.isa), expected) << table.name();
    EXPECT_EQ(Bits(packed, "auto", table.isa, true), expected) << table.name();
  }
}

TEST_P(PackedTest, WordsInSixteenBitsAreTheNearestAndAllThatChanges) {
  const auto packed = Open(Pack({.source = "m"}));
  const TensorView& words = packed->weights().word_embedding;
  const TensorView& before = model_->weights().word_embedding;
  EXPECT_EQ(ElementSize(words.type), 2u);
  if (before.type == ElementType::kF32) {
    const auto count = static_cast<size_t>(before.elements());
    std::vector<float> widened(count);
    kernels::FindTable("scalar")->widen(words.data, kernels::Element::kF16, count, widened.data());
    const auto* exact = static_cast<const float*>(before.data);
    for (size_t i = 0; i < count; ++i) {
      // Half a step of ten bits, or of a subnormal.
      ASSERT_LE(std::fabs(widened[i] - exact[i]), std::max(std::fabs(exact[i]) / 2048, 0x1p-25f));
    }
  }
  const auto reference = std::make_shared<WithWordsOf>(model_, packed);
  const std::string isa = kernels::BestTable()->name;
  EXPECT_EQ(Bits(packed, "int8", isa), Bits(reference, "int8", isa));
}

TEST_P(PackedTest, LayersInFloatAreThoseOfFp32) {
  const auto packed = Open(Pack(
      {.source = "m", .embeddings = "keep", .in_float = {"layers.*.ffn", "layers.*.attention"}}));
  for (const RunnableTable& table : RunnableTables()) {
    const kernels::Table* kernels = kernels::FindTable(table.isa.c_str());
    // Attention between products in bytes is rounded in such a table.
    if (kernels->attention_short != kernels->attention || table.precision != "int8") continue;
    EXPECT_EQ(Bits(packed, "auto", table.isa), Bits(model_, "fp32", table.isa)) << table.name();
  }
}

TEST_P(PackedTest, AChangedByteOfAnySectionIsFoundAndNamed) {
  const std::string path = Pack({.source = "m", .in_float = {"layers.0.ffn"}});
  ASSERT_TRUE(VerifyPacked(path, team_).ok());
  const auto whole = ReadFile(path, size_t{1} << 30);
  const auto file = PackedFile::Open(path);
  ASSERT_TRUE(whole.ok() && file.ok());
  std::mt19937 random(6);
  for (const PackedSection& section : file->directory().sections) {
    std::string broken = *whole;
    broken[section.offset + random() % section.bytes] ^= 4;
    const std::string other = folder_.path() + "/broken.podium";
    std::ofstream(other, std::ios::binary) << broken;
    const Status status = VerifyPacked(other, team_);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << section.name;
    EXPECT_THAT(status.message(), HasSubstr(other + ": section " + section.name + ": checksum"));
  }
}

// A file with the first `kept` bytes of `path`, zeros up to `end`, and another directory.
std::string Rewritten(const std::string& path, const PackedDirectory& directory, uint64_t kept,
                      uint64_t end, const std::string& to) {
  const auto whole = ReadFile(path, size_t{1} << 30);
  std::string file = whole->substr(0, kept);
  file.resize(end);
  const std::string text = PackedDirectoryText(directory);
  const auto header = PackedHeader(kPackedVersion, end, std::as_bytes(std::span(text)));
  file.replace(0, header.size(), reinterpret_cast<const char*>(header.data()), header.size());
  std::ofstream(to, std::ios::binary) << file << text;
  return to;
}

uint64_t EndOf(const std::vector<PackedSection>& sections) {
  return (sections.back().offset + sections.back().bytes + 63) / 64 * 64;
}

TEST_P(PackedTest, ASectionThatIsMissingIsNamed) {
  const std::string path = Pack({.source = "m"});
  const auto file = PackedFile::Open(path);
  ASSERT_TRUE(file.ok());
  PackedDirectory directory = file->directory();
  const std::vector<PackedSection> all = directory.sections;
  for (size_t i = 0; i < all.size(); ++i) {
    directory.sections = all;
    directory.sections.erase(directory.sections.begin() + static_cast<std::ptrdiff_t>(i));
    const Status status = VerifyPacked(
        Rewritten(path, directory, EndOf(all), EndOf(all), folder_.path() + "/less.podium"), team_);
    EXPECT_FALSE(status.ok()) << all[i].name;
    const std::string& name = all[i].name;
    // Without its panels a layer is looked for in float; a file is asked for by its own name.
    const std::string expected = name.ends_with(".panels")   ? ".weight"
                                 : name.starts_with("file/") ? name.substr(5)
                                                             : name;
    EXPECT_THAT(status.message(), HasSubstr(expected));
  }
}

// Its two products share what is between them.
TEST_P(PackedTest, AnFfnHalfInFloatIsRefused) {
  const std::string path = Pack({.source = "m", .in_float = {"layers.0.ffn"}});
  const auto other = Open(Pack({.source = "m"}, "bytes.podium"));
  const auto file = PackedFile::Open(path);
  ASSERT_TRUE(file.ok());
  PackedDirectory directory = file->directory();
  const uint64_t kept = EndOf(directory.sections);
  uint64_t end = kept;
  for (const char* part : {".panels", ".scale", ".start", ".bias"}) {
    const std::string name = std::string("layers.0.ffn_up") + part;
    const PackedSection* bytes = other->packed()->Find(name);
    ASSERT_NE(bytes, nullptr);
    std::erase_if(directory.sections, [&](const auto& section) { return section.name == name; });
    PackedSection section = *bytes;
    section.offset = end;
    section.checksum = Fnv1a(std::vector<std::byte>(bytes->bytes));
    end += (bytes->bytes + 63) / 64 * 64;
    directory.sections.push_back(std::move(section));
  }
  const std::string mixed = Rewritten(path, directory, kept, end, folder_.path() + "/mixed.podium");
  const Status status = VerifyPacked(mixed, team_);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(),
              testing::AllOf(HasSubstr("layers.0.ffn_down"), HasSubstr("both alike")));
}

TEST_P(PackedTest, CutShortWhileInUseIsAnErrorThatNamesTheFile) {
  CatchBusErrors();
  const std::string path = Pack({.source = "m"});
  const auto engine = MakeEngine(Open(path), {.read_in_place = true}, team_);
  ASSERT_TRUE(engine.ok());
  const auto lane = (*engine)->NewLane(team_, {});
  std::vector<float> logits(cases_);
  ASSERT_TRUE((*lane)->Score(batch_.batch(), logits, Interrupt()).ok());
  // Replaced by a new file: nothing changes for who has the old one.
  Pack({.source = "m", .embeddings = "keep"});
  EXPECT_TRUE((*lane)->Score(batch_.batch(), logits, Interrupt()).ok());

  const std::string cut = Pack({.source = "m"}, "cut.podium");
  const auto second = MakeEngine(Open(cut), {}, team_);
  const auto second_lane = (*second)->NewLane(team_, {});
  std::filesystem::resize_file(cut, 4096);
  const Status status = (*second_lane)->Score(batch_.batch(), logits, Interrupt());
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr(cut));
}

TEST_P(PackedTest, WhatCannotBeSaysSo) {
  const std::string path = Pack({.source = "m"});
  const auto packed = Open(path);
  const Status fp32 = MakeEngine(packed, {.precision = "fp32"}, team_).status();
  EXPECT_EQ(fp32.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(fp32.message(), HasSubstr(path));
  EXPECT_EQ((*MakeEngine(packed, {}, team_))->info().precision, "int8");
  EXPECT_EQ((*MakeEngine(model_, {}, team_))->info().precision, "fp32");
  EXPECT_EQ(PackModel(packed, {}, team_, path).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(PackModel(model_, {.embeddings = "fp8"}, team_, path).status().message(),
              HasSubstr("fp8"));
  for (const char* name : {"layers.9.ffn", "layers.0.head", "ffn", "layers.*.ffn.", ""}) {
    EXPECT_THAT(PackModel(model_, {.in_float = {name}}, team_, path).status().message(),
                HasSubstr(Concat("got \"", name, "\"")));
  }
}

// tests/golden/packed_vN.podium was written by the first Podium that had version N, of a BERT with
// random weights: every later one reads it, to the same scores within what bytes and, with AMX,
// brain floats allow such a model.
struct OldFile {
  uint32_t version;
  double logits[2];
};

class PackedVersions : public testing::TestWithParam<OldFile> {};

TEST_P(PackedVersions, AreRead) {
  const auto model =
      OpenModel(Concat(PODIUM_SOURCE_DIR "/tests/golden/packed_v", GetParam().version, ".podium"));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->packed()->directory().version, GetParam().version);
  CaseBatch batch;
  batch.Add({.ids = {2, 6, 7, 3, 8, 9, 10, 3}, .types = {0, 0, 0, 0, 1, 1, 1, 1}});
  batch.Add({.ids = {2, 6, 7, 3, 14, 3}, .types = {0, 0, 0, 0, 1, 1}});
  Team team(1);
  for (const RunnableTable& table : RunnableTables()) {
    if (table.precision != "int8") continue;
    const auto engine = MakeEngine(*model, {.isa = table.isa}, team);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    const auto lane = (*engine)->NewLane(team, {});
    std::vector<float> logits(2);
    ASSERT_TRUE((*lane)->Score(batch.batch(), logits, Interrupt()).ok());
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(logits[i], GetParam().logits[i], table.isa == "amx" ? 0.2 : 0.02) << table.name();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PackedVersions,
                         testing::Values(OldFile{1, {-1.3662, -0.7253}},
                                         OldFile{2, {-1.8935, 1.1111}}),
                         [](const auto& file) { return Concat("v", file.param.version); });

INSTANTIATE_TEST_SUITE_P(Shapes, PackedTest, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace podium
