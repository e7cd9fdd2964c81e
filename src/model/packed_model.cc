#include "model/packed_model.h"

#include <utility>

namespace podium {
namespace {

// The element type of a section; of none for a type that holds no floats.
const ElementType* FloatType(const std::string& type) {
  static constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kF16,
                                           ElementType::kBF16};
  for (const ElementType& known : kTypes) {
    if (type == PackedTypeName(known)) return &known;
  }
  return nullptr;
}

Status Bind(const PackedFile& file, const std::string& name, int64_t rows, int64_t columns,
            TensorView& view) {
  const auto refuse = [&](auto&&... what) {
    return Corrupt(Concat(file.path(), ": section ", name, ": ", what..., ", expected [", rows,
                          ", ", columns, "] of f32, f16 or bf16"));
  };
  const PackedSection* section = file.Find(name);
  if (section == nullptr) return refuse("not there");
  const ElementType* type = FloatType(section->type);
  if (type == nullptr || section->shape != std::vector<int64_t>{rows, columns}) {
    std::string shape;
    for (const int64_t n : section->shape) shape += Concat(shape.empty() ? "" : ", ", n);
    return refuse("got [", shape, "] of ", section->type);
  }
  view = {.data = file.bytes(*section).data(), .type = *type, .rows = rows, .columns = columns};
  return OkStatus();
}

}  // namespace

Result<WeightsView> BindPacked(const PackedFile& file, const EncoderSpec& spec) {
  WeightsView weights;
  weights.layers.resize(static_cast<size_t>(spec.layers));
  Status status;
  ForEachPlainTensor(weights, spec,
                     [&](const std::string& name, TensorView& view, int rows, int columns) {
                       if (status.ok()) status = Bind(file, name, rows, columns, view);
                     });
  ForEachEncoderLinear(weights, spec,
                       [&](const std::string& name, LinearView& linear, int outputs, int inputs) {
                         linear.weight.rows = outputs;
                         linear.weight.columns = inputs;
                         if (!status.ok() || file.Find(name + ".panels") != nullptr) return;
                         status = Bind(file, name + ".weight", outputs, inputs, linear.weight);
                         if (status.ok())
                           status = Bind(file, name + ".bias", 1, outputs, linear.bias);
                       });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  return weights;
}

}  // namespace podium
