// The first half of a layer: queries, keys and values, and attention.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/native/input_moments.h"
#include "engine/native/native_lane.h"
#include "kernels/layout.h"

namespace podium {
namespace {

const int8_t* PanelOf(const PackedLinear& linear, int column) {
  return Int8Outputs(linear, column, 0).w;
}

}  // namespace

int NativeLane::HeadColumns(const EncoderSpec& spec) {
  const int unit = std::lcm(spec.head_size(), kernels::kInt8Block);
  const int columns = unit < 2 * kernels::kInt8Block ? 2 * unit : unit;
  return columns > 0 && spec.hidden % columns == 0 ? columns : 0;
}

// Keys and values of rows [begin, end), and their queries unless this is the last layer, which
// needs those of first tokens only.
void NativeLane::ProjectRows(int layer, int begin, int end, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  const bool last = layer + 1 == spec_.layers;
  if (short_) {
    // In this order: what a product writes past its columns is written anew by the next.
    uint16_t* queries = &shorts_[static_cast<size_t>(begin) * short_row_];
    const auto multiply = [&](const PackedLinear& linear, uint16_t* c) {
      MultiplyShort(linear, 0, spec_.hidden, end - begin, c, short_row_, member, nullptr);
    };
    if (!last) multiply(weights.query, queries);
    multiply(weights.key, queries + spec_.hidden);
    multiply(weights.value, queries + size_t{2} * spec_.hidden);
    return;
  }
  const float* x = &residual_[static_cast<size_t>(begin) * row_];
  if (moments_ != nullptr)
    moments_->Add(layer, LinearInput::kAttention, x, row_, begin, end - begin);
  float* keys = &key_value_[static_cast<size_t>(begin) * key_value_row_];
  Multiply(weights.key, x, row_, end - begin, {keys, key_value_row_}, member,
           kernels::Activate::kNone, nullptr);
  Multiply(weights.value, x, row_, end - begin, {keys + spec_.hidden, key_value_row_}, member,
           kernels::Activate::kNone, nullptr);
  if (last) return;
  Multiply(weights.query, x, row_, end - begin, {&query_[static_cast<size_t>(begin) * row_], row_},
           member, kernels::Activate::kNone, nullptr);
}

void NativeLane::ProjectFirstTokens(const Batch& batch, const Part& part) {
  for (int i = part.first; i < part.last; ++i) {
    const kernels::FloatRows from = part.rows.residual.From(batch.starts[i] - part.base);
    float* const to = &first_residual_[static_cast<size_t>(i) * row_];
    for (int column = 0; column < spec_.hidden; column += kernels::kInt8Block) {
      const int count = std::min(kernels::kInt8Block, spec_.hidden - column);
      std::copy_n(from.data + static_cast<size_t>(column / kernels::kInt8Block) * from.panel, count,
                  to + column);
    }
  }
  ForRowBlocks(part, part.first, part.last, [&](int begin, int end, Member& own) {
    Member member = own;
    if (part.by_head) {  // keys and values are still to be made of all tokens' bytes
      member.bytes = own.ffn_bytes;
      member.scale = own.ffn_scale;
    }
    const size_t at = static_cast<size_t>(begin) * row_;
    Quantize({&first_residual_[at], row_}, 0, end - begin, member);
    if (short_) {
      return MultiplyShort(weights_.layers.back().query, 0, spec_.hidden, end - begin,
                           &first_shorts_[static_cast<size_t>(begin) * short_row_], short_row_,
                           member, nullptr);
    }
    Multiply(weights_.layers.back().query, &first_residual_[at], row_, end - begin,
             {&first_query_[at], row_}, member, kernels::Activate::kNone, nullptr);
  });
}

void NativeLane::Attend(const Batch& batch, const Part& part, const RowSet& set,
                        bool first_tokens_only) {
  const int tasks = (part.last - part.first) * spec_.heads;
  if (part.member == nullptr) {
    team_.ParallelFor(tasks, [&](int task, int member) {
      AttendHead(batch, order_[static_cast<size_t>(task / spec_.heads)], task % spec_.heads, set,
                 first_tokens_only, members_[static_cast<size_t>(member)]);
    });
    return;
  }
  for (int task = 0; task < tasks; ++task) {
    AttendHead(batch, part.first + task / spec_.heads, task % spec_.heads, set, first_tokens_only,
               *part.member);
  }
}

void NativeLane::AttendHead(const Batch& batch, int sequence, int head, const RowSet& set,
                            bool first_tokens_only, Member& member) {
  const auto column = static_cast<size_t>(head * spec_.head_size());
  const auto start = static_cast<size_t>(batch.starts[sequence]);
  const int length = batch.starts[sequence + 1] - batch.starts[sequence];
  const size_t row = first_tokens_only ? static_cast<size_t>(sequence) : start;
  kernels::AttentionArgs args;
  if (short_) {
    args.out = set.attended + row * set.attended_row + column;
    args.out_element = kernels::Element::kF16;
    args.out_stride = set.attended_row;
    args.element = kernels::Element::kBF16;
    const uint16_t* of_token = &shorts_[start * short_row_ + column];
    args.q = first_tokens_only ? &first_shorts_[row * short_row_ + column] : of_token;
    args.k = of_token + spec_.hidden;
    args.v = of_token + size_t{2} * spec_.hidden;
    args.q_stride = args.kv_stride = short_row_;
  } else {
    const float* keys = &key_value_[start * key_value_row_ + column];
    args.q = args.out = set.query + row * row_ + column;
    args.q_stride = args.out_stride = row_;
    args.k = keys;
    args.v = keys + spec_.hidden;
    args.kv_stride = key_value_row_;
  }
  args.queries = first_tokens_only ? 1 : length;
  args.length = length;
  args.head_size = spec_.head_size();
  args.scale = 1.0f / std::sqrt(static_cast<float>(spec_.head_size()));
  args.scratch = member.scratch.data();
  (in_bytes_ ? table_.attention_short : table_.attention)(args);
}

void NativeLane::AttendByHead(const Batch& batch, const Part& part, int layer, const RowSet& set,
                              bool first_tokens_only) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  Member& member = *part.member;
  const int rows = batch.starts[static_cast<size_t>(part.last)] - part.base;
  uint16_t* const queries = member.head_shorts.data();
  uint16_t* const keys = queries + head_columns_;
  uint16_t* const values = keys + head_columns_;
  kernels::AttentionArgs args;
  args.element = kernels::Element::kBF16;
  args.kv_stride = head_row_;
  args.head_size = spec_.head_size();
  args.scale = 1.0f / std::sqrt(static_cast<float>(spec_.head_size()));
  args.out_element = kernels::Element::kF16;
  args.out_stride = set.attended_row;
  args.scratch = member.scratch.data();
  for (int first = 0; first < spec_.hidden; first += head_columns_) {
    const auto multiply = [&](const PackedLinear& linear, uint16_t* c, const void* next) {
      MultiplyShort(linear, first, head_columns_, rows, c, head_row_, member, next);
    };
    const int after = first + head_columns_;
    const PackedLinear& start_over = first_tokens_only ? weights.key : weights.query;
    if (!first_tokens_only) multiply(weights.query, queries, PanelOf(weights.key, first));
    multiply(weights.key, keys, PanelOf(weights.value, first));
    multiply(
        weights.value, values,
        after < spec_.hidden ? PanelOf(start_over, after) : weights.attention_output.bytes.panels);
    for (int i = part.first; i < part.last; ++i) {
      const int start = batch.starts[static_cast<size_t>(i)] - part.base;
      args.length = batch.starts[static_cast<size_t>(i) + 1] - part.base - start;
      args.queries = first_tokens_only ? 1 : args.length;
      args.q_stride = first_tokens_only ? short_row_ : head_row_;
      const size_t at = static_cast<size_t>(start) * head_row_;
      const auto row = static_cast<size_t>(first_tokens_only ? i : start);
      for (int d = 0; d < head_columns_; d += args.head_size) {
        args.q = first_tokens_only
                     ? &first_shorts_[row * short_row_ + static_cast<size_t>(first + d)]
                     : queries + at + d;
        args.k = keys + at + d;
        args.v = values + at + d;
        args.out = set.attended + row * set.attended_row + first + d;
        table_.attention_short(args);
      }
    }
  }
}

}  // namespace podium
