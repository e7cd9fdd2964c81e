#include "engine/native/native_lane.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/concat.h"
#include "base/float_mode.h"
#include "engine/check_batch.h"
#include "engine/native/plan.h"
#include "kernels/layout.h"

namespace podium {
namespace {

// Of a part: fewer rows stay in the caches, more fill their blocks better.
constexpr int kPartRows = 512;
// Rows that are normed and turned into bytes while in L1.
constexpr int kHotRows = 4;

kernels::Activate ToActivate(Activation activation) {
  switch (activation) {
    case Activation::kGeluTanh:
      return kernels::Activate::kGeluTanh;
    case Activation::kRelu:
      return kernels::Activate::kRelu;
    case Activation::kGeluErf:
    case Activation::kSilu:
      break;
  }
  return kernels::Activate::kGeluErf;
}

}  // namespace

Status NativeLane::Score(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) {
  PODIUM_RETURN_IF_ERROR(
      CheckBatch(batch, logits.size(), limits_, spec_.vocabulary, spec_.token_types));
  PODIUM_RETURN_IF_ERROR(weights_.CheckUnchanged());
  ScopedFloatMode mode;
  const int n = batch.size();
  // RoBERTa's positions skip the padding id also where a text holds it ("<pad>" in a document): it
  // has the row of its own number, and those after it count on as if it were not there.
  const int padding = spec_.position_offset - 1;  // -1, no id, where positions start at 0
  for (int i = 0; i < n; ++i) {
    int next = spec_.position_offset;
    for (int t = batch.starts[i]; t < batch.starts[i + 1]; ++t) {
      position_[t] = batch.ids[t] == padding ? padding : next++;
    }
  }
  const int parts = in_bytes_ ? PlanParts(batch.starts, team_.size(), kPartRows, parts_) : 0;
  if (parts == 0) {
    std::iota(order_.begin(), order_.begin() + n, 0);
    // Longest first, so that the last attention tasks are short ones.
    std::sort(order_.begin(), order_.begin() + n, [&](int32_t a, int32_t b) {
      const int la = batch.starts[a + 1] - batch.starts[a];
      const int lb = batch.starts[b + 1] - batch.starts[b];
      return la != lb ? la > lb : a < b;
    });
    ScorePart(batch, {0, n, nullptr}, interrupt);
  } else {
    team_.ParallelFor(parts, [&](int task, int member) {
      const auto at = static_cast<size_t>(task);
      ScorePart(batch, {parts_[at], parts_[at + 1], &members_[static_cast<size_t>(member)]},
                interrupt);
    });
  }
  PODIUM_RETURN_IF_ERROR(interrupt.Check());  // what ended a part early is still there
  Head(logits);
  return weights_.CheckUnchanged();  // the word embeddings that were read are those of the file
}

void NativeLane::ScorePart(const Batch& batch, const Part& part, const Interrupt& interrupt) {
  const int begin = batch.starts[static_cast<size_t>(part.first)];
  const int end = batch.starts[static_cast<size_t>(part.last)];
  ForRowBlocks(part, begin, end, [&](int first, int last, Member& member) {
    EmbedRows(batch, first, last);
    Quantize(&residual_[static_cast<size_t>(first) * row_], 0, last - first,
             weights_.layers.front().attention_columns, member);
    ProjectRows(0, first, last, member);
  });
  for (int layer = 0; layer < spec_.layers; ++layer) {
    if (!interrupt.Check().ok()) return;
    const bool first_tokens_only = layer + 1 == spec_.layers;
    if (first_tokens_only) ProjectFirstTokens(batch, part);
    const RowSet set = first_tokens_only ? RowSet{first_residual_.data(), first_query_.data()}
                                         : RowSet{residual_.data(), query_.data()};
    Attend(batch, part, set, first_tokens_only);
    ForRowBlocks(part, first_tokens_only ? part.first : begin, first_tokens_only ? part.last : end,
                 [&](int first, int last, Member& member) {
                   FinishRows(layer, set, first, last, member);
                   if (!first_tokens_only) ProjectRows(layer + 1, first, last, member);
                 });
  }
}

void NativeLane::ForRowBlocks(const Part& part, int first, int last,
                              FunctionRef<void(int, int, Member&)> body) {
  const int threads = part.member != nullptr ? 1 : team_.size();
  const int rows = last - first;
  const int block = in_bytes_ ? PlanBlockRows(rows, threads, kernels::kInt8Block, kInt8BlockRows)
                              : PlanBlockRows(rows, threads, table_.tile_rows, kBlockRows);
  const auto run = [&](int task, Member& member) {
    body(first + task * block, std::min(last, first + (task + 1) * block), member);
  };
  const int blocks = (rows + block - 1) / block;
  if (part.member != nullptr) {
    for (int task = 0; task < blocks; ++task) run(task, *part.member);
  } else {
    team_.ParallelFor(
        blocks, [&](int task, int member) { run(task, members_[static_cast<size_t>(member)]); });
  }
}

void NativeLane::Norm(const PackedNorm& norm, float* rows, int count) {
  table_.layer_norm(rows, row_, count, spec_.hidden, norm.gain.data(), norm.bias.data(),
                    spec_.norm_eps, rows, row_);
}

void NativeLane::Quantize(const float* rows, int first, int count, std::span<const float> columns,
                          Member& member) {
  if (!in_bytes_) return;
  kernels::QuantizeArgs args;
  args.x = rows + static_cast<size_t>(first) * row_;
  args.x_stride = row_;
  args.rows = count;
  args.width = spec_.hidden;
  args.column_scale = columns.empty() ? nullptr : columns.data();
  args.depth = kernels::Int8Depth(spec_.hidden);
  args.out = member.bytes.data();
  args.first_row = first;
  args.scale = &member.scale[static_cast<size_t>(first)];
  table_.quantize(args);
}

void NativeLane::NormAndQuantize(const PackedNorm& norm, float* rows, int count,
                                 std::span<const float> columns, Member& member) {
  const int step = in_bytes_ ? kHotRows : count;
  for (int row = 0; row < count; row += step) {
    const int hot = std::min(step, count - row);
    Norm(norm, rows + static_cast<size_t>(row) * row_, hot);
    Quantize(rows, row, hot, columns, member);
  }
}

void NativeLane::Multiply(const PackedLinear& linear, const float* a, size_t a_stride, int rows,
                          float* c, size_t c_stride, Member& member, kernels::Activate activate,
                          const float* residual) {
  if (linear.in_bytes()) {
    kernels::Int8ProductArgs args = Int8Group(linear, 0);
    args.a = member.bytes.data();
    args.a_scale = member.scale.data();
    args.rows = rows;
    args.residual = residual;
    args.residual_stride = c_stride;
    args.c = c;
    args.c_stride = c_stride;
    args.scratch = member.sums.data();
    table_.int8_product(args);
    return;
  }
  kernels::ProductArgs args;
  args.a = a;
  args.a_stride = a_stride;
  args.rows = rows;
  args.w = linear.weights;
  args.bias = linear.bias.data();
  args.residual = residual;
  args.residual_stride = c_stride;
  args.c = c;
  args.c_stride = c_stride;
  args.activate = activate;
  args.scratch = member.scratch.data();
  table_.product(args);
}

void NativeLane::MultiplyShort(const PackedLinear& linear, int rows, uint16_t* c, Member& member) {
  kernels::Int8ProductArgs args = Int8Group(linear, 0);
  args.a = member.bytes.data();
  args.a_scale = member.scale.data();
  args.rows = rows;
  args.c = c;
  args.c_element = kernels::Element::kBF16;
  args.c_stride = short_row_;
  args.scratch = member.sums.data();
  table_.int8_product(args);
}

void NativeLane::EmbedRows(const Batch& batch, int begin, int end) {
  const TensorView& words = weights_.word_embedding();
  const auto hidden = static_cast<size_t>(spec_.hidden);
  const size_t row_bytes = hidden * ElementSize(words.type);
  for (int t = begin; t < end; ++t) {
    const int type = batch.types.empty() ? 0 : batch.types[t];
    table_.embed(
        static_cast<const std::byte*>(words.data) + static_cast<size_t>(batch.ids[t]) * row_bytes,
        ToElement(words.type), weights_.position_row(position_[t]).data(),
        weights_.has_types() ? weights_.type_row(type).data() : nullptr, spec_.hidden,
        &residual_[static_cast<size_t>(t) * row_]);
  }
  Norm(weights_.embedding_norm, &residual_[static_cast<size_t>(begin) * row_], end - begin);
}

// Keys and values of rows [begin, end), and their queries unless this is the last layer, which
// needs those of first tokens only.
void NativeLane::ProjectRows(int layer, int begin, int end, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  const bool last = layer + 1 == spec_.layers;
  if (short_) {
    // In this order: what a product writes past its columns is written anew by the next.
    uint16_t* queries = &shorts_[static_cast<size_t>(begin) * short_row_];
    if (!last) MultiplyShort(weights.query, end - begin, queries, member);
    MultiplyShort(weights.key, end - begin, queries + spec_.hidden, member);
    MultiplyShort(weights.value, end - begin, queries + size_t{2} * spec_.hidden, member);
    return;
  }
  const float* x = &residual_[static_cast<size_t>(begin) * row_];
  float* keys = &key_value_[static_cast<size_t>(begin) * key_value_row_];
  Multiply(weights.key, x, row_, end - begin, keys, key_value_row_, member,
           kernels::Activate::kNone, nullptr);
  Multiply(weights.value, x, row_, end - begin, keys + spec_.hidden, key_value_row_, member,
           kernels::Activate::kNone, nullptr);
  if (last) return;
  Multiply(weights.query, x, row_, end - begin, &query_[static_cast<size_t>(begin) * row_], row_,
           member, kernels::Activate::kNone, nullptr);
}

void NativeLane::ProjectFirstTokens(const Batch& batch, const Part& part) {
  for (int i = part.first; i < part.last; ++i) {
    std::memcpy(&first_residual_[static_cast<size_t>(i) * row_],
                &residual_[static_cast<size_t>(batch.starts[i]) * row_],
                static_cast<size_t>(spec_.hidden) * sizeof(float));
  }
  ForRowBlocks(part, part.first, part.last, [&](int begin, int end, Member& member) {
    const size_t at = static_cast<size_t>(begin) * row_;
    Quantize(&first_residual_[at], 0, end - begin, weights_.layers.back().attention_columns,
             member);
    if (short_) {
      return MultiplyShort(weights_.layers.back().query, end - begin,
                           &first_shorts_[static_cast<size_t>(begin) * short_row_], member);
    }
    Multiply(weights_.layers.back().query, &first_residual_[at], row_, end - begin,
             &first_query_[at], row_, member, kernels::Activate::kNone, nullptr);
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
  args.out = set.query + row * row_ + column;
  args.out_stride = row_;
  if (short_) {
    args.element = kernels::Element::kBF16;
    const uint16_t* of_token = &shorts_[start * short_row_ + column];
    args.q = first_tokens_only ? &first_shorts_[row * short_row_ + column] : of_token;
    args.k = of_token + spec_.hidden;
    args.v = of_token + size_t{2} * spec_.hidden;
    args.q_stride = args.kv_stride = short_row_;
  } else {
    const float* keys = &key_value_[start * key_value_row_ + column];
    args.q = args.out;
    args.q_stride = row_;
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

// From attention output to the layer's output, in place in set.residual.
void NativeLane::FinishRows(int layer, const RowSet& set, int begin, int end, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  const int rows = end - begin;
  float* x = set.residual + static_cast<size_t>(begin) * row_;
  const float* attended = set.query + static_cast<size_t>(begin) * row_;
  Quantize(attended, 0, rows, {}, member);
  Multiply(weights.attention_output, attended, row_, rows, x, row_, member,
           kernels::Activate::kNone, x);
  NormAndQuantize(weights.attention_norm, x, rows, weights.ffn_columns, member);
  if (weights.ffn_up.in_bytes()) {
    FeedForwardInt8(weights, x, rows, member);
  } else {
    FeedForwardFloat(weights, x, rows, member);
  }
  const auto next = static_cast<size_t>(layer) + 1;
  if (next == weights_.layers.size())
    return Norm(weights.ffn_norm, x, rows);  // the head is in fp32
  NormAndQuantize(weights.ffn_norm, x, rows, weights_.layers[next].attention_columns, member);
}

void NativeLane::FeedForwardFloat(const PackedLayer& weights, float* x, int rows, Member& member) {
  Multiply(weights.ffn_up, x, row_, rows, member.ffn.data(), ffn_row_, member,
           ToActivate(spec_.activation), nullptr);
  Multiply(weights.ffn_down, member.ffn.data(), ffn_row_, rows, x, row_, member,
           kernels::Activate::kNone, x);
}

// x += down(activate(up(x))), a group of the middle's columns at a time: what a group makes and
// takes stays in L2, and each group of a row has its own scale.
void NativeLane::FeedForwardInt8(const PackedLayer& weights, float* x, int rows, Member& member) {
  const int columns = weights.ffn_down.bytes.group_columns;
  for (int group = 0; group * columns < spec_.ffn; ++group) {
    const int before = group * columns;
    const int width = std::min(columns, spec_.ffn - before);

    kernels::Int8ProductArgs up = Int8Group(weights.ffn_up, 0);
    up.a = member.bytes.data();
    up.a_scale = member.scale.data();
    up.rows = rows;
    up.w += static_cast<size_t>(before / kernels::kInt8Block) * up.w_stride;
    up.w_scale += before;
    up.start += before;
    up.bias += before;
    up.n = width;
    up.c = member.halves.data();
    up.c_element = kernels::Element::kF16;
    up.c_stride = kHalfRow;
    up.activate = ToActivate(spec_.activation);
    up.scratch = member.sums.data();
    table_.int8_product(up);

    kernels::QuantizeArgs quantize;
    quantize.x = member.halves.data();
    quantize.element = kernels::Element::kF16;
    quantize.x_stride = kHalfRow;
    quantize.rows = rows;
    quantize.width = width;
    quantize.one_sided = true;
    quantize.out = member.ffn_bytes.data();
    quantize.depth = kernels::Int8Depth(width);
    quantize.scale = member.ffn_scale.data();
    table_.quantize(quantize);

    kernels::Int8ProductArgs down = Int8Group(weights.ffn_down, group);
    down.a = member.ffn_bytes.data();
    down.a_scale = member.ffn_scale.data();
    down.rows = rows;
    down.residual = x;
    down.residual_stride = row_;
    down.c = x;
    down.c_stride = row_;
    down.scratch = member.sums.data();
    table_.int8_product(down);
  }
}

void NativeLane::Head(std::span<float> logits) {
  Member& member = members_.front();
  const RowSet set = {first_residual_.data(), first_query_.data()};
  const auto rows = static_cast<int>(logits.size());
  Multiply(weights_.head_dense, set.residual, row_, rows, set.query, row_, member,
           kernels::Activate::kTanh, nullptr);
  if (spec_.labels == 1) {
    Multiply(weights_.head_project, set.query, row_, rows, logits.data(), 1, member,
             kernels::Activate::kNone, nullptr);
    return;
  }
  // Two labels: the residual rows are not needed any more, they take both logits.
  Multiply(weights_.head_project, set.query, row_, rows, set.residual, row_, member,
           kernels::Activate::kNone, nullptr);
  for (size_t i = 0; i < logits.size(); ++i) {
    const float* labels = set.residual + i * row_;
    logits[i] = labels[1] - labels[0];
  }
}

}  // namespace podium
