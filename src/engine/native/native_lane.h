// One forward pass at a time: activations reserved once, work shared by the team.
//
// The pass of one batch of T tokens, n sequences. Everything but attention is row by row, so a
// block of rows goes through all of it while hot in L2, and a layer costs two parallel loops:
//
//   rows       embedding → norm ─────────────────────────────────┐→ q, k, v of layer 0
//   (seq,head) attention                                         │
//   rows       output product + residual → norm → up, GELU, down + residual → norm → q, k, v of the
//   next layer … The last layer: k and v for all rows; q, attention and the rest for first tokens
//   only, n rows. Then the head.
#ifndef PODIUM_ENGINE_NATIVE_NATIVE_LANE_H_
#define PODIUM_ENGINE_NATIVE_NATIVE_LANE_H_

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/team.h"
#include "engine/engine.h"
#include "engine/native/native_weights.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"

namespace podium {

class NativeLane final : public Lane {
 public:
  static Result<std::unique_ptr<Lane>> Make(const NativeWeights& weights,
                                            const kernels::Table& table, Team& team,
                                            const LaneLimits& limits);

  Status Score(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) override;
  const LaneLimits& limits() const override { return limits_; }
  size_t arena_bytes() const override { return arena_.used(); }

 private:
  // Rows of a block at most. Larger blocks stream the weights fewer times, smaller ones keep [rows,
  // ffn] in L2; a multiple of every table's tile. 192 rows × 3072 × 4 B = 2.3 MiB for base.
  static constexpr int kBlockRows = 192;
  // In bytes: twice as many rows read the weights half as often, which counts for more than that
  // [rows, 1024] as activations, halves and bytes outgrow L2.
  static constexpr int kInt8BlockRows = 512;
  // Halves between rows of an FFN group; a row of 2 KiB and one cache line.
  static constexpr size_t kHalfRow = kernels::kInt8GroupMax + 32;

  // What one team member needs beside the shared activations.
  struct Member {
    std::span<float> ffn;      // [block rows, ffn_row_]; of fp32
    std::span<float> scratch;  // of the kernels
    std::span<uint8_t> bytes;  // int8: activation blocks of a block's rows, hidden wide
    std::span<float> scale;    // [block rows]
    std::span<uint16_t>
        halves;  // [block rows, kInt8GroupMax + pad]: a group of the FFN before bytes
    std::span<uint8_t> ffn_bytes;  // that group after
    std::span<float> ffn_scale;    // [block rows]
    std::span<int32_t> sums;       // kernels::kInt8Scratch
  };
  // The sequences [first, last) of a batch and who computes them: one member all layers of them,
  // whose rows then stay in its caches, or, without one, the whole team layer by layer.
  struct Part {
    int first;
    int last;
    Member* member;
  };
  // The rows a layer's second half works on, and where its queries lie: all tokens, or first tokens
  // only.
  struct RowSet {
    float* residual;  // [rows, row_]
    float* query;     // [rows, row_]: q unless it is short, then attention output
  };

  NativeLane(const NativeWeights& weights, const kernels::Table& table, Team& team,
             const LaneLimits& limits)
      : weights_(weights),
        spec_(weights.spec()),
        table_(table),
        team_(team),
        limits_(limits),
        row_(kernels::RowStride(spec_.hidden)),
        key_value_row_(kernels::RowStride(2 * spec_.hidden)),
        short_row_((static_cast<size_t>(spec_.hidden) * 3 + 63) / 32 * 32),
        ffn_row_(kernels::RowStride(spec_.ffn)),
        in_bytes_(weights.in_bytes()),
        short_(weights.in_bytes() && table.short_element == kernels::Element::kBF16 &&
               std::all_of(weights.layers.begin(), weights.layers.end(),
                           [](const PackedLayer& layer) { return layer.query.in_bytes(); })) {}

  void EmbedRows(const Batch& batch, int begin, int end);
  void ProjectRows(int layer, int begin, int end, Member& member);
  void ScorePart(const Batch& batch, const Part& part, const Interrupt& interrupt);
  void ProjectFirstTokens(const Batch& batch, const Part& part);
  void Attend(const Batch& batch, const Part& part, const RowSet& set, bool first_tokens_only);
  void AttendHead(const Batch& batch, int sequence, int head, const RowSet& set,
                  bool first_tokens_only, Member& member);
  void FinishRows(int layer, const RowSet& set, int begin, int end, Member& member);
  void Head(std::span<float> logits);
  void Norm(const PackedNorm& norm, float* rows, int count);
  // Rows [first, first + count) of a block, hidden wide → member.bytes and member.scale; nothing to
  // do in fp32.
  void Quantize(const float* rows, int first, int count, std::span<const float> columns,
                Member& member);
  void NormAndQuantize(const PackedNorm& norm, float* rows, int count,
                       std::span<const float> columns, Member& member);
  // c = a · linear + bias, + residual (c's stride) where there is one. In bytes, `a` is what
  // member.bytes was made of.
  void Multiply(const PackedLinear& linear, const float* a, size_t a_stride, int rows, float* c,
                size_t c_stride, Member& member, kernels::Activate activate, const float* residual);
  // The same of a linear in bytes, to brain floats: c up to the next multiple of 32 columns.
  void MultiplyShort(const PackedLinear& linear, int rows, uint16_t* c, Member& member);
  void FeedForwardFloat(const PackedLayer& weights, float* x, int rows, Member& member);
  void FeedForwardInt8(const PackedLayer& weights, float* x, int rows, Member& member);
  // Runs body(begin, end, member) over blocks of [first, last).
  void ForRowBlocks(const Part& part, int first, int last,
                    FunctionRef<void(int, int, Member&)> body);

  const NativeWeights& weights_;
  const EncoderSpec& spec_;
  const kernels::Table& table_;
  Team& team_;
  LaneLimits limits_;
  const size_t row_;            // elements between rows hidden wide
  const size_t key_value_row_;  // … 2 · hidden wide
  const size_t short_row_;      // … 3 · hidden wide and up to 31 that a product writes past it
  const size_t ffn_row_;        // … ffn wide
  const bool in_bytes_;         // int8 linear layers
  const bool short_;            // q, k and v are brain floats

  Arena arena_;
  std::span<float> residual_;         // [tokens, hidden]
  std::span<float> query_;            // [tokens, hidden]
  std::span<float> key_value_;        // [tokens, key_value_row_]: a token's keys, then its values
  std::span<uint16_t> shorts_;        // [tokens, short_row_]: queries, keys, values; if short_
  std::span<uint16_t> first_shorts_;  // [sequences, short_row_]: queries
  std::span<float> first_residual_;   // [sequences, row_]
  std::span<float> first_query_;      // [sequences, row_]
  std::span<int32_t> position_;       // [tokens] row of the position table
  std::span<int32_t> order_;          // [sequences] longest first
  std::span<int32_t> parts_;          // [sequences + 1] PlanParts
  std::vector<Member> members_;
};

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_NATIVE_LANE_H_
