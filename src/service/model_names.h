// Which model a request means. Pure.
#ifndef PODIUM_SERVICE_MODEL_NAMES_H_
#define PODIUM_SERVICE_MODEL_NAMES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

/// Any name that is no model's.
constexpr std::string_view kAnyName = "*";

/// Immutable; any thread.
class ModelNames {
 public:
  /// The names of each model, in the order of the service's models; none is without. The first that
  /// is not "*" is the one it is shown by. kInvalidArgument names what two models claim.
  static Result<ModelNames> Make(std::vector<std::vector<std::string>> names);

  /// Of a request that names it; "" is one that does not: it gets the model with "*", else the
  /// first. nullopt for a name that is nobody's, when no model has "*".
  std::optional<int> Find(std::string_view name) const;
  /// Those of a model, without "*"; not empty.
  const std::vector<std::string>& of(int model) const { return names_[static_cast<size_t>(model)]; }
  const std::string& shown(int model) const { return of(model).front(); }
  int models() const { return static_cast<int>(names_.size()); }
  /// All names, for messages: "a, b, c".
  std::string List() const;

 private:
  std::vector<std::vector<std::string>> names_;
  std::map<std::string, int, std::less<>> models_;
  int any_ = -1;  // the model with "*"
};

}  // namespace podium

#endif  // PODIUM_SERVICE_MODEL_NAMES_H_
