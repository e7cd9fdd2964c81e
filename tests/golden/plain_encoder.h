// The forward pass written slowly and obviously, in double: the truth that fast engines are
// compared with, and the place where mistakes can be planted to prove that the goldens would catch
// them.
#ifndef PODIUM_TESTS_GOLDEN_PLAIN_ENCODER_H_
#define PODIUM_TESTS_GOLDEN_PLAIN_ENCODER_H_

#include <cstddef>
#include <span>
#include <vector>

#include "engine/batch.h"
#include "model/encoder_spec.h"
#include "model/weights.h"

namespace podium::golden {

/// Each is a mistake that a reranking engine somewhere has shipped, or could.
enum class Mistake {
  kNone,
  kGeluTanh,          // the approximation in place of the exact function
  kGeluErf,           // the exact function where the approximation or ReLU is asked for
  kPositionMinusOne,  // first token in row offset − 1
  kPositionsFromTwo,  // though the padding id is not 1
  kPaddingCounted,    // the padding id inside a text takes a position as any other
  kWrongEps,          // the other family's: 1e-5 ↔ 1e-12
  kTypesZero,         // segment ids ignored
  kTypesDropped,      // type embedding not added at all
  kNeighbourVisible,  // attention over the whole batch
  kPoolerDropped,     // head's dense + tanh left out
  kPoolerNoTanh,      // head's tanh left out
  kLastTokenPooled,   // in place of the first
  kScaleMissing,      // scores not divided by √(head size)
  kScaleOfHidden,     // divided by √hidden
  kPreNorm,           // norm before the block in place of after the residual
  kResidualDropped,   // of the feed-forward block
  kBiasDropped,       // of the value projection
  kHeadsMixed,        // keys of the next head
  kLastKeyHidden,     // softmax one key short
  kFirstLabel,        // of two, in place of their difference
  kLabelsSwapped,     // label 0 taken for the relevant one
};

class PlainEncoder {
 public:
  PlainEncoder(const EncoderSpec& spec, const WeightsView& weights,
               Mistake mistake = Mistake::kNone)
      : spec_(spec), weights_(weights), mistake_(mistake) {}

  /// One logit per sequence.
  std::vector<double> Score(const Batch& batch);

  /// Standard deviation of all scaled attention scores seen so far.
  double attention_deviation() const;

 private:
  // Row-major activations.
  struct Matrix {
    Matrix(size_t row_count, size_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count) {}
    std::span<double> row(size_t i) { return {&values[i * columns], columns}; }
    std::span<const double> row(size_t i) const { return {&values[i * columns], columns}; }
    size_t rows;
    size_t columns;
    std::vector<double> values;
  };

  Matrix Embed(const Batch& batch) const;
  Matrix Linear(const Matrix& x, const LinearView& linear, bool with_bias = true) const;
  void Norm(Matrix& x, const NormView& norm) const;
  Matrix Attention(const Batch& batch, const Matrix& q, const Matrix& k, const Matrix& v);
  void Activate(Matrix& x) const;
  void Layer(const Batch& batch, const LayerView& layer, Matrix& x);

  const EncoderSpec& spec_;
  const WeightsView& weights_;
  const Mistake mistake_;
  double score_sum_ = 0;
  double score_squares_ = 0;
  double score_count_ = 0;
};

}  // namespace podium::golden

#endif  // PODIUM_TESTS_GOLDEN_PLAIN_ENCODER_H_
