// Any bytes as the weight files of a model folder: an error that names the folder's files, or a
// model whose every weight can be read.
//
// Input: one byte of choices (bit 0: BERT; bit 1: shards with an index; bit 2: two labels), for
// shards two bytes of the index's length and the index, then the bytes of the one weight file.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/concat.h"
#include "model/model.h"
#include "tests/support/temp_folder.h"

namespace {

void Write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void Read(const podium::TensorView& view, unsigned& sum) {
  const auto* bytes = static_cast<const uint8_t*>(view.data);
  const size_t count = static_cast<size_t>(view.elements()) * podium::ElementSize(view.type);
  for (size_t i = 0; i < count; ++i) sum += bytes[i];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const podium::testing_support::TempFolder folder;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const int choices = data[0];
  input.remove_prefix(1);
  const std::string config = folder.path() + "/config.json";
  const std::string single = folder.path() + "/model.safetensors";
  const std::string index = folder.path() + "/model.safetensors.index.json";
  const std::string shard = folder.path() + "/a";
  for (const std::string& old : {single, index, shard}) std::filesystem::remove(old);
  Write(config, podium::Concat(R"({"model_type":")", (choices & 1) != 0 ? "bert" : "roberta",
                               R"(","num_labels":)", (choices & 4) != 0 ? 2 : 1,
                               R"(,"vocab_size":4,"hidden_size":8,"num_hidden_layers":1,
                                   "num_attention_heads":1,"intermediate_size":8,
                                   "max_position_embeddings":4,"type_vocab_size":1})"));
  if ((choices & 2) != 0) {
    if (input.size() < 2) return 0;
    const size_t bytes =
        static_cast<uint8_t>(input[0]) + size_t{256} * static_cast<uint8_t>(input[1]);
    input.remove_prefix(2);
    Write(index, input.substr(0, bytes));
    input.remove_prefix(std::min(bytes, input.size()));
    Write(shard, input);
  } else {
    Write(single, input);
  }
  const auto model = podium::OpenModel(folder.path());
  if (!model.ok()) {
    PODIUM_CHECK(model.status().message().starts_with(folder.path()));
    return 0;
  }
  unsigned sum = 0;
  const podium::WeightsView& weights = (*model)->weights();
  for (const podium::TensorView* view : {&weights.word_embedding, &weights.position_embedding,
                                         &weights.type_embedding, &weights.embedding_norm.gain}) {
    Read(*view, sum);
  }
  for (const podium::LinearView* view :
       {&weights.head_dense, &weights.head_project, &weights.layers.at(0).query,
        &weights.layers.at(0).key, &weights.layers.at(0).value, &weights.layers.at(0).ffn_up}) {
    Read(view->weight, sum);
    Read(view->bias, sum);
  }
  PODIUM_CHECK((*model)->parameters() > 0 && weights.head_project.weight.columns == 8);
  volatile unsigned kept = sum;
  (void)kept;
  return 0;
}
