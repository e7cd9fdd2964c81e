#include "json/json.h"

#include <simdjson.h>

#include <bit>
#include <string>
#include <utility>

#include "base/concat.h"
#include "json/scan.h"

namespace podium::json {
namespace {

namespace dom = simdjson::dom;

// A Value is a dom::element under another name: a document's address and a position on its tape.
static_assert(sizeof(Value) == sizeof(dom::element));
static_assert(std::is_trivially_copyable_v<dom::element> && std::is_trivially_copyable_v<Value>);

dom::element Element(const Value& value) { return std::bit_cast<dom::element>(value); }
Value Wrap(dom::element element) { return std::bit_cast<Value>(element); }

// simdjson counts elements in 24 bits and stops at the largest such number.
constexpr size_t kCountSaturated = 0xFFFFFF;

// simdjson 3.0 lets "\udc00", the second half of a pair alone, through as bytes that are not UTF-8.
// Surrogate escapes are rare, so a text that has any is scanned.
bool HasSurrogateEscape(std::string_view text) {
  for (size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    if (at + 2 < text.size() && text[at + 1] == 'u' &&
        (text[at + 2] == 'd' || text[at + 2] == 'D')) {
      return true;
    }
  }
  return false;
}

}  // namespace

struct Document::Impl {
  dom::document tape;
};

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::Parse(std::string_view text, std::string_view origin,
                                 const Limits& limits) {
  if (text.size() > limits.bytes_max) {
    return ResourceExhausted(
        Concat(origin, ": ", text.size(), " bytes of JSON, limit ", limits.bytes_max));
  }
  const auto refuse = [&](const Scan& scan) {
    std::string message = Concat(origin, ": byte ", scan.offset, ": ", scan.reason);
    if (scan.verdict != Scan::Verdict::kTooDeep) return Corrupt(std::move(message));
    return ResourceExhausted(Concat(message, ", limit ", limits.depth_max));
  };

  if (text.data() == nullptr) text = "";  // simdjson copies from there, be it no bytes

  auto impl = std::make_unique<Impl>();
  // The parser's own buffers (the padded copy of the text, structural indexes) die with it here;
  // the document keeps the tape and the decoded strings.
  const auto parse = [&](std::string_view padded_by_copy) {
    dom::parser parser(size_t{0xFFFFFFFF});
    // One more than the limit: simdjson counts the root as a level.
    if (const auto code = parser.allocate(padded_by_copy.size(), limits.depth_max + 1)) return code;
    return parser
        .parse_into_document(impl->tape, padded_by_copy.data(), padded_by_copy.size(), true)
        .error();
  };

  simdjson::error_code code = simdjson::SUCCESS;
  if (text.starts_with("\xEF\xBB\xBF")) {
    code = simdjson::TAPE_ERROR;  // later versions of simdjson would skip it
  } else {
    code = parse(text);
  }
  if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY) {
    return ResourceExhausted(Concat(origin, ": no memory to parse ", text.size(), " bytes"));
  }
  if (code == simdjson::SUCCESS && !HasSurrogateEscape(text)) return Document(std::move(impl));

  const Scan scan = ScanJson(text, limits.depth_max);
  if (scan.verdict != Scan::Verdict::kValid) return refuse(scan);
  if (code != simdjson::SUCCESS && !scan.wide_integer_ends.empty()) {
    // Python writes "no limit" as 1000000000000000019884624838656. Such an integer becomes a
    // double: ".0" behind it makes it one for the parser as well.
    std::string widened;
    widened.reserve(text.size() + 2 * scan.wide_integer_ends.size());
    size_t from = 0;
    for (const size_t end : scan.wide_integer_ends) {
      widened.append(text.substr(from, end - from)).append(".0");
      from = end;
    }
    widened.append(text.substr(from));
    code = parse(widened);
  }
  if (code != simdjson::SUCCESS) {
    return Corrupt(Concat(origin, ": ", simdjson::error_message(code)));
  }
  return Document(std::move(impl));
}

Value Document::root() const { return Wrap(impl_->tape.root()); }

void Document::KeepTextsOnly() { impl_->tape.tape.reset(); }

Type Value::type() const {
  switch (Element(*this).type()) {
    case dom::element_type::ARRAY:
      return Type::kArray;
    case dom::element_type::OBJECT:
      return Type::kObject;
    case dom::element_type::INT64:
      return Type::kInteger;
    case dom::element_type::UINT64:
      return Type::kUnsigned;
    case dom::element_type::DOUBLE:
      return Type::kDouble;
    case dom::element_type::STRING:
      return Type::kString;
    case dom::element_type::BOOL:
      return Type::kBool;
    default:
      return Type::kNull;
  }
}

bool Value::is_number() const {
  const Type kind = type();
  return kind == Type::kInteger || kind == Type::kUnsigned || kind == Type::kDouble;
}

const char* Value::type_name() const {
  switch (type()) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "boolean";
    case Type::kInteger:
    case Type::kUnsigned:
      return "integer";
    case Type::kDouble:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "unknown";
}

std::optional<bool> Value::AsBool() const {
  bool value = false;
  if (Element(*this).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<int64_t> Value::AsInt() const {
  int64_t value = 0;
  if (Element(*this).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<double> Value::AsDouble() const {
  double value = 0;
  if (Element(*this).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::string_view> Value::AsString() const {
  std::string_view value;
  if (Element(*this).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<Value> Value::Find(std::string_view key) const {
  std::optional<Value> found;
  ForEachMember([&](std::string_view name, Value value) {
    if (name == key) found = value;
    return true;
  });
  return found;
}

size_t Value::size() const {
  size_t count = 0;
  dom::array array;
  dom::object object;
  if (Element(*this).get(array) == simdjson::SUCCESS) {
    count = array.size();
    if (count == kCountSaturated) {
      count = 0;
      for ([[maybe_unused]] const dom::element element : array) ++count;
    }
  } else if (Element(*this).get(object) == simdjson::SUCCESS) {
    count = object.size();
    if (count == kCountSaturated) {
      count = 0;
      for ([[maybe_unused]] const auto member : object) ++count;
    }
  }
  return count;
}

void Value::ForEachElement(FunctionRef<bool(Value)> visit) const {
  dom::array array;
  if (Element(*this).get(array) != simdjson::SUCCESS) return;
  for (const dom::element element : array) {
    if (!visit(Wrap(element))) return;
  }
}

void Value::ForEachMember(FunctionRef<bool(std::string_view key, Value)> visit) const {
  dom::object object;
  if (Element(*this).get(object) != simdjson::SUCCESS) return;
  for (const auto member : object) {
    if (!visit(member.key, Wrap(member.value))) return;
  }
}

}  // namespace podium::json
