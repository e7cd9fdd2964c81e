// Who may ask.
#ifndef PODIUM_SERVICE_API_KEYS_H_
#define PODIUM_SERVICE_API_KEYS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

constexpr int kApiKeysMax = 10'000;

/// Of a key, and of a name.
constexpr int kApiKeyBytesMax = 4096;

/// The keys of a file: one a line, `KEY` or `NAME KEY`; empty lines and those that start with # do
/// not count. Both are printable ASCII. No key stands twice; a name may have several. A name is
/// what the log and the shares of the queue call the key; "key-3" for the third one when it has
/// none. Immutable; any thread.
class ApiKeys {
 public:
  /// Everybody may ask.
  ApiKeys() = default;
  /// Errors name the line, never what stands in it.
  static Result<ApiKeys> Parse(std::string_view text, std::string_view origin);

  bool empty() const { return keys_.empty(); }
  size_t size() const { return keys_.size(); }
  /// The name of the key in an Authorization header, with or without a scheme, or in X-API-Key; ""
  /// when none is needed; nullopt when it is wrong. The time it takes depends on the number of keys
  /// and the length of what was given only.
  std::optional<std::string_view> Check(std::string_view authorization,
                                        std::string_view api_key) const;

 private:
  struct Key {
    std::string name;
    std::string secret;
  };
  std::vector<Key> keys_;
};

}  // namespace podium

#endif  // PODIUM_SERVICE_API_KEYS_H_
