// What is served, as clients ask for it.
#ifndef PODIUM_API_INFO_H_
#define PODIUM_API_INFO_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace podium::api {

struct ServedModel {
  std::vector<std::string> names;  // the first one is shown
  std::string model_id;            // as it was asked for, or the folder's name
  std::string precision;           // "fp32", "int8"
  std::string isa;
  int length_max = 0;
  int batch_tokens_max = 0;
  int requests_max = 0;
  int documents_max = 0;
  int text_threads = 0;
  int64_t created = 0;  // seconds since 1970 when it was loaded
  std::string version;
};

/// TEI's GET /info, of the first model; Dify reads `model_type`'s first key and `max_input_length`.
/// `models` has them all.
std::string EncodeInfo(std::span<const ServedModel> models);
/// GET /v1/models, each name of each, and one of them: OpenAI's form with Xinference's
/// `model_type`.
std::string EncodeModels(std::span<const ServedModel> models);
std::string EncodeModel(const ServedModel& model, std::string_view name);

}  // namespace podium::api

#endif  // PODIUM_API_INFO_H_
