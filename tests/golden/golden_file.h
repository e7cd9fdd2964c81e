// What tools/export_goldens.py wrote: a checkpoint's recipe, sequences, and transformers' logits.
#ifndef PODIUM_TESTS_GOLDEN_GOLDEN_FILE_H_
#define PODIUM_TESTS_GOLDEN_GOLDEN_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/batch.h"
#include "tests/golden/synthetic_model.h"

namespace podium::golden {

struct GoldenCase {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;  // empty when the model has one type only
  double logit = 0;            // float64
};

struct Golden {
  std::string name;
  Recipe recipe;
  uint64_t fingerprint = 0;
  std::vector<GoldenCase> cases;
};

/// Those that every run checks; large_full is for hand runs.
inline constexpr const char* kGoldenNames[] = {
    "tiny",    "tiny_f16",     "tiny_bf16",      "tiny_bert",     "tiny_pad", "tiny_long",
    "roberta", "roberta_fast", "camembert_relu", "camembert_two", "bert_new", "bert_tanh_two",
    "base",    "base_f16",     "v2_m3",          "minilm",        "mini"};

/// tests/golden/NAME.json. A file that cannot be read ends the program: the tests have no input.
Golden ReadGolden(const std::string& name);

/// The bundled model's reference.jsonl, in the same words.
std::vector<GoldenCase> ReadReference(const std::string& path);

/// Sequences laid end to end, as an engine gets them.
class CaseBatch {
 public:
  void Add(const GoldenCase& one);
  Batch batch() const { return {.ids = ids_, .types = types_, .starts = starts_, .queries = {}}; }

 private:
  std::vector<int32_t> ids_;
  std::vector<uint8_t> types_;
  std::vector<int32_t> starts_ = {0};
};

}  // namespace podium::golden

#endif  // PODIUM_TESTS_GOLDEN_GOLDEN_FILE_H_
