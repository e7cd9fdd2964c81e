#include "engine/native/native_lane.h"

#include <algorithm>
#include <numeric>

#include "base/float_mode.h"
#include "engine/check_batch.h"
#include "engine/native/input_moments.h"
#include "engine/native/plan.h"
#include "kernels/layout.h"

namespace podium {
namespace {

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
    ScorePart(batch, MakePart(batch, 0, n, nullptr), interrupt);
  } else {
    team_.ParallelFor(parts, [&](int task, int member) {
      const auto at = static_cast<size_t>(task);
      ScorePart(batch,
                MakePart(batch, parts_[at], parts_[at + 1], &members_[static_cast<size_t>(member)]),
                interrupt);
    });
  }
  PODIUM_RETURN_IF_ERROR(interrupt.Check());  // what ended a part early is still there
  Head(logits);
  return weights_.CheckUnchanged();  // the word embeddings that were read are those of the file
}

NativeLane::Part NativeLane::MakePart(const Batch& batch, int first, int last,
                                      Member* member) const {
  const int begin = batch.starts[static_cast<size_t>(first)];
  const int rows = batch.starts[static_cast<size_t>(last)] - begin;
  if (member != nullptr && head_columns_ > 0 && rows <= kPartRows) {
    kernels::FloatRows residual = part_residual_;
    residual.data = member->residual.data();
    return {first, last,  member,
            true,  begin, {residual, nullptr, member->attended.data(), attended_row_}};
  }
  return {first, last, member,
          false, 0,    {{residual_.data(), row_}, query_.data(), attended_.data(), attended_row_}};
}

void NativeLane::ScorePart(const Batch& batch, const Part& part, const Interrupt& interrupt) {
  const int begin = batch.starts[static_cast<size_t>(part.first)] - part.base;
  const int end = batch.starts[static_cast<size_t>(part.last)] - part.base;
  ForRowBlocks(part, begin, end, [&](int first, int last, Member& member) {
    EmbedRows(batch, part, first, last);
    Quantize(part.rows.residual.From(first), 0, last - first, member);
    if (!part.by_head) ProjectRows(0, first, last, member);
  });
  for (int layer = 0; layer < spec_.layers; ++layer) {
    if (!interrupt.Check().ok()) return;
    const bool first_tokens_only = layer + 1 == spec_.layers;
    if (first_tokens_only) ProjectFirstTokens(batch, part);
    RowSet set = part.rows;
    if (first_tokens_only) {
      set = {{first_residual_.data(), row_}, first_query_.data(), nullptr, 0};
      if (short_) {  // beside the queries
        set.attended = first_shorts_.data() + spec_.hidden;
        set.attended_row = short_row_;
      }
    }
    if (part.by_head) {
      AttendByHead(batch, part, layer, set, first_tokens_only);
    } else {
      Attend(batch, part, set, first_tokens_only);
    }
    ForRowBlocks(part, first_tokens_only ? part.first : begin, first_tokens_only ? part.last : end,
                 [&](int first, int last, Member& member) {
                   FinishRows(layer, set, first, last, member);
                   if (!first_tokens_only && !part.by_head) {
                     ProjectRows(layer + 1, first, last, member);
                   }
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

void NativeLane::Norm(const PackedNorm& norm, kernels::FloatRows rows, int count) {
  table_.layer_norm(rows, count, spec_.hidden, norm.gain.data(), norm.bias.data(), spec_.norm_eps);
}

void NativeLane::Quantize(kernels::FloatRows rows, int first, int count, Member& member) {
  if (!in_bytes_) return;
  kernels::QuantizeArgs args;
  args.x = rows.From(first).data;
  args.x_stride = rows.stride;
  args.x_panel = rows.panel;
  args.rows = count;
  args.width = spec_.hidden;
  args.depth = kernels::Int8Depth(spec_.hidden);
  args.out = member.bytes.data();
  args.first_row = first;
  args.scale = &member.scale[static_cast<size_t>(first)];
  args.scratch = member.rotated.data();
  table_.quantize(args);
}

void NativeLane::QuantizeHalves(const uint16_t* rows, size_t stride, int count, int width,
                                std::span<uint8_t> bytes, std::span<float> scale, Member& member) {
  kernels::QuantizeArgs args;
  args.x = rows;
  args.element = kernels::Element::kF16;
  args.x_stride = stride;
  args.rows = count;
  args.width = width;
  args.out = bytes.data();
  args.depth = kernels::Int8Depth(width);
  args.scale = scale.data();
  args.scratch = member.rotated.data();
  table_.quantize(args);
}

void NativeLane::NormAndQuantize(const PackedNorm& norm, kernels::FloatRows rows, int count,
                                 Member& member) {
  const int step = in_bytes_ ? kHotRows : count;
  for (int row = 0; row < count; row += step) {
    const int hot = std::min(step, count - row);
    Norm(norm, rows.From(row), hot);
    Quantize(rows, row, hot, member);
  }
}

void NativeLane::Multiply(const PackedLinear& linear, const float* a, size_t a_stride, int rows,
                          kernels::FloatRows c, Member& member, kernels::Activate activate,
                          const float* residual, const void* next) {
  if (linear.in_bytes()) {
    kernels::Int8ProductArgs args = Int8Group(linear, 0);
    args.a = member.bytes.data();
    args.a_scale = member.scale.data();
    args.rows = rows;
    args.residual = residual;
    args.c = c.data;
    args.c_stride = c.stride;
    args.c_panel = c.panel;
    args.next = next;
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
  args.residual_stride = c.stride;
  args.c = c.data;
  args.c_stride = c.stride;
  args.activate = activate;
  args.scratch = member.scratch.data();
  table_.product(args);
}

void NativeLane::MultiplyShort(const PackedLinear& linear, int first, int count, int rows,
                               uint16_t* c, size_t c_stride, Member& member, const void* next) {
  kernels::Int8ProductArgs args = Int8Outputs(linear, first, count);
  args.a = member.bytes.data();
  args.a_scale = member.scale.data();
  args.rows = rows;
  args.c = c;
  args.c_element = kernels::Element::kBF16;
  args.c_stride = c_stride;
  args.next = next;
  args.scratch = member.sums.data();
  table_.int8_product(args);
}

void NativeLane::EmbedRows(const Batch& batch, const Part& part, int begin, int end) {
  const TensorView& words = weights_.word_embedding();
  const auto hidden = static_cast<size_t>(spec_.hidden);
  const size_t row_bytes = hidden * ElementSize(words.type);
  for (int row = begin; row < end; ++row) {
    const int t = part.base + row;
    const int type = batch.types.empty() ? 0 : batch.types[t];
    table_.embed(
        static_cast<const std::byte*>(words.data) + static_cast<size_t>(batch.ids[t]) * row_bytes,
        ToElement(words.type), weights_.position_row(position_[t]).data(),
        weights_.has_types() ? weights_.type_row(type).data() : nullptr, spec_.hidden,
        part.rows.residual.From(row));
  }
  Norm(weights_.embedding_norm, part.rows.residual.From(begin), end - begin);
}

// From attention output to the layer's output, in place in set.residual.
void NativeLane::FinishRows(int layer, const RowSet& set, int begin, int end, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  const int rows = end - begin;
  const kernels::FloatRows x = set.residual.From(begin);
  float* const attended = short_ ? nullptr : set.query + static_cast<size_t>(begin) * row_;
  if (short_) {
    QuantizeHalves(set.attended + static_cast<size_t>(begin) * set.attended_row, set.attended_row,
                   rows, spec_.hidden, member.bytes, member.scale, member);
  } else {
    Quantize({attended, row_}, 0, rows, member);
  }
  if (moments_ != nullptr) {
    moments_->Add(layer, LinearInput::kAttentionOutput, attended, row_, begin, rows);
  }
  Multiply(weights.attention_output, attended, row_, rows, x, member, kernels::Activate::kNone,
           x.data, weights.ffn_up.bytes.panels);
  NormAndQuantize(weights.attention_norm, x, rows, member);
  if (weights.ffn_up.in_bytes()) {
    FeedForwardInt8(layer, x, rows, member);
  } else {
    FeedForwardFloat(layer, x.data, begin, rows, member);
  }
  const auto next = static_cast<size_t>(layer) + 1;
  if (next == weights_.layers.size())
    return Norm(weights.ffn_norm, x, rows);  // the head is in fp32
  NormAndQuantize(weights.ffn_norm, x, rows, member);
}

void NativeLane::FeedForwardFloat(int layer, float* x, int begin, int rows, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  if (moments_ != nullptr) moments_->Add(layer, LinearInput::kFfnUp, x, row_, begin, rows);
  Multiply(weights.ffn_up, x, row_, rows, {member.ffn.data(), ffn_row_}, member,
           ToActivate(spec_.activation), nullptr);
  if (moments_ != nullptr) {
    moments_->Add(layer, LinearInput::kFfnDown, member.ffn.data(), ffn_row_, begin, rows);
  }
  Multiply(weights.ffn_down, member.ffn.data(), ffn_row_, rows, {x, row_}, member,
           kernels::Activate::kNone, x);
}

// x += down(activate(up(x))), a group of the middle's columns at a time: what a group makes and
// takes stays in L2, and each group of a row has its own scale.
void NativeLane::FeedForwardInt8(int layer, kernels::FloatRows x, int rows, Member& member) {
  const PackedLayer& weights = weights_.layers[static_cast<size_t>(layer)];
  const int columns = weights.ffn_down.bytes.group_columns;
  for (int group = 0; group * columns < spec_.ffn; ++group) {
    const int before = group * columns;
    const int width = std::min(columns, spec_.ffn - before);
    kernels::Int8ProductArgs down = Int8Group(weights.ffn_down, group);

    kernels::Int8ProductArgs up = Int8Outputs(weights.ffn_up, before, width);
    up.a = member.bytes.data();
    up.a_scale = member.scale.data();
    up.rows = rows;
    up.next = down.w;
    up.c = member.halves.data();
    up.c_element = kernels::Element::kF16;
    up.c_stride = kHalfRow;
    up.activate = ToActivate(spec_.activation);
    up.scratch = member.sums.data();
    table_.int8_product(up);

    QuantizeHalves(member.halves.data(), kHalfRow, rows, width, member.ffn_bytes, member.ffn_scale,
                   member);

    down.a = member.ffn_bytes.data();
    down.a_scale = member.ffn_scale.data();
    down.rows = rows;
    down.residual = x.data;
    down.c = x.data;
    down.c_stride = x.stride;
    down.c_panel = x.panel;
    const auto after = static_cast<size_t>(layer) + 1;
    if (before + width < spec_.ffn) {
      down.next = up.w + static_cast<size_t>(width / kernels::kInt8Block) * up.w_stride;
    } else if (after < weights_.layers.size()) {
      down.next = weights_.layers[after].query.bytes.panels;
    }
    down.scratch = member.sums.data();
    table_.int8_product(down);
  }
}

void NativeLane::Head(std::span<float> logits) {
  Member& member = members_.front();
  const kernels::FloatRows residual = {first_residual_.data(), row_};
  float* const query = first_query_.data();
  const auto rows = static_cast<int>(logits.size());
  Multiply(weights_.head_dense, residual.data, row_, rows, {query, row_}, member,
           kernels::Activate::kTanh, nullptr);
  if (spec_.labels == 1) {
    Multiply(weights_.head_project, query, row_, rows, {logits.data(), 1}, member,
             kernels::Activate::kNone, nullptr);
    return;
  }
  // Two labels: the residual rows are not needed any more, they take both logits.
  Multiply(weights_.head_project, query, row_, rows, residual, member, kernels::Activate::kNone,
           nullptr);
  for (size_t i = 0; i < logits.size(); ++i) {
    const float* labels = residual.data + i * row_;
    logits[i] = labels[1] - labels[0];
  }
}

}  // namespace podium
