// Checkpoints that nobody stores: every weight is a pure function of (seed, tensor name, element
// index), computed here and, equal to the bit, by tools/export_goldens.py.
//
// tests/golden/ proves that our logits equal transformers': the recipes, ids and logits are in
// *.json, the checkpoints are made here as Hugging Face folders and read by the product's own
// loader. plain_encoder is the slow, obvious forward pass that other tests compare with.
#ifndef PODIUM_TESTS_GOLDEN_SYNTHETIC_MODEL_H_
#define PODIUM_TESTS_GOLDEN_SYNTHETIC_MODEL_H_

#include <cstdint>
#include <string>

#include "tests/support/temp_folder.h"

namespace podium::golden {

struct Recipe {
  std::string kind = "xlm-roberta";  // or "roberta", "camembert", "bert"
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int ffn = 0;
  int vocabulary = 0;
  int positions = 0;
  int token_types = 1;
  double eps = 1e-5;
  uint64_t seed = 0;
  std::string storage = "F32";  // "F16" and "BF16": rounded to nearest even
  std::string activation = "gelu";
  int labels = 1;
  int padding = 1;  // id; positions of all kinds but "bert" count from it
};

/// config.json and model.safetensors (or `shards` files and their index) in a temporary folder that
/// lives as long as this.
class SyntheticModel {
 public:
  explicit SyntheticModel(const Recipe& recipe, int shards = 1);

  const std::string& folder() const { return folder_.path(); }
  /// Wrapping sum of all weights' fp32 bit patterns (after rounding to the storage type).
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  testing_support::TempFolder folder_;
  uint64_t fingerprint_ = 0;
};

}  // namespace podium::golden

#endif  // PODIUM_TESTS_GOLDEN_SYNTHETIC_MODEL_H_
