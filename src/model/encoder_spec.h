// The architecture as data: what the forward pass needs to know, parsed once from a model's config.
//
// model/ is a model at rest: spec, tensors, weights by role, where models are found. It may include
// json/ and base/. Pure but for reading files; starts no thread.
#ifndef PODIUM_MODEL_ENCODER_SPEC_H_
#define PODIUM_MODEL_ENCODER_SPEC_H_

#include <string>

#include "podium/types.h"

namespace podium {

enum class NormPlace { kPost, kPre };
enum class PositionKind { kLearned, kRotary };
enum class Activation { kGeluErf, kGeluTanh, kRelu, kSilu };
enum class MlpKind { kPlain, kGated };
enum class MaskKind { kFull, kWindow, kCausal };
enum class HeadKind {
  kDenseTanhProject,   // roberta: classifier.dense → tanh → classifier.out_proj, on the first token
  kPoolerTanhProject,  // bert: pooler.dense → tanh → classifier, on the first token
};
enum class Pooling { kFirst, kMean };

/// Everything that changes the maths. A model that asks for a value the native engine lacks is
/// refused by name.
struct EncoderSpec {
  std::string architecture;  // "XLMRobertaForSequenceClassification"
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int ffn = 0;
  int vocabulary = 0;
  int token_types = 0;  // rows of the type table; 0 when there is none
  int positions = 0;    // rows of the position table
  int position_offset =
      0;  // row of a sequence's first token: pad_token_id + 1 for roberta, 0 for bert
  /// The id that roberta's positions count from; -1 where they do not.
  int padding_id() const { return position_offset - 1; }
  NormPlace norm_place = NormPlace::kPost;
  float norm_eps = 1e-12f;
  PositionKind position_kind = PositionKind::kLearned;
  Activation activation = Activation::kGeluErf;
  MlpKind mlp = MlpKind::kPlain;
  MaskKind mask = MaskKind::kFull;
  HeadKind head = HeadKind::kDenseTanhProject;
  Pooling pooling = Pooling::kFirst;
  /// 1: the head's output is the logit. 2: the logit is output 1 (relevant) less output 0, whose
  /// sigmoid is the softmax's probability of label 1.
  int labels = 1;
  /// How the model's own files show the logit. No part of the forward pass.
  ScoreScale score_scale = ScoreScale::kSigmoid;

  int head_size() const { return hidden / heads; }
  /// Tokens of a pair the position table allows, special tokens included.
  int length_max() const { return positions - position_offset; }
};

}  // namespace podium

#endif  // PODIUM_MODEL_ENCODER_SPEC_H_
