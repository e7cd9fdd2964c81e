// One forward pass at a time: activations reserved once, work shared by the team.
//
// The pass of one batch of T tokens, n sequences. In bytes, a member takes whole sequences, a part
// of the batch, through all layers alone where that keeps the team busy, with q, k and v made by
// head where they are brain floats (native_lane_attend.cc). Otherwise the team shares each layer:
// everything but attention is row by row, so a block of rows goes through all of it while hot in
// L2, and a layer costs two parallel loops:
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

class InputMoments;

class NativeLane final : public Lane {
 public:
  /// `moments`, of an fp32 lane, gets what goes into the linear layers of each pass.
  static Result<std::unique_ptr<Lane>> Make(const NativeWeights& weights,
                                            const kernels::Table& table, Team& team,
                                            const LaneLimits& limits,
                                            InputMoments* moments = nullptr);

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
  // Of a part: fewer rows stay in the caches, more fill their blocks better. One block.
  static constexpr int kPartRows = kInt8BlockRows;
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
    std::span<uint8_t> ffn_bytes;  // that group after; by head, first tokens before their queries
    std::span<float> ffn_scale;    // [block rows]
    std::span<float> rotated;      // a row on its way to bytes
    std::span<int32_t> sums;       // kernels::kInt8Scratch
    // Of a part by head:
    std::span<float> residual;        // [kPartRows, hidden] as part_residual_
    std::span<uint16_t> attended;     // [kPartRows, attended_row_]: halves
    std::span<uint16_t> head_shorts;  // [kPartRows, head_row_]: queries, keys, values
  };
  // The rows a layer's second half works on, and where its queries lie: all tokens, or first tokens
  // only.
  struct RowSet {
    kernels::FloatRows residual;
    float* query;         // [rows, row_]: q unless it is short, then attention output
    uint16_t* attended;   // if short_: attention output as halves,
    size_t attended_row;  // and elements between its rows
  };
  // The sequences [first, last) of a batch and who computes them: one member all layers of them,
  // whose rows then stay in its caches, or, without one, the whole team layer by layer.
  struct Part {
    int first;
    int last;
    Member* member;
    bool by_head;  // in the member's own memory
    int base;      // the token of row 0
    RowSet rows;
  };

  NativeLane(const NativeWeights& weights, const kernels::Table& table, Team& team,
             const LaneLimits& limits, InputMoments* moments)
      : weights_(weights),
        spec_(weights.spec()),
        table_(table),
        team_(team),
        limits_(limits),
        moments_(moments),
        row_(kernels::RowStride(spec_.hidden)),
        key_value_row_(kernels::RowStride(2 * spec_.hidden)),
        short_row_((static_cast<size_t>(spec_.hidden) * 3 + 63) / 32 * 32),
        ffn_row_(kernels::RowStride(spec_.ffn)),
        in_bytes_(weights.in_bytes()),
        short_(weights.in_bytes() && table.short_element == kernels::Element::kBF16 &&
               std::all_of(weights.layers.begin(), weights.layers.end(),
                           [](const PackedLayer& layer) {
                             return layer.query.in_bytes() && layer.key.in_bytes() &&
                                    layer.value.in_bytes() && layer.attention_output.in_bytes();
                           })),
        head_columns_(short_ ? HeadColumns(spec_) : 0),
        head_row_(static_cast<size_t>(head_columns_) * 3),
        attended_row_((static_cast<size_t>(spec_.hidden) + 31) / 32 * 32 + 32),
        part_residual_(weights.ffn_in_bytes()
                           ? kernels::FloatRows{nullptr, kernels::kInt8Block,
                                                size_t{kPartRows} * kernels::kInt8Block + 160}
                           : kernels::FloatRows{nullptr, row_}) {}

  // Columns of the heads whose q, k and v are made at once: whole heads in whole panels, two panels
  // at least. 0 where there is no such number that the hidden size is a multiple of.
  static int HeadColumns(const EncoderSpec& spec);

  // Row r of a part is the token part.base + r.
  Part MakePart(const Batch& batch, int first, int last, Member* member) const;
  void EmbedRows(const Batch& batch, const Part& part, int begin, int end);
  void ProjectRows(int layer, int begin, int end, Member& member);
  void ScorePart(const Batch& batch, const Part& part, const Interrupt& interrupt);
  void ProjectFirstTokens(const Batch& batch, const Part& part);
  void Attend(const Batch& batch, const Part& part, const RowSet& set, bool first_tokens_only);
  void AttendHead(const Batch& batch, int sequence, int head, const RowSet& set,
                  bool first_tokens_only, Member& member);
  // q, k, v of member.bytes and attention, some heads at a time.
  void AttendByHead(const Batch& batch, const Part& part, int layer, const RowSet& set,
                    bool first_tokens_only);
  void FinishRows(int layer, const RowSet& set, int begin, int end, Member& member);
  void Head(std::span<float> logits);
  void Norm(const PackedNorm& norm, kernels::FloatRows rows, int count);
  // Rows [first, first + count) of a block, hidden wide → member.bytes and member.scale; nothing to
  // do in fp32.
  void Quantize(kernels::FloatRows rows, int first, int count, Member& member);
  // Halves → blocks and scales of the member's.
  void QuantizeHalves(const uint16_t* rows, size_t stride, int count, int width,
                      std::span<uint8_t> bytes, std::span<float> scale, Member& member);
  void NormAndQuantize(const PackedNorm& norm, kernels::FloatRows rows, int count, Member& member);
  // c = a · linear + bias, + residual (laid out as c) where there is one. In bytes, `a` is what
  // member.bytes was made of, and `next` the weights that are needed next, or null.
  void Multiply(const PackedLinear& linear, const float* a, size_t a_stride, int rows,
                kernels::FloatRows c, Member& member, kernels::Activate activate,
                const float* residual, const void* next = nullptr);
  // The same of outputs [first, first + count) of a linear in bytes, to brain floats: c up to the
  // next multiple of 32 columns.
  void MultiplyShort(const PackedLinear& linear, int first, int count, int rows, uint16_t* c,
                     size_t c_stride, Member& member, const void* next);
  // x is row `begin` of the part.
  void FeedForwardFloat(int layer, float* x, int begin, int rows, Member& member);
  void FeedForwardInt8(int layer, kernels::FloatRows x, int rows, Member& member);
  // Runs body(begin, end, member) over blocks of [first, last).
  void ForRowBlocks(const Part& part, int first, int last,
                    FunctionRef<void(int, int, Member&)> body);

  const NativeWeights& weights_;
  const EncoderSpec& spec_;
  const kernels::Table& table_;
  Team& team_;
  LaneLimits limits_;
  InputMoments* const moments_;  // null but for a lane that measures
  const size_t row_;             // elements between rows hidden wide
  const size_t key_value_row_;   // … 2 · hidden wide
  const size_t short_row_;       // … 3 · hidden wide and up to 31 that a product writes past it
  const size_t ffn_row_;         // … ffn wide
  const bool in_bytes_;          // int8 linear layers
  const bool short_;             // q, k and v are brain floats, and attention output halves
  const int head_columns_;       // 0: no part is by head
  const size_t head_row_;        // elements between rows of a part's q, k and v
  const size_t attended_row_;    // … of its attention output
  // How a part's residual lies in its member's memory: in panels where all that reads it can. No
  // data. Panels start ten lines further than a multiple of 4 KiB: a row's pieces then fall into 32
  // sets of L1 and not into one.
  const kernels::FloatRows part_residual_;

  Arena arena_;
  std::span<float> residual_;         // [tokens, hidden]
  std::span<float> query_;            // [tokens, row_]; unless short_
  std::span<uint16_t> attended_;      // [tokens, attended_row_]; if short_
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
