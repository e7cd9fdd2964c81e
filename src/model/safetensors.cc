#include "model/safetensors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "json/json.h"

namespace podium {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kHeaderBytesMax = 100'000'000;  // the format's own limit
constexpr int kHeaderDepthMax = 8;
constexpr size_t kDimensionsMax = 16;

struct Dtype {
  std::string_view name;
  uint64_t bytes;
};
constexpr Dtype kDtypes[] = {
    {"F32", 4}, {"F16", 2},  {"BF16", 2},    {"F64", 8},     {"I64", 8},     {"I32", 4},
    {"I16", 2}, {"I8", 1},   {"U64", 8},     {"U32", 4},     {"U16", 2},     {"U8", 1},
    {"C64", 8}, {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
};

std::optional<uint64_t> DtypeBytes(std::string_view name) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.name == name) return dtype.bytes;
  }
  return std::nullopt;
}

// The integers of an array; nullopt unless all are integers of at least 0.
std::optional<std::vector<int64_t>> Naturals(const std::optional<json::Value>& value,
                                             size_t count_max) {
  if (!value || !value->is(json::Type::kArray) || value->size() > count_max) return std::nullopt;
  std::vector<int64_t> numbers;
  value->ForEachElement([&](json::Value element) {
    const auto number = element.AsInt();
    if (!number || *number < 0) return false;
    numbers.push_back(*number);
    return true;
  });
  if (numbers.size() != value->size()) return std::nullopt;
  return numbers;
}

// One member of the header. Offsets stay relative to the data.
Result<TensorEntry> ParseEntry(std::string_view name, json::Value value, std::string_view origin) {
  const auto bad = [&](const auto&... why) {
    return Corrupt(Concat(origin, ": tensor ", name, ": ", why...));
  };
  TensorEntry entry;
  entry.name = name;
  const auto dtype_value = value.Find("dtype");
  const auto dtype = dtype_value ? dtype_value->AsString() : std::nullopt;
  if (!dtype) return bad("dtype is missing or no string");
  const auto element_bytes = DtypeBytes(*dtype);
  if (!element_bytes) return bad("unknown dtype ", *dtype);
  entry.dtype = *dtype;

  auto shape = Naturals(value.Find("shape"), kDimensionsMax);
  if (!shape) return bad("shape is no list of up to ", kDimensionsMax, " integers from 0");
  entry.shape = std::move(*shape);
  const auto offsets = Naturals(value.Find("data_offsets"), 2);
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
    return bad("data_offsets is no pair of rising integers from 0");
  }
  entry.begin = static_cast<uint64_t>((*offsets)[0]);
  entry.end = static_cast<uint64_t>((*offsets)[1]);

  uint64_t bytes = *element_bytes;
  for (const int64_t dimension : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes)) {
      return bad("the shape's size overflows");
    }
  }
  if (bytes != entry.end - entry.begin) {
    return bad("shape and dtype ask for ", bytes, " bytes, data_offsets give ",
               entry.end - entry.begin);
  }
  return entry;
}

}  // namespace

Result<std::vector<TensorEntry>> ParseSafetensors(std::span<const std::byte> file,
                                                  std::string_view origin) {
  if (file.size() < kLengthBytes) {
    return Corrupt(Concat(origin, ": ", file.size(), " bytes are too few for a safetensors file",
                          " (an unfinished download?)"));
  }
  uint64_t header_bytes = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    header_bytes |= std::to_integer<uint64_t>(file[i]) << (8 * i);
  }
  const uint64_t rest = file.size() - kLengthBytes;
  if (header_bytes > kHeaderBytesMax) {
    return Corrupt(Concat(origin, ": header of ", header_bytes, " bytes, limit ", kHeaderBytesMax,
                          "; is this a safetensors file (or a pointer to one)?"));
  }
  if (header_bytes > rest) {
    return Corrupt(Concat(origin, ": header of ", header_bytes, " bytes, but only ", rest,
                          " bytes follow (an unfinished download?)"));
  }
  const std::string_view header(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                                static_cast<size_t>(header_bytes));
  const std::string header_origin = Concat(origin, " (header)");
  PODIUM_ASSIGN_OR_RETURN(
      const json::Document document,
      json::Document::Parse(header, header_origin,
                            {.bytes_max = kHeaderBytesMax, .depth_max = kHeaderDepthMax}));
  if (!document.root().is(json::Type::kObject)) {
    return Corrupt(Concat(header_origin, ": expected an object"));
  }

  std::vector<TensorEntry> entries;
  Status status;
  document.root().ForEachMember([&](std::string_view name, json::Value value) {
    if (name == "__metadata__") return true;
    Result<TensorEntry> entry = ParseEntry(name, value, origin);
    if (!entry.ok()) {
      status = entry.status();
      return false;
    }
    entries.push_back(std::move(*entry));
    return true;
  });
  PODIUM_RETURN_IF_ERROR(status);

  std::sort(entries.begin(), entries.end(),
            [](const TensorEntry& a, const TensorEntry& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(
      entries.begin(), entries.end(),
      [](const TensorEntry& a, const TensorEntry& b) { return a.name == b.name; });
  if (twice != entries.end()) {
    return Corrupt(Concat(origin, ": tensor ", twice->name, " is there twice"));
  }

  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const uint64_t data_bytes = rest - header_bytes;
  uint64_t reached = 0;
  for (TensorEntry& entry : entries) {
    if (entry.begin != reached) {
      return Corrupt(
          Concat(origin, ": tensor ", entry.name, " starts at byte ", entry.begin,
                 entry.begin < reached ? ", inside the one before it" : ", leaving a gap",
                 "; expected ", reached));
    }
    if (entry.end > data_bytes) {
      return Corrupt(Concat(origin, ": tensor ", entry.name, " ends at byte ", entry.end, " of ",
                            data_bytes, " (an unfinished download?)"));
    }
    reached = entry.end;
    entry.begin += kLengthBytes + header_bytes;
    entry.end += kLengthBytes + header_bytes;
  }
  if (reached != data_bytes) {
    return Corrupt(Concat(origin, ": ", data_bytes - reached, " bytes belong to no tensor"));
  }
  return entries;
}

}  // namespace podium
