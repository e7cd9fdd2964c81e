// Any bytes: the fast parser and its plain twin agree on what is JSON, and what was read can be
// written and read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "json/json.h"
#include "json/scan.h"
#include "json/writer.h"

namespace podium::json {
namespace {

void Copy(Value value, Writer& writer) {
  switch (value.type()) {
    case Type::kNull:
      return writer.Null();
    case Type::kBool:
      return writer.Bool(value.AsBool().value());
    case Type::kInteger:
      return writer.Int(value.AsInt().value());
    case Type::kUnsigned:
    case Type::kDouble:
      return writer.Double(value.AsDouble().value());
    case Type::kString:
      return writer.String(value.AsString().value());
    case Type::kArray: {
      writer.BeginArray();
      size_t count = 0;
      value.ForEachElement([&](Value element) {
        Copy(element, writer);
        ++count;
        return true;
      });
      PODIUM_CHECK(count == value.size());
      return writer.EndArray();
    }
    case Type::kObject:
      writer.BeginObject();
      value.ForEachMember([&](std::string_view key, Value member) {
        PODIUM_CHECK(value.Find(key).has_value());
        writer.Key(key);
        Copy(member, writer);
        return true;
      });
      return writer.EndObject();
  }
}

std::string Rewrite(Value value) {
  std::string out;
  Writer writer(out);
  Copy(value, writer);
  return out;
}

}  // namespace
}  // namespace podium::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace podium::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr Document::Limits kLimits{.bytes_max = 1 << 20, .depth_max = 20};
  const auto document = Document::Parse(text, "fuzz", kLimits);
  const Scan scan = ScanJson(text, kLimits.depth_max);
  if (size > kLimits.bytes_max) {
    PODIUM_CHECK(!document.ok());
    return 0;
  }
  if (scan.verdict != Scan::Verdict::kTooDeep) {
    PODIUM_CHECK(document.ok() == (scan.verdict == Scan::Verdict::kValid));
  }
  if (!document.ok()) return 0;
  const std::string once = Rewrite(document->root());
  const auto again = Document::Parse(once, "rewritten");
  PODIUM_CHECK(again.ok());
  PODIUM_CHECK(Rewrite(again->root()) == once);
  return 0;
}
