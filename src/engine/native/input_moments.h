// Σ x·xᵀ of what goes into each linear layer, measured on real pairs in fp32, and how weights are
// then rounded to bytes: not each to the nearest, but so that the errors of an output's weights
// make up for each other on inputs like these.
//
// For weights w, bytes q and inputs X (a token a row) the error is |X(w − q)|² = |R(w − q)|² with
// XᵀX = RᵀR, R upper triangular. Rounded from the last column to the first, column i takes
// Σ_{j>i} R_ij/R_ii (w_j − q_j) of the columns behind it (Babai's nearest plane; GPTQ,
// arXiv:2210.17323, is the same in the other direction, arXiv:2507.18553).
#ifndef PODIUM_ENGINE_NATIVE_INPUT_MOMENTS_H_
#define PODIUM_ENGINE_NATIVE_INPUT_MOMENTS_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/team.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "kernels/kernels.h"
#include "model/encoder_spec.h"
#include "model/model.h"

namespace podium {

/// What goes into linear layers of the same kind.
enum class LinearInput { kAttention, kAttentionOutput, kFfnUp, kFfnDown };

class InputMoments {
 public:
  InputMoments(const EncoderSpec& spec, const kernels::Table& table);

  /// The next batch: its rows are added from 0 on.
  void StartBatch();

  /// Adds rows [first, first + rows) of a batch, `stride` elements apart, from any thread. In their
  /// order, so that sums have the same bits in every run: waits for the rows before.
  void Add(int layer, LinearInput input, const float* x, size_t stride, int first, int rows);

  /// After all were added: makes of the sums what feedback() returns, on the team's cores.
  void Factorize(Team& team);

  /// PackInt8Panel's, of a layer by its name in a packed file ("layers.3.query"): after Factorize.
  const float* feedback(std::string_view linear) const;

 private:
  struct Site {
    int width = 0;
    int group_columns = 0;
    std::vector<float> blocks;  // sums, then feedback: [width of a block]² each
    std::mutex mutex;
    std::condition_variable added;
    int rows = 0;  // of the batch, that are in the sums
  };

  const kernels::Table& table_;
  std::vector<std::unique_ptr<Site>> sites_;  // four a layer
};

/// Runs the batches in fp32. `logits` gets one for each of their sequences.
Result<std::shared_ptr<const InputMoments>> MeasureInputs(const std::shared_ptr<const Model>& model,
                                                          std::span<const Batch> batches,
                                                          const LaneLimits& limits, Team& team,
                                                          const Interrupt& interrupt,
                                                          std::vector<float>& logits);

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_INPUT_MOMENTS_H_
