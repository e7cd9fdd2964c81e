// Options by name, so that a new one needs no new function here nor in any language's binding.
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "base/concat.h"
#include "c_interface/boundary.h"

namespace podium {
namespace {

struct Key {
  const char* name;
  std::string OpenOptions::* text;  // one of the three
  int OpenOptions::* number;
  bool OpenOptions::* flag = nullptr;
};

constexpr Key kKeys[] = {
    {"precision", &OpenOptions::precision, nullptr},
    {"isa", &OpenOptions::isa, nullptr},
    {"threads", nullptr, &OpenOptions::threads},
    {"max_length", nullptr, &OpenOptions::max_length},
    {"truncation", &OpenOptions::truncation, nullptr},
    {"batch_tokens_max", nullptr, &OpenOptions::batch_tokens_max},
    {"lock_memory", nullptr, nullptr, &OpenOptions::lock_memory},
    {"read_in_place", nullptr, nullptr, &OpenOptions::read_in_place},
};

// Stops compiling when OpenOptions gets a field: give it a key above, and a line in podium.h.
[[maybe_unused]] void EveryFieldHasAKey(const OpenOptions& options) {
  [[maybe_unused]] const auto& [model, precision, isa, threads, max_length, truncation,
                                batch_tokens_max, lock_memory, read_in_place] = options;
}

Status Set(OpenOptions& options, std::string_view name, const char* value) {
  std::string known;
  for (const Key& key : kKeys) {
    if (name != key.name) {
      known += Concat(known.empty() ? "" : ", ", key.name);
      continue;
    }
    if (value == nullptr) return InvalidArgument(Concat(name, ": got NULL, expected a value"));
    if (key.text != nullptr) {
      options.*key.text = value;
      return OkStatus();
    }
    if (key.flag != nullptr) {
      const std::string_view text = value;
      if (text != "0" && text != "1") {
        return InvalidArgument(Concat(name, ": got \"", text, "\", expected 0 or 1"));
      }
      options.*key.flag = text == "1";
      return OkStatus();
    }
    const char* end = value + std::strlen(value);
    int number = 0;
    const auto read = std::from_chars(value, end, number);
    if (read.ec != std::errc() || read.ptr != end) {
      return InvalidArgument(Concat(name, ": got \"", value, "\", expected a whole number"));
    }
    options.*key.number = number;
    return OkStatus();
  }
  return InvalidArgument(Concat("no option \"", name, "\"; known: ", known));
}

}  // namespace
}  // namespace podium

podium_options* podium_options_new(void) { return new (std::nothrow) podium_options; }

podium_code podium_options_set(podium_options* options, const char* key, const char* value,
                               podium_error** error) {
  return podium::WithinBorder(error, [&] {
    if (options == nullptr) return podium::InvalidArgument("options: got NULL");
    if (key == nullptr) return podium::InvalidArgument("key: got NULL, expected an option's name");
    return podium::Set(options->open, key, value);
  });
}

void podium_options_free(podium_options* options) { delete options; }
