#include "tests/golden/synthetic_model.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/concat.h"
#include "json/writer.h"
#include "tests/support/safetensors_writer.h"

namespace podium::golden {
namespace {

using testing_support::SafetensorsWriter;
using testing_support::TensorEntry;

constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;

// The table of tools/export_goldens.py: the first ending that fits a tensor's name counts.
struct Role {
  const char* ending;
  double scale;
  enum { kNone, kHidden, kFfn } fan_in;
  float offset;
};
constexpr Role kRoles[] = {
    {"embeddings.weight", 0.02, Role::kNone, 0.0f},
    {"LayerNorm.weight", 0.75, Role::kNone, 1.25f},
    {"LayerNorm.bias", 0.5, Role::kNone, 0.0f},
    {"self.query.weight", 2.2, Role::kHidden, 0.0f},
    {"self.key.weight", 2.2, Role::kHidden, 0.0f},
    {"self.value.weight", 1.3, Role::kHidden, 0.0f},
    {"attention.output.dense.weight", 1.7, Role::kHidden, 0.0f},
    {"intermediate.dense.weight", 1.9, Role::kHidden, 0.0f},
    {"output.dense.weight", 1.7, Role::kFfn, 0.0f},
    {"classifier.dense.weight", 1.3, Role::kHidden, 0.0f},
    {"pooler.dense.weight", 1.3, Role::kHidden, 0.0f},
    {"classifier.out_proj.weight", 16.0, Role::kHidden, 0.0f},
    {"classifier.weight", 16.0, Role::kHidden, 0.0f},
    {".bias", 0.4, Role::kNone, 0.0f},
};

const Role& RoleOf(const std::string& name) {
  for (const Role& role : kRoles) {
    if (name.ends_with(role.ending)) return role;
  }
  PODIUM_CHECK(false);
}

uint64_t KeyOf(uint64_t seed, const std::string& name) {
  uint64_t key = 0xCBF29CE484222325;  // FNV-1a
  for (const char byte : name) key = (key ^ static_cast<uint8_t>(byte)) * 0x100000001B3;
  return key ^ (seed * kGoldenGamma);
}

// [-1, 1) from the top 24 bits of splitmix64's `index`-th output: exact in fp32.
float Uniform(uint64_t key, uint64_t index) {
  uint64_t z = key + (index + 1) * kGoldenGamma;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  z ^= z >> 31;
  return static_cast<float>(static_cast<int32_t>(z >> 40) - (1 << 23)) * 0x1p-23f;
}

uint16_t ToBF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// For finite values below 65,504, which all of ours are; to nearest even.
uint16_t ToF16(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::fabs(value);
  if (magnitude <
      0x1p-14f) {  // subnormal: a multiple of 2⁻²⁴; 1024 of them carry into the exponent
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  }
  uint32_t bits = std::bit_cast<uint32_t>(magnitude) - (uint32_t{112} << 23);
  bits += 0xFFF + ((bits >> 13) & 1);
  return static_cast<uint16_t>(sign | (bits >> 13));
}

float FromF16(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -24)
                              : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

std::vector<TensorEntry> TensorsOf(const Recipe& recipe) {
  std::vector<TensorEntry> tensors;
  const auto add = [&](std::string name, std::vector<int64_t> shape) {
    tensors.push_back({std::move(name), recipe.storage, std::move(shape)});
  };
  const int64_t hidden = recipe.hidden;
  const auto add_linear = [&](const std::string& name, int64_t outputs, int64_t inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  };
  const auto add_norm = [&](const std::string& name) {
    add(name + ".weight", {hidden});
    add(name + ".bias", {hidden});
  };
  const bool bert = recipe.kind == "bert";
  const std::string root = bert ? "bert." : "roberta.";
  add(root + "embeddings.word_embeddings.weight", {recipe.vocabulary, hidden});
  add(root + "embeddings.position_embeddings.weight", {recipe.positions, hidden});
  add(root + "embeddings.token_type_embeddings.weight", {recipe.token_types, hidden});
  add_norm(root + "embeddings.LayerNorm");
  for (int i = 0; i < recipe.layers; ++i) {
    const std::string layer = Concat(root, "encoder.layer.", i, ".");
    add_linear(layer + "attention.self.query", hidden, hidden);
    add_linear(layer + "attention.self.key", hidden, hidden);
    add_linear(layer + "attention.self.value", hidden, hidden);
    add_linear(layer + "attention.output.dense", hidden, hidden);
    add_norm(layer + "attention.output.LayerNorm");
    add_linear(layer + "intermediate.dense", recipe.ffn, hidden);
    add_linear(layer + "output.dense", hidden, recipe.ffn);
    add_norm(layer + "output.LayerNorm");
  }
  add_linear(bert ? root + "pooler.dense" : "classifier.dense", hidden, hidden);
  add_linear(bert ? "classifier" : "classifier.out_proj", recipe.labels, hidden);
  return tensors;
}

std::string ArchitectureOf(const std::string& kind) {
  for (const auto& [of, name] :
       {std::pair("bert", "Bert"), std::pair("roberta", "Roberta"),
        std::pair("camembert", "Camembert"), std::pair("xlm-roberta", "XLMRoberta")}) {
    if (kind == of) return Concat(name, "ForSequenceClassification");
  }
  PODIUM_CHECK(false);
}

std::string ConfigText(const Recipe& recipe) {
  std::string text;
  json::Writer writer(text);
  const auto write_int = [&](const char* key, int value) {
    writer.Key(key);
    writer.Int(value);
  };
  writer.BeginObject();
  writer.Key("architectures");
  writer.BeginArray();
  writer.String(ArchitectureOf(recipe.kind));
  writer.EndArray();
  writer.Key("model_type");
  writer.String(recipe.kind);
  write_int("vocab_size", recipe.vocabulary);
  write_int("num_hidden_layers", recipe.layers);
  write_int("hidden_size", recipe.hidden);
  write_int("num_attention_heads", recipe.heads);
  write_int("intermediate_size", recipe.ffn);
  write_int("max_position_embeddings", recipe.positions);
  write_int("type_vocab_size", recipe.token_types);
  write_int("pad_token_id", recipe.padding);
  writer.Key("layer_norm_eps");
  writer.Double(recipe.eps);
  writer.Key("hidden_act");
  writer.String(recipe.activation);
  writer.Key("position_embedding_type");
  writer.String("absolute");
  writer.Key("id2label");
  writer.BeginObject();
  for (int label = 0; label < recipe.labels; ++label) {
    writer.Key(Concat(label));
    writer.String(Concat("LABEL_", label));
  }
  writer.EndObject();
  writer.EndObject();
  return text;
}

// One tensor's bytes as the file holds them; adds to the fingerprint.
std::vector<std::byte> MakeTensor(const Recipe& recipe, const TensorEntry& tensor,
                                  uint64_t& fingerprint) {
  const Role& role = RoleOf(tensor.name);
  const int fan_in = role.fan_in == Role::kHidden ? recipe.hidden : recipe.ffn;
  const auto scale = static_cast<float>(
      role.fan_in == Role::kNone ? role.scale : role.scale / std::sqrt(double{1} * fan_in));
  const uint64_t key = KeyOf(recipe.seed, tensor.name);
  const auto count = static_cast<size_t>(tensor.elements());
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.bytes()));
  uint64_t sum = 0;
  const auto fill = [&]<typename Stored>(Stored* out, auto store, auto widen) {
    for (size_t i = 0; i < count; ++i) {
      out[i] = store(Uniform(key, i) * scale + role.offset);
      sum += std::bit_cast<uint32_t>(widen(out[i]));
    }
  };
  if (tensor.dtype == "F32") {
    const auto same = [](float value) { return value; };
    fill(reinterpret_cast<float*>(bytes.data()), same, same);
  } else if (tensor.dtype == "F16") {
    fill(reinterpret_cast<uint16_t*>(bytes.data()), ToF16, FromF16);
  } else {
    fill(reinterpret_cast<uint16_t*>(bytes.data()), ToBF16,
         [](uint16_t value) { return std::bit_cast<float>(uint32_t{value} << 16); });
  }
  fingerprint += sum;
  return bytes;
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  PODIUM_CHECK(!file.fail());
}

}  // namespace

SyntheticModel::SyntheticModel(const Recipe& recipe, int shards) {
  const std::vector<TensorEntry> tensors = TensorsOf(recipe);
  WriteText(folder() + "/config.json", ConfigText(recipe));

  std::string index;
  json::Writer index_writer(index);
  index_writer.BeginObject();
  index_writer.Key("weight_map");
  index_writer.BeginObject();
  const size_t per_shard =
      (tensors.size() + static_cast<size_t>(shards) - 1) / static_cast<size_t>(shards);
  for (int shard = 0; shard < shards; ++shard) {
    char name[64];
    std::snprintf(name, sizeof name, "model-%05d-of-%05d.safetensors", shard + 1, shards);
    if (shards == 1) std::snprintf(name, sizeof name, "model.safetensors");
    const size_t begin = static_cast<size_t>(shard) * per_shard;
    const size_t end = std::min(begin + per_shard, tensors.size());
    const std::vector<TensorEntry> own(tensors.begin() + static_cast<std::ptrdiff_t>(begin),
                                       tensors.begin() + static_cast<std::ptrdiff_t>(end));
    SafetensorsWriter writer(Concat(folder(), "/", name), own);
    for (const TensorEntry& tensor : own) {
      const std::vector<std::byte> bytes = MakeTensor(recipe, tensor, fingerprint_);
      writer.Append(bytes.data(), bytes.size());
      index_writer.Key(tensor.name);
      index_writer.String(name);
    }
    PODIUM_CHECK(writer.Finish());
  }
  index_writer.EndObject();
  index_writer.EndObject();
  if (shards > 1) WriteText(folder() + "/model.safetensors.index.json", index);
}

}  // namespace podium::golden
