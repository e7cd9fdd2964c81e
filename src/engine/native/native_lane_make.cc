// The memory of a lane: all that a pass of the largest batch needs, taken once.
#include <algorithm>

#include "base/concat.h"
#include "engine/native/native_lane.h"
#include "kernels/layout.h"

namespace podium {

Result<std::unique_ptr<Lane>> NativeLane::Make(const NativeWeights& weights,
                                               const kernels::Table& table, Team& team,
                                               const LaneLimits& limits, InputMoments* moments) {
  std::unique_ptr<NativeLane> lane(new NativeLane(weights, table, team, limits, moments));
  const EncoderSpec& spec = weights.spec();
  LaneLimits& own = lane->limits_;
  if (own.length_max <= 0) own.length_max = spec.length_max();
  if (own.length_max > spec.length_max()) {
    return InvalidArgument(Concat("length_max: got ", own.length_max,
                                  ", allowed by the model's positions: ", spec.length_max()));
  }
  own.batch_tokens_max = std::max(own.batch_tokens_max, own.length_max);
  own.sequences_max = std::clamp(own.sequences_max, 1, own.batch_tokens_max);

  const auto tokens = static_cast<size_t>(own.batch_tokens_max);
  const auto sequences = static_cast<size_t>(own.sequences_max);
  const size_t row = lane->row_;
  const bool in_bytes = lane->in_bytes_;
  const size_t block = in_bytes ? kInt8BlockRows : kBlockRows;
  const size_t ffn = weights.ffn_in_bytes() ? 0 : block * lane->ffn_row_;
  const size_t scratch = std::max(
      table.product_scratch, kernels::AttentionScratch(table, own.length_max, spec.head_size()));
  const int hidden_depth = kernels::Int8Depth(spec.hidden);
  const int ffn_columns = kernels::Int8GroupColumns(spec.ffn);
  // Taken twice: the first time to count.
  const auto take_member = [&](auto&& floats, auto&& bytes, auto&& halves, auto&& words) {
    Member m;
    m.ffn = floats(ffn);
    m.scratch = floats(scratch);
    if (!in_bytes) return m;
    m.bytes = bytes(kernels::Int8BlockBytes(kInt8BlockRows, hidden_depth));
    m.scale = floats(block);
    m.halves = halves(block * kHalfRow);
    m.ffn_bytes = bytes(kernels::Int8BlockBytes(
        kInt8BlockRows, std::max(hidden_depth, ffn_columns / kernels::kInt8Depth)));
    m.ffn_scale = floats(block);
    m.rotated =
        floats(static_cast<size_t>(std::max(hidden_depth * kernels::kInt8Depth, ffn_columns)));
    m.sums = words(kernels::kInt8Scratch);
    if (lane->head_columns_ == 0) return m;
    const auto panels = static_cast<size_t>((spec.hidden + 31) / kernels::kInt8Block);
    m.residual = floats(weights.ffn_in_bytes() ? panels * lane->part_residual_.panel
                                               : size_t{kPartRows} * row);
    m.attended = halves(size_t{kPartRows} * lane->attended_row_);
    m.head_shorts = halves(size_t{kPartRows} * lane->head_row_);
    return m;
  };
  size_t member_bytes = 0;
  const auto count = [&]<typename T>(T) {
    return [&](size_t elements) {
      member_bytes += Arena::RoundUp(elements * sizeof(T));
      return std::span<T>();
    };
  };
  take_member(count(float()), count(uint8_t()), count(uint16_t()), count(int32_t()));
  const auto floats = [](size_t elements) { return Arena::RoundUp(elements * sizeof(float)); };
  const size_t key_values = lane->short_ ? 0 : tokens * lane->key_value_row_;
  const size_t shorts = lane->short_ ? lane->short_row_ : 0;
  const size_t queries = lane->short_ ? 0 : tokens * row;
  const size_t attended = lane->short_ ? tokens * lane->attended_row_ : 0;
  const size_t bytes = floats(tokens * row) + floats(queries) + floats(key_values) +
                       Arena::RoundUp(attended * sizeof(uint16_t)) +
                       Arena::RoundUp(tokens * shorts * sizeof(uint16_t)) +
                       Arena::RoundUp(sequences * shorts * sizeof(uint16_t)) +
                       2 * floats(sequences * row) + floats(tokens) + floats(sequences) +
                       floats(sequences + 1) + static_cast<size_t>(team.size()) * member_bytes;
  if (!lane->arena_.Reserve(bytes)) {
    return ResourceExhausted(Concat("activations for ", own.batch_tokens_max,
                                    " tokens: the system refused ", bytes, " bytes"));
  }
  Arena& arena = lane->arena_;
  lane->residual_ = arena.Take<float>(tokens * row);
  lane->query_ = arena.Take<float>(queries);
  lane->attended_ = arena.Take<uint16_t>(attended);
  lane->key_value_ = arena.Take<float>(key_values);
  lane->shorts_ = arena.Take<uint16_t>(tokens * shorts);
  lane->first_shorts_ = arena.Take<uint16_t>(sequences * shorts);
  lane->first_residual_ = arena.Take<float>(sequences * row);
  lane->first_query_ = arena.Take<float>(sequences * row);
  lane->position_ = arena.Take<int32_t>(tokens);
  lane->order_ = arena.Take<int32_t>(sequences);
  lane->parts_ = arena.Take<int32_t>(sequences + 1);
  for (int member = 0; member < team.size(); ++member) {
    lane->members_.push_back(take_member([&](size_t n) { return arena.Take<float>(n); },
                                         [&](size_t n) { return arena.Take<uint8_t>(n); },
                                         [&](size_t n) { return arena.Take<uint16_t>(n); },
                                         [&](size_t n) { return arena.Take<int32_t>(n); }));
  }
  return std::unique_ptr<Lane>(std::move(lane));
}

}  // namespace podium
