#include "tests/golden/plain_encoder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "base/check.h"

namespace podium::golden {
namespace {

double ReadElement(const TensorView& tensor, size_t index) {
  const auto* bytes = static_cast<const std::byte*>(tensor.data) + index * ElementSize(tensor.type);
  if (tensor.type == ElementType::kF32) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return double{value};
  }
  uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  if (tensor.type == ElementType::kBF16) {
    return double{std::bit_cast<float>(uint32_t{bits} << 16)};
  }
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::vector<double> ReadRow(const TensorView& tensor, size_t row) {
  const auto columns = static_cast<size_t>(tensor.columns);
  PODIUM_CHECK(row < static_cast<size_t>(tensor.rows));
  std::vector<double> values(columns);
  for (size_t j = 0; j < columns; ++j) values[j] = ReadElement(tensor, row * columns + j);
  return values;
}

// Eight running sums, so that the compiler may use vectors; in double the order does not matter.
double Dot(std::span<const double> a, std::span<const double> b) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  for (; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

// The decimal number of the config, which the spec holds as the nearest float.
double AsWritten(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", double{value});
  return std::strtod(text, nullptr);
}

double GeluErf(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

}  // namespace

PlainEncoder::Matrix PlainEncoder::Embed(const Batch& batch) const {
  Matrix x(static_cast<size_t>(batch.tokens()), static_cast<size_t>(spec_.hidden));
  int offset = spec_.position_offset - (mistake_ == Mistake::kPositionMinusOne ? 1 : 0);
  if (mistake_ == Mistake::kPositionsFromTwo && offset > 0) offset = 2;
  // RoBERTa's row for its padding id, which positions count past; no id at all for BERT.
  const int padding = spec_.position_offset - 1;
  for (int s = 0; s < batch.size(); ++s) {
    int next = offset;
    for (int t = batch.starts[s]; t < batch.starts[s + 1]; ++t) {
      const bool is_padding = batch.ids[t] == padding && mistake_ != Mistake::kPaddingCounted;
      // A table that starts at row 0 has no row before it: there the mistake repeats the first row.
      const int position = is_padding ? padding : std::max(0, next);
      if (!is_padding) ++next;
      const auto word = ReadRow(weights_.word_embedding, static_cast<size_t>(batch.ids[t]));
      const auto place = ReadRow(weights_.position_embedding, static_cast<size_t>(position));
      const auto out = x.row(static_cast<size_t>(t));
      for (size_t j = 0; j < out.size(); ++j) out[j] = word[j] + place[j];
      if (!weights_.type_embedding.present() || mistake_ == Mistake::kTypesDropped) continue;
      const bool zero = batch.types.empty() || mistake_ == Mistake::kTypesZero;
      const auto type = ReadRow(weights_.type_embedding, zero ? 0 : batch.types[t]);
      for (size_t j = 0; j < out.size(); ++j) out[j] += type[j];
    }
  }
  return x;
}

PlainEncoder::Matrix PlainEncoder::Linear(const Matrix& x, const LinearView& linear,
                                          bool with_bias) const {
  Matrix y(x.rows, static_cast<size_t>(linear.weight.rows));
  for (size_t j = 0; j < y.columns; ++j) {
    const std::vector<double> weight = ReadRow(linear.weight, j);
    const double bias = with_bias ? ReadElement(linear.bias, j) : 0;
    for (size_t i = 0; i < x.rows; ++i) y.row(i)[j] = Dot(x.row(i), weight) + bias;
  }
  return y;
}

void PlainEncoder::Norm(Matrix& x, const NormView& norm) const {
  double eps = AsWritten(spec_.norm_eps);
  if (mistake_ == Mistake::kWrongEps) eps = eps < 1e-8 ? 1e-5 : 1e-12;
  for (size_t i = 0; i < x.rows; ++i) {
    const auto row = x.row(i);
    const auto width = static_cast<double>(row.size());
    double mean = 0;
    for (const double value : row) mean += value / width;
    double variance = 0;
    for (const double value : row) variance += (value - mean) * (value - mean) / width;
    for (size_t j = 0; j < row.size(); ++j) {
      row[j] = (row[j] - mean) / std::sqrt(variance + eps) * ReadElement(norm.gain, j) +
               ReadElement(norm.bias, j);
    }
  }
}

PlainEncoder::Matrix PlainEncoder::Attention(const Batch& batch, const Matrix& q, const Matrix& k,
                                             const Matrix& v) {
  Matrix out(q.rows, q.columns);
  const auto size = static_cast<size_t>(spec_.head_size());
  double scale = 1 / std::sqrt(static_cast<double>(size));
  if (mistake_ == Mistake::kScaleMissing) scale = 1;
  if (mistake_ == Mistake::kScaleOfHidden) scale = 1 / std::sqrt(static_cast<double>(q.columns));
  std::vector<double> weights;
  for (int s = 0; s < batch.size(); ++s) {
    const bool all = mistake_ == Mistake::kNeighbourVisible;
    const auto begin = static_cast<size_t>(all ? 0 : batch.starts[s]);
    auto end = static_cast<size_t>(all ? batch.tokens() : batch.starts[s + 1]);
    if (mistake_ == Mistake::kLastKeyHidden && end - begin > 1) --end;
    for (size_t head = 0; head < static_cast<size_t>(spec_.heads); ++head) {
      const size_t from = head * size;
      const size_t key_from = mistake_ == Mistake::kHeadsMixed ? (from + size) % q.columns : from;
      for (int t = batch.starts[s]; t < batch.starts[s + 1]; ++t) {
        const auto query = static_cast<const Matrix&>(q).row(static_cast<size_t>(t));
        weights.assign(end - begin, 0);
        for (size_t key = begin; key < end; ++key) {
          const double score =
              scale * Dot(query.subspan(from, size), k.row(key).subspan(key_from, size));
          weights[key - begin] = score;
          score_sum_ += score;
          score_squares_ += score * score;
          score_count_ += 1;
        }
        const double largest = *std::max_element(weights.begin(), weights.end());
        double total = 0;
        for (double& weight : weights) total += weight = std::exp(weight - largest);
        const auto result = out.row(static_cast<size_t>(t)).subspan(from, size);
        for (size_t key = begin; key < end; ++key) {
          const auto value = v.row(key).subspan(from, size);
          const double weight = weights[key - begin] / total;
          for (size_t j = 0; j < size; ++j) result[j] += weight * value[j];
        }
      }
    }
  }
  return out;
}

void PlainEncoder::Activate(Matrix& x) const {
  Activation activation = spec_.activation;
  if (mistake_ == Mistake::kGeluTanh) activation = Activation::kGeluTanh;
  if (mistake_ == Mistake::kGeluErf) activation = Activation::kGeluErf;
  for (double& value : x.values) {
    switch (activation) {
      case Activation::kGeluErf:
        value = GeluErf(value);
        break;
      case Activation::kGeluTanh:
        value = GeluTanh(value);
        break;
      case Activation::kRelu:
        value = std::max(value, 0.0);
        break;
      case Activation::kSilu:
        value = value / (1 + std::exp(-value));
        break;
    }
  }
}

void PlainEncoder::Layer(const Batch& batch, const LayerView& layer, Matrix& x) {
  const auto add = [](Matrix& sum, const Matrix& part) {
    for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += part.values[i];
  };
  const bool pre = mistake_ == Mistake::kPreNorm;

  Matrix input = x;
  if (pre) Norm(input, layer.attention_norm);
  const Matrix attended = Attention(batch, Linear(input, layer.query), Linear(input, layer.key),
                                    Linear(input, layer.value, mistake_ != Mistake::kBiasDropped));
  add(x, Linear(attended, layer.attention_output));
  if (!pre) Norm(x, layer.attention_norm);

  input = x;
  if (pre) Norm(input, layer.ffn_norm);
  Matrix middle = Linear(input, layer.ffn_up);
  Activate(middle);
  const Matrix result = Linear(middle, layer.ffn_down);
  if (mistake_ == Mistake::kResidualDropped) {
    x = result;
  } else {
    add(x, result);
  }
  if (!pre) Norm(x, layer.ffn_norm);
}

std::vector<double> PlainEncoder::Score(const Batch& batch) {
  PODIUM_CHECK(spec_.norm_place == NormPlace::kPost && spec_.mlp == MlpKind::kPlain);
  PODIUM_CHECK(spec_.position_kind == PositionKind::kLearned && spec_.mask == MaskKind::kFull);
  PODIUM_CHECK(spec_.pooling == Pooling::kFirst && spec_.labels <= 2);
  Matrix x = Embed(batch);
  Norm(x, weights_.embedding_norm);
  for (const LayerView& layer : weights_.layers) Layer(batch, layer, x);

  Matrix pooled(static_cast<size_t>(batch.size()), x.columns);
  for (int s = 0; s < batch.size(); ++s) {
    const bool last = mistake_ == Mistake::kLastTokenPooled;
    const auto from = x.row(static_cast<size_t>(last ? batch.starts[s + 1] - 1 : batch.starts[s]));
    std::copy(from.begin(), from.end(), pooled.row(static_cast<size_t>(s)).begin());
  }
  if (mistake_ != Mistake::kPoolerDropped) {
    pooled = Linear(pooled, weights_.head_dense);
    if (mistake_ != Mistake::kPoolerNoTanh) {
      for (double& value : pooled.values) value = std::tanh(value);
    }
  }
  const Matrix outputs = Linear(pooled, weights_.head_project);
  if (spec_.labels == 1) return outputs.values;
  std::vector<double> logits;
  for (size_t i = 0; i < outputs.rows; ++i) {
    const auto labels = outputs.row(i);
    logits.push_back(mistake_ == Mistake::kFirstLabel      ? labels[0]
                     : mistake_ == Mistake::kLabelsSwapped ? labels[0] - labels[1]
                                                           : labels[1] - labels[0]);
  }
  return logits;
}

double PlainEncoder::attention_deviation() const {
  const double mean = score_sum_ / score_count_;
  return std::sqrt(score_squares_ / score_count_ - mean * mean);
}

}  // namespace podium::golden
