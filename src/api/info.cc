#include "api/info.h"

#include "json/writer.h"

namespace podium::api {
namespace {

void WriteModel(const ServedModel& model, std::string_view name, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("id");
  writer.String(name);
  writer.Key("object");
  writer.String("model");
  writer.Key("created");
  writer.Int(model.created);
  writer.Key("owned_by");
  writer.String("podium");
  writer.Key("model_type");
  writer.String("rerank");
  writer.Key("max_tokens");
  writer.Int(model.length_max);
  writer.EndObject();
}

}  // namespace

std::string EncodeInfo(std::span<const ServedModel> models) {
  const ServedModel& model = models.front();
  std::string body;
  json::Writer writer(body);
  const auto text = [&](const char* key, std::string_view value) {
    writer.Key(key);
    writer.String(value);
  };
  const auto number = [&](const char* key, int64_t value) {
    writer.Key(key);
    writer.Int(value);
  };
  writer.BeginObject();
  text("model_id", model.model_id);
  writer.Key("model_sha");
  writer.Null();
  text("model_dtype", model.precision == "fp32" ? "float32" : model.precision);
  text("served_model_name", model.names.front());
  writer.Key("model_type");
  writer.BeginObject();
  writer.Key("reranker");
  writer.BeginObject();
  writer.Key("id2label");
  writer.BeginObject();
  text("0", "LABEL_0");
  writer.EndObject();
  writer.Key("label2id");
  writer.BeginObject();
  number("LABEL_0", 0);
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  number("max_concurrent_requests", model.requests_max);
  number("max_input_length", model.length_max);
  number("max_batch_tokens", model.batch_tokens_max);
  writer.Key("max_batch_requests");
  writer.Null();
  number("max_client_batch_size", model.documents_max);
  writer.Key("auto_truncate");
  writer.Bool(true);
  number("tokenization_workers", model.text_threads);
  text("version", model.version);
  writer.Key("sha");
  writer.Null();
  writer.Key("docker_label");
  writer.Null();
  text("precision", model.precision);
  text("isa", model.isa);
  writer.Key("models");
  writer.BeginArray();
  for (const ServedModel& one : models) {
    writer.BeginObject();
    text("model_id", one.model_id);
    writer.Key("names");
    writer.BeginArray();
    for (const std::string& name : one.names) writer.String(name);
    writer.EndArray();
    text("precision", one.precision);
    text("isa", one.isa);
    number("max_input_length", one.length_max);
    number("max_batch_tokens", one.batch_tokens_max);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return body;
}

std::string EncodeModels(std::span<const ServedModel> models) {
  std::string body;
  json::Writer writer(body);
  writer.BeginObject();
  writer.Key("object");
  writer.String("list");
  writer.Key("data");
  writer.BeginArray();
  for (const ServedModel& model : models) {
    for (const std::string& name : model.names) WriteModel(model, name, writer);
  }
  writer.EndArray();
  writer.EndObject();
  return body;
}

std::string EncodeModel(const ServedModel& model, std::string_view name) {
  std::string body;
  json::Writer writer(body);
  WriteModel(model, name, writer);
  return body;
}

}  // namespace podium::api
