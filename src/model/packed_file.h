// A whole model in one file, ready to be mapped: header, sections, directory. docs/model_format.md
// has the drawing.
#ifndef PODIUM_MODEL_PACKED_FILE_H_
#define PODIUM_MODEL_PACKED_FILE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/status.h"

namespace podium {

/// A writer states the lowest version that has all it wrote, a reader reads every version up to its
/// own. A new kind of section that may be left out needs no new version; whatever would make an
/// older reader compute something else does.
constexpr uint32_t kPackedVersion = 2;
constexpr std::array<char, 8> kPackedMagic = {'\x89', 'P', 'o', 'd', 'i', 'u', 'm', '\n'};
constexpr size_t kPackedHeaderBytes = 64;
constexpr size_t kPackedAlignment = 64;  // of every section: a cache line, the widest vector

constexpr size_t kPackedDirectoryBytesMax = size_t{16} << 20;
constexpr size_t kPackedSectionsMax = 65536;
/// Sections up to this size are compared with their checksums when the file is opened, larger ones
/// by Verify only.
constexpr size_t kPackedCheckedBytesMax = size_t{256} << 10;

/// An array or, of type "u8" and with a name like "file/config.json", a file of the model's folder.
struct PackedSection {
  std::string name;
  std::string type;  // "f32", "f16", "bf16", "i32", "i8", "u8"
  std::vector<int64_t> shape;
  uint64_t offset = 0;  // from the start of the file
  uint64_t bytes = 0;
  uint64_t checksum = 0;  // FNV-1a of its bytes
};

/// Bytes of one element; 0 for a type that no version has.
size_t PackedTypeBytes(std::string_view type);

struct PackedDirectory {
  uint32_t version = kPackedVersion;
  std::string made_by;      // Podium's version
  std::string source;       // the model's name when it was packed
  std::string precision;    // of the encoder's linear layers: "int8"
  std::string calibration;  // how what is in float was chosen, in words; may be ""
  uint64_t parameters = 0;
  std::vector<PackedSection> sections;  // by rising offset, none over another
};

/// The bytes of a file's header for a directory that lies at the end.
std::array<std::byte, kPackedHeaderBytes> PackedHeader(uint32_t version, uint64_t directory_offset,
                                                       std::span<const std::byte> directory);
/// A directory as it is written.
std::string PackedDirectoryText(const PackedDirectory& directory);

/// Header and directory of a whole file. kCorrupt with `origin`, the part of the file, what was
/// found and what was expected; kUnsupported for a newer version. Reads no section.
Result<PackedDirectory> ParsePackedFile(std::span<const std::byte> file, std::string_view origin);

/// Whether a path leads to a regular file that starts as a packed model does.
bool IsPackedFile(const std::string& path);

/// A packed file, mapped. Immutable; any thread.
class PackedFile {
 public:
  /// Small sections are compared with their checksums.
  static Result<PackedFile> Open(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const PackedDirectory& directory() const { return directory_; }
  size_t size() const { return file_.size(); }
  std::span<const std::byte> bytes() const { return file_.bytes(); }
  Status CheckUnchanged() const { return file_.CheckUnchanged(); }

  /// Null when there is none.
  const PackedSection* Find(std::string_view name) const;
  std::span<const std::byte> bytes(const PackedSection& section) const {
    return file_.bytes().subspan(section.offset, section.bytes);
  }

  /// kCorrupt, naming file, section, got and expected, when it is not there, of another type or not
  /// of `count` elements.
  template <typename T>
  Result<std::span<const T>> Array(std::string_view name, size_t count) const {
    constexpr const char* kType = std::is_same_v<T, float>     ? "f32"
                                  : std::is_same_v<T, int32_t> ? "i32"
                                                               : "i8";
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, int32_t> ||
                  std::is_same_v<T, int8_t>);
    PODIUM_ASSIGN_OR_RETURN(const std::span<const std::byte> data,
                            Bytes(name, kType, count * sizeof(T)));
    return std::span(reinterpret_cast<const T*>(data.data()), count);
  }

  /// A file of the model's folder, compared with its checksum. kNotFound when it has none of that
  /// name.
  Result<std::string> ReadFile(const std::string& name, size_t bytes_max) const;

  /// kCorrupt when the section's bytes do not have its checksum.
  Status Verify(const PackedSection& section) const;

  /// Takes whole pages of a part of bytes() out of this process's memory: it was copied. They stay
  /// in the page cache as long as there is room.
  void Drop(std::span<const std::byte> part) const {
    file_.Drop(static_cast<size_t>(part.data() - file_.bytes().data()), part.size());
  }

  /// Starts reading all but the word embeddings, of which few rows are used.
  void Prefetch() const;

 private:
  PackedFile(MappedFile file, PackedDirectory directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}
  Result<std::span<const std::byte>> Bytes(std::string_view name, std::string_view type,
                                           size_t bytes) const;

  MappedFile file_;
  PackedDirectory directory_;
};

}  // namespace podium

#endif  // PODIUM_MODEL_PACKED_FILE_H_
