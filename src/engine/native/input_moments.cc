#include "engine/native/input_moments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/arena.h"
#include "base/check.h"
#include "base/concat.h"
#include "engine/native/native_engine.h"
#include "engine/native/native_lane.h"
#include "engine/native/native_weights.h"
#include "kernels/layout.h"
#include "kernels/select.h"

namespace podium {
namespace {

constexpr int kInputs = 4;
// Added to the diagonal, of its mean: directions that the pairs do not have stay as they are.
constexpr double kDamping = 0.01;

// Sums of products of columns → the feedback of their rounding, in place.
void FactorizeBlock(float* block, int width) {
  const auto size = static_cast<size_t>(width);
  // Bytes are of rotated columns: with H for the sums and R for the rotation, R·H·Rᵀ, row by row.
  for (int side = 0; side < 2; ++side) {
    for (size_t i = 0; i < size; ++i) kernels::RotateColumns(block + i * size, width);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < i; ++j) std::swap(block[i * size + j], block[j * size + i]);
    }
  }
  double trace = 0;
  for (size_t i = 0; i < size; ++i) trace += block[i * size + i];
  const double damping = kDamping * trace / width;
  std::vector<double> r(block, block + size * size);
  for (size_t i = 0; i < size; ++i) {
    double* row = &r[i * size];
    row[i] += damping;
    for (size_t k = 0; k < i; ++k) {
      const double* above = &r[k * size];
      const double factor = above[i];
      for (size_t j = i; j < size; ++j) row[j] -= factor * above[j];
    }
    // Not so where all inputs were zero, or one was no number.
    if (!(row[i] > 0 && std::isfinite(row[i]))) {
      std::fill_n(block, size * size, 0.0f);
      return;
    }
    const double inverse = 1 / std::sqrt(row[i]);
    for (size_t j = i; j < size; ++j) row[j] *= inverse;
  }
  for (size_t i = 0; i < size; ++i) {
    const double* row = &r[i * size];
    for (size_t j = 0; j < size; ++j) {
      block[i * size + j] = j > i ? static_cast<float>(row[j] / row[i]) : 0.0f;
    }
  }
}

}  // namespace

InputMoments::InputMoments(const EncoderSpec& spec, const kernels::Table& table) : table_(table) {
  for (int i = 0; i < spec.layers * kInputs; ++i) {
    auto site = std::make_unique<Site>();
    const bool down = i % kInputs == static_cast<int>(LinearInput::kFfnDown);
    site->width = down ? spec.ffn : spec.hidden;
    site->group_columns = down ? kernels::Int8GroupColumns(spec.ffn) : spec.hidden;
    size_t floats = 0;
    kernels::ForRoundingBlocks(site->width, site->group_columns, [&](int, int width) {
      floats += static_cast<size_t>(width) * static_cast<size_t>(width);
    });
    site->blocks.resize(floats);
    sites_.push_back(std::move(site));
  }
}

void InputMoments::StartBatch() {
  for (const auto& site : sites_) site->rows = 0;
}

void InputMoments::Add(int layer, LinearInput input, const float* x, size_t stride, int first_row,
                       int rows) {
  if (rows <= 0) return;
  Site& site = *sites_[static_cast<size_t>(layer * kInputs + static_cast<int>(input))];
  const int widest = std::min(site.width, kernels::kRoundingBlock);
  const auto taken = [&](int width) {
    return static_cast<size_t>(width) * static_cast<size_t>(rows);
  };
  const auto panel = static_cast<size_t>(table_.panel);
  const size_t packed_floats = taken((widest + table_.panel - 1) / table_.panel * table_.panel);
  Arena arena;
  PODIUM_CHECK(arena.Reserve(Arena::RoundUp(taken(widest) * sizeof(float)) +
                             Arena::RoundUp(packed_floats * sizeof(float)) +
                             Arena::RoundUp((static_cast<size_t>(widest) + panel) * sizeof(float)) +
                             Arena::RoundUp(site.blocks.size() * sizeof(float)) +
                             Arena::RoundUp(table_.product_scratch * sizeof(float))));
  const std::span<float> columns = arena.Take<float>(taken(widest));
  const std::span<float> packed = arena.Take<float>(packed_floats);
  const std::span<float> zeros = arena.Take<float>(static_cast<size_t>(widest) + panel);
  const std::span<float> all = arena.Take<float>(site.blocks.size());
  const std::span<float> scratch = arena.Take<float>(table_.product_scratch);
  float* sums = all.data();
  kernels::ForRoundingBlocks(site.width, site.group_columns, [&](int first, int width) {
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < width; ++i) {
        columns[static_cast<size_t>(i) * static_cast<size_t>(rows) + static_cast<size_t>(row)] =
            x[static_cast<size_t>(row) * stride + static_cast<size_t>(first + i)];
      }
    }
    float* out = packed.data();
    for (int i = 0; i < width; i += table_.panel) {
      kernels::PackPanel(table_, kernels::Element::kF32, &columns[taken(i)],
                         std::min(table_.panel, width - i), rows, out);
      out += kernels::PanelBytes(table_, kernels::Element::kF32, rows) / sizeof(float);
    }
    kernels::ProductArgs args;
    args.a = columns.data();
    args.a_stride = static_cast<size_t>(rows);
    args.rows = width;
    args.w = {packed.data(), kernels::Element::kF32, width, rows};
    args.bias = zeros.data();
    args.c = sums;
    args.c_stride = static_cast<size_t>(width);
    args.scratch = scratch.data();
    table_.product(args);
    sums += static_cast<size_t>(width) * static_cast<size_t>(width);
  });
  std::unique_lock lock(site.mutex);
  site.added.wait(lock, [&] { return site.rows == first_row; });
  for (size_t i = 0; i < site.blocks.size(); ++i) site.blocks[i] += all[i];
  site.rows += rows;
  site.added.notify_all();
}

void InputMoments::Factorize(Team& team) {
  team.ParallelFor(static_cast<int>(sites_.size()), [&](int i, int) {
    Site& site = *sites_[static_cast<size_t>(i)];
    float* block = site.blocks.data();
    kernels::ForRoundingBlocks(site.width, site.group_columns, [&](int, int width) {
      FactorizeBlock(block, width);
      block += static_cast<size_t>(width) * static_cast<size_t>(width);
    });
  });
}

const float* InputMoments::feedback(std::string_view linear) const {
  constexpr std::string_view kPrefix = "layers.";
  PODIUM_CHECK(linear.starts_with(kPrefix));
  size_t layer = 0;
  const auto [end, error] =
      std::from_chars(linear.data() + kPrefix.size(), linear.data() + linear.size(), layer);
  PODIUM_CHECK(error == std::errc() && layer < sites_.size() / kInputs);
  const auto is = [&](std::string_view part) { return linear.ends_with(part); };
  const LinearInput input = is(".attention_output") ? LinearInput::kAttentionOutput
                            : is(".ffn_up")         ? LinearInput::kFfnUp
                            : is(".ffn_down")       ? LinearInput::kFfnDown
                                                    : LinearInput::kAttention;
  return sites_[layer * kInputs + static_cast<size_t>(input)]->blocks.data();
}

Result<std::shared_ptr<const InputMoments>> MeasureInputs(const std::shared_ptr<const Model>& model,
                                                          std::span<const Batch> batches,
                                                          const LaneLimits& limits, Team& team,
                                                          const Interrupt& interrupt,
                                                          std::vector<float>& logits) {
  PODIUM_RETURN_IF_ERROR(CheckNativeSpec(model->spec()));
  if (model->packed() != nullptr) {
    return InvalidArgument(Concat(model->folder(), ": is packed already; give the model's folder"));
  }
  const kernels::Table& table = *kernels::BestFloatTable();
  PODIUM_ASSIGN_OR_RETURN(const auto weights, NativeWeights::Pack(model, {}, table, team));
  auto moments = std::make_shared<InputMoments>(model->spec(), table);
  PODIUM_ASSIGN_OR_RETURN(const auto lane,
                          NativeLane::Make(*weights, table, team, limits, moments.get()));
  logits.clear();
  for (const Batch& batch : batches) {
    moments->StartBatch();
    const auto size = static_cast<size_t>(batch.size());
    logits.resize(logits.size() + size);
    PODIUM_RETURN_IF_ERROR(lane->Score(batch, std::span(logits).last(size), interrupt));
  }
  moments->Factorize(team);
  return std::shared_ptr<const InputMoments>(std::move(moments));
}

}  // namespace podium
