#include "tests/golden/golden_file.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string_view>

#include "json/json.h"

namespace podium::golden {
namespace {

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << what << "\n";
  std::abort();
}

template <typename T>
T Need(std::optional<T> value, const std::string& where, std::string_view key) {
  if (!value) Fail(where + ": no usable \"" + std::string(key) + "\"");
  return *value;
}

json::Document ParseOrFail(const std::string& text, const std::string& where) {
  auto document = json::Document::Parse(text, where);
  if (!document.ok()) Fail(document.status().ToString());
  return std::move(document).value();
}

int IntOf(json::Value object, const char* key, const std::string& where) {
  return static_cast<int>(Need(Need(object.Find(key), where, key).AsInt(), where, key));
}

std::string StringOf(json::Value object, const char* key, const std::string& where) {
  return std::string(Need(Need(object.Find(key), where, key).AsString(), where, key));
}

GoldenCase CaseOf(json::Value object, const char* ids_key, const char* logit_key,
                  const std::string& where) {
  GoldenCase one;
  Need(object.Find(ids_key), where, ids_key).ForEachElement([&](json::Value id) {
    one.ids.push_back(static_cast<int32_t>(Need(id.AsInt(), where, ids_key)));
    return true;
  });
  if (const auto types = object.Find("types")) {
    types->ForEachElement([&](json::Value type) {
      one.types.push_back(static_cast<uint8_t>(Need(type.AsInt(), where, "types")));
      return true;
    });
  }
  one.logit = Need(Need(object.Find(logit_key), where, logit_key).AsDouble(), where, logit_key);
  return one;
}

}  // namespace

Golden ReadGolden(const std::string& name) {
  const std::string path = std::string(PODIUM_SOURCE_DIR "/tests/golden/") + name + ".json";
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const json::Document document = ParseOrFail(text.str(), path);
  const json::Value root = document.root();
  const json::Value recipe = Need(root.Find("recipe"), path, "recipe");

  Golden golden;
  golden.name = name;
  golden.recipe = {
      .kind = StringOf(recipe, "kind", path),
      .layers = IntOf(recipe, "layers", path),
      .hidden = IntOf(recipe, "hidden", path),
      .heads = IntOf(recipe, "heads", path),
      .ffn = IntOf(recipe, "ffn", path),
      .vocabulary = IntOf(recipe, "vocabulary", path),
      .positions = IntOf(recipe, "positions", path),
      .token_types = IntOf(recipe, "token_types", path),
      .eps = Need(Need(recipe.Find("eps"), path, "eps").AsDouble(), path, "eps"),
      .seed = static_cast<uint64_t>(IntOf(recipe, "seed", path)),
      .storage = StringOf(recipe, "storage", path),
      .activation = StringOf(recipe, "activation", path),
      .labels = IntOf(recipe, "labels", path),
      .padding = IntOf(recipe, "padding", path),
  };
  golden.fingerprint = std::stoull(StringOf(recipe, "fingerprint", path), nullptr, 16);
  Need(root.Find("cases"), path, "cases").ForEachElement([&](json::Value one) {
    golden.cases.push_back(CaseOf(one, "ids", "logit", path));
    return true;
  });
  if (golden.cases.empty()) Fail(path + ": no cases");
  return golden;
}

std::vector<GoldenCase> ReadReference(const std::string& path) {
  std::vector<GoldenCase> cases;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const json::Document document = ParseOrFail(line, path);
    cases.push_back(CaseOf(document.root(), "input_ids", "logit_fp32", path));
  }
  if (cases.empty()) Fail(path + ": no cases");
  return cases;
}

void CaseBatch::Add(const GoldenCase& one) {
  ids_.insert(ids_.end(), one.ids.begin(), one.ids.end());
  types_.insert(types_.end(), one.types.begin(), one.types.end());
  starts_.push_back(static_cast<int32_t>(ids_.size()));
}

}  // namespace podium::golden
