// Members of a request, read as leniently as clients write them.
#ifndef PODIUM_API_FIELDS_H_
#define PODIUM_API_FIELDS_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/json.h"

namespace podium::api {

/// A view of one object. null is as good as absent. Errors name the member, what it is and what it
/// may be.
class Fields {
 public:
  explicit Fields(json::Value object) : object_(object) {}

  /// Present, and not null.
  bool Has(std::string_view key) const { return Find(key).has_value(); }
  std::optional<json::Value> Find(std::string_view key) const;
  /// true, false, or their names in a string.
  Result<bool> Bool(std::string_view key, bool otherwise) const;
  /// A number, also as "3"; beyond double it is infinite.
  Result<std::optional<double>> Number(std::string_view key) const;
  /// One without a fraction; beyond int it is the nearest int.
  Result<int> Int(std::string_view key, int otherwise) const;
  /// A string; "" when absent.
  Result<std::string_view> String(std::string_view key) const;
  /// Whether a side is "Left" and not "Right", in any case; absent and "" are not.
  Result<bool> IsLeft(std::string_view key) const;

 private:
  json::Value object_;
};

/// kInvalidArgument when a text has more than `most` characters.
Status CheckCharacters(std::string_view text, int most);

/// The text of a query: a string, or an object with it under "text".
Result<std::string_view> QueryText(const Fields& fields);

/// The text of a document: a string; an object with it under "text", "document", "content" or
/// "passage"; content as a list of {"type": "text", "text"}; any other object as lines of
/// `key: value`, those of `rank_fields` when it has any. A member that is null counts as absent.
/// Texts put together are stored in `made`.
Result<std::string_view> DocumentText(json::Value document,
                                      const std::vector<std::string>& rank_fields,
                                      std::deque<std::string>& made);

}  // namespace podium::api

#endif  // PODIUM_API_FIELDS_H_
