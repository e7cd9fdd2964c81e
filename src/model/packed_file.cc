#include "model/packed_file.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/concat.h"
#include "base/fnv.h"
#include "json/json.h"
#include "json/writer.h"

namespace podium {

static_assert(std::endian::native == std::endian::little, "packed files are little-endian");

namespace {

// The header's fields, at their place in the file.
struct Header {
  std::array<char, 8> magic = kPackedMagic;
  uint32_t version = kPackedVersion;
  uint32_t header_bytes = kPackedHeaderBytes;
  uint64_t file_bytes = 0;
  uint64_t directory_offset = 0;
  uint64_t directory_bytes = 0;
  uint64_t directory_checksum = 0;
  uint64_t reserved = 0;
  uint64_t checksum = 0;  // of all before it
};
static_assert(sizeof(Header) == kPackedHeaderBytes);

uint64_t HeaderChecksum(const Header& header) {
  return Fnv1a(std::as_bytes(std::span(&header, 1)).first(sizeof(Header) - sizeof(uint64_t)));
}

std::string Hexadecimal(uint64_t number) {
  std::array<char, 16> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  return std::string(text.data(), end);
}

std::optional<uint64_t> ParseHexadecimal(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return number;
}

// Reads members of one JSON object; the first that is missing or of another type is the status.
class Members {
 public:
  Members(json::Value object, std::string where) : object_(object), where_(std::move(where)) {}

  std::string Text(const char* key) {
    const auto value = object_.Find(key);
    const auto text = value ? value->AsString() : std::nullopt;
    if (!text) Miss(key, "a text");
    return std::string(text.value_or(""));
  }
  uint64_t Count(const char* key) {
    const auto value = object_.Find(key);
    const auto number = value ? value->AsInt() : std::nullopt;
    if (!number || *number < 0) Miss(key, "a number from 0 on");
    return static_cast<uint64_t>(std::max<int64_t>(0, number.value_or(0)));
  }
  void Miss(const char* key, const char* expected) {
    if (status_.ok()) status_ = Corrupt(Concat(where_, ": ", key, ": expected ", expected));
  }
  std::optional<json::Value> Find(const char* key) const { return object_.Find(key); }
  const Status& status() const { return status_; }

 private:
  json::Value object_;
  std::string where_;
  Status status_;
};

// Elements of a shape times their size, as long as it may be a part of a file.
std::optional<uint64_t> ShapeBytes(const std::vector<int64_t>& shape, size_t element) {
  constexpr uint64_t kMost = uint64_t{1} << 48;
  uint64_t bytes = element;
  for (const int64_t n : shape) {
    if (n < 0 || (n > 0 && bytes > kMost / static_cast<uint64_t>(n))) return {};
    bytes *= static_cast<uint64_t>(n);
  }
  return bytes;
}

Result<PackedSection> ParseSection(json::Value value, const std::string& where) {
  Members members(value, where);
  PackedSection section;
  section.name = members.Text("name");
  section.type = members.Text("type");
  section.offset = members.Count("offset");
  section.bytes = members.Count("bytes");
  const auto checksum = ParseHexadecimal(members.Text("fnv1a"));
  if (!checksum) members.Miss("fnv1a", "a hexadecimal number");
  section.checksum = checksum.value_or(0);
  const auto shape = members.Find("shape");
  constexpr size_t kDimensionsMax = 4;
  if (!shape || !shape->is(json::Type::kArray) || shape->size() > kDimensionsMax) {
    members.Miss("shape", "at most 4 numbers");
  } else {
    shape->ForEachElement([&](json::Value element) {
      const auto n = element.AsInt();
      if (!n) members.Miss("shape", "at most 4 numbers");
      section.shape.push_back(n.value_or(-1));
      return true;
    });
  }
  PODIUM_RETURN_IF_ERROR(members.status());
  if (section.name.empty()) return Corrupt(where + ": name: got \"\"");
  const std::string named = Concat(where, " (", section.name, ")");
  const size_t element = PackedTypeBytes(section.type);
  if (element == 0) {
    return Corrupt(Concat(named, ": type: got \"", section.type,
                          "\", expected f32, f16, bf16, i32, i8 or u8"));
  }
  const auto bytes = ShapeBytes(section.shape, element);
  if (bytes != section.bytes) {
    return Corrupt(Concat(named, ": bytes: got ", section.bytes, ", expected ",
                          bytes ? Concat(*bytes) : "another number", " for its shape"));
  }
  return section;
}

Status CheckPlaces(const std::vector<PackedSection>& sections, uint64_t end,
                   std::string_view origin) {
  uint64_t free = kPackedHeaderBytes;
  std::unordered_set<std::string_view> names;
  for (const PackedSection& section : sections) {
    const auto refuse = [&](auto&&... what) {
      return Corrupt(Concat(origin, ": section ", section.name, ": ", what...));
    };
    if (section.offset % kPackedAlignment != 0) {
      return refuse("offset: got ", section.offset, ", expected a multiple of ", kPackedAlignment);
    }
    if (section.offset < free) {
      return refuse("offset: got ", section.offset, ", expected ", free,
                    " or more, behind the section before it");
    }
    if (section.offset > end || section.bytes > end - section.offset) {
      return refuse("ends at ", section.offset + section.bytes, ", expected ", end, " at most");
    }
    if (!names.insert(section.name).second) return refuse("is there twice");
    free = section.offset + section.bytes;
  }
  return OkStatus();
}

Result<Header> ParseHeader(std::span<const std::byte> file, std::string_view origin) {
  const std::string where = Concat(origin, ": header");
  if (file.size() < kPackedHeaderBytes) {
    return Corrupt(Concat(where, ": the file has ", file.size(), " bytes, expected at least ",
                          kPackedHeaderBytes));
  }
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != kPackedMagic) {
    return Corrupt(Concat(where, ": the first bytes are not those of a packed model"));
  }
  if (header.version > kPackedVersion) {
    return Unsupported(Concat(where, ": version: got ", header.version, ", this Podium reads 1 to ",
                              kPackedVersion, "; a newer one made the file"));
  }
  const uint64_t checksum = HeaderChecksum(header);
  if (header.checksum != checksum) {
    return Corrupt(Concat(where, ": checksum: got ", Hexadecimal(checksum), ", expected ",
                          Hexadecimal(header.checksum)));
  }
  if (header.version == 0 || header.header_bytes != kPackedHeaderBytes) {
    return Corrupt(Concat(where, ": version ", header.version, " with ", header.header_bytes,
                          " bytes, expected ", kPackedHeaderBytes, " bytes"));
  }
  if (header.file_bytes != file.size()) {
    return Corrupt(Concat(where, ": the file has ", file.size(), " bytes, expected ",
                          header.file_bytes,
                          file.size() < header.file_bytes ? ": it was cut short" : ""));
  }
  if (header.directory_bytes > kPackedDirectoryBytesMax) {
    return ResourceExhausted(Concat(origin, ": directory: ", header.directory_bytes,
                                    " bytes, limit ", kPackedDirectoryBytesMax));
  }
  if (header.directory_offset < kPackedHeaderBytes || header.directory_offset > file.size() ||
      header.directory_bytes > file.size() - header.directory_offset) {
    return Corrupt(Concat(origin, ": directory: at ", header.directory_offset, " with ",
                          header.directory_bytes, " bytes, expected within the file's ",
                          file.size()));
  }
  return header;
}

}  // namespace

size_t PackedTypeBytes(std::string_view type) {
  if (type == "f32" || type == "i32") return 4;
  if (type == "f16" || type == "bf16") return 2;
  return type == "i8" || type == "u8" ? 1 : 0;
}

std::array<std::byte, kPackedHeaderBytes> PackedHeader(uint32_t version, uint64_t directory_offset,
                                                       std::span<const std::byte> directory) {
  Header header;
  header.version = version;
  header.file_bytes = directory_offset + directory.size();
  header.directory_offset = directory_offset;
  header.directory_bytes = directory.size();
  header.directory_checksum = Fnv1a(directory);
  header.checksum = HeaderChecksum(header);
  std::array<std::byte, kPackedHeaderBytes> bytes;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string PackedDirectoryText(const PackedDirectory& directory) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  for (const auto& [key, text] :
       {std::pair<const char*, const std::string&>{"made_by", directory.made_by},
        {"source", directory.source},
        {"precision", directory.precision},
        {"calibration", directory.calibration}}) {
    writer.Key(key);
    writer.String(text);
  }
  writer.Key("parameters");
  writer.Int(static_cast<int64_t>(directory.parameters));
  writer.Key("sections");
  writer.BeginArray();
  for (const PackedSection& section : directory.sections) {
    writer.BeginObject();
    writer.Key("name");
    writer.String(section.name);
    writer.Key("type");
    writer.String(section.type);
    writer.Key("shape");
    writer.BeginArray();
    for (const int64_t n : section.shape) writer.Int(n);
    writer.EndArray();
    writer.Key("offset");
    writer.Int(static_cast<int64_t>(section.offset));
    writer.Key("bytes");
    writer.Int(static_cast<int64_t>(section.bytes));
    writer.Key("fnv1a");
    writer.String(Hexadecimal(section.checksum));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  out += '\n';
  return out;
}

Result<PackedDirectory> ParsePackedFile(std::span<const std::byte> file, std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const Header header, ParseHeader(file, origin));
  const auto text = file.subspan(header.directory_offset, header.directory_bytes);
  const std::string where = Concat(origin, ": directory");
  if (const uint64_t checksum = Fnv1a(text); checksum != header.directory_checksum) {
    return Corrupt(Concat(where, ": checksum: got ", Hexadecimal(checksum), ", expected ",
                          Hexadecimal(header.directory_checksum)));
  }
  PODIUM_ASSIGN_OR_RETURN(
      const json::Document document,
      json::Document::Parse({reinterpret_cast<const char*>(text.data()), text.size()}, where));
  if (!document.root().is(json::Type::kObject)) return Corrupt(where + ": expected an object");
  Members members(document.root(), where);
  PackedDirectory directory;
  directory.version = header.version;
  directory.made_by = members.Text("made_by");
  directory.source = members.Text("source");
  directory.precision = members.Text("precision");
  if (members.Find("calibration")) directory.calibration = members.Text("calibration");
  directory.parameters = members.Count("parameters");
  const auto sections = members.Find("sections");
  if (!sections || !sections->is(json::Type::kArray)) members.Miss("sections", "an array");
  PODIUM_RETURN_IF_ERROR(members.status());
  if (sections->size() > kPackedSectionsMax) {
    return ResourceExhausted(
        Concat(where, ": ", sections->size(), " sections, limit ", kPackedSectionsMax));
  }
  Status status;
  sections->ForEachElement([&](json::Value value) {
    const std::string each = Concat(where, ": sections[", directory.sections.size(), "]");
    Result<PackedSection> section = ParseSection(value, each);
    status = section.status();
    if (status.ok()) directory.sections.push_back(*std::move(section));
    return status.ok();
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  PODIUM_RETURN_IF_ERROR(CheckPlaces(directory.sections, header.directory_offset, origin));
  return directory;
}

bool IsPackedFile(const std::string& path) {
  const auto file = MappedFile::Open(path);
  return file.ok() && file->size() >= kPackedMagic.size() &&
         std::memcmp(file->bytes().data(), kPackedMagic.data(), kPackedMagic.size()) == 0;
}

Result<PackedFile> PackedFile::Open(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  auto directory = ParsePackedFile(file.bytes(), path);
  // What looks corrupt may be a file that somebody is writing.
  PODIUM_RETURN_IF_ERROR(file.CheckUnchanged());
  PODIUM_RETURN_IF_ERROR(directory.status());
  PackedFile packed(std::move(file), *std::move(directory));
  packed.Prefetch();
  for (const PackedSection& section : packed.directory().sections) {
    if (section.bytes > kPackedCheckedBytesMax || section.name.starts_with("file/")) continue;
    PODIUM_RETURN_IF_ERROR(packed.Verify(section));
  }
  return packed;
}

const PackedSection* PackedFile::Find(std::string_view name) const {
  const auto found = std::find_if(directory_.sections.begin(), directory_.sections.end(),
                                  [&](const PackedSection& s) { return s.name == name; });
  return found == directory_.sections.end() ? nullptr : &*found;
}

Result<std::span<const std::byte>> PackedFile::Bytes(std::string_view name, std::string_view type,
                                                     size_t bytes_expected) const {
  const PackedSection* section = Find(name);
  if (section == nullptr) {
    return Corrupt(Concat(path(), ": section ", name, ": not there, expected ", bytes_expected,
                          " bytes of ", type));
  }
  if (section->type != type || section->bytes != bytes_expected) {
    return Corrupt(Concat(path(), ": section ", name, ": got ", section->bytes, " bytes of ",
                          section->type, ", expected ", bytes_expected, " of ", type));
  }
  return bytes(*section);
}

Result<std::string> PackedFile::ReadFile(const std::string& name, size_t bytes_max) const {
  const PackedSection* section = Find("file/" + name);
  if (section == nullptr) return NotFound(Concat(path(), ": holds no file ", name));
  if (section->bytes > bytes_max) {
    return ResourceExhausted(Concat(path(), ": section ", section->name,
                                    ": larger than the limit of ", bytes_max, " bytes"));
  }
  PODIUM_RETURN_IF_ERROR(Verify(*section));
  const std::span<const std::byte> text = bytes(*section);
  return std::string(reinterpret_cast<const char*>(text.data()), text.size());
}

Status PackedFile::Verify(const PackedSection& section) const {
  const uint64_t checksum = Fnv1a(bytes(section));
  if (checksum == section.checksum) return OkStatus();
  PODIUM_RETURN_IF_ERROR(CheckUnchanged());
  return Corrupt(Concat(path(), ": section ", section.name, ": checksum: got ",
                        Hexadecimal(checksum), ", expected ", Hexadecimal(section.checksum)));
}

void PackedFile::Prefetch() const {
  for (const PackedSection& section : directory_.sections) {
    if (section.name != "embeddings.word") file_.Prefetch(section.offset, section.bytes);
  }
}

}  // namespace podium
