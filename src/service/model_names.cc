#include "service/model_names.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/concat.h"

namespace podium {

Result<ModelNames> ModelNames::Make(std::vector<std::vector<std::string>> names) {
  ModelNames made;
  made.names_ = std::move(names);
  for (int model = 0; model < made.models(); ++model) {
    std::vector<std::string>& own = made.names_[static_cast<size_t>(model)];
    if (std::erase(own, kAnyName) > 0) {
      if (made.any_ >= 0) {
        return InvalidArgument(Concat("names: \"*\" is given to ", made.shown(made.any_),
                                      " and to ", own.empty() ? "another model" : own.front(),
                                      ": only one model can have the names that are nobody's"));
      }
      made.any_ = model;
    }
    PODIUM_CHECK(!own.empty());
    for (const std::string& name : own) {
      const auto [at, fresh] = made.models_.emplace(name, model);
      if (!fresh && at->second != model) {
        return InvalidArgument(Concat("names: two models are called \"", name,
                                      "\"; give each a name of its own (names: [...])"));
      }
    }
  }
  return made;
}

std::optional<int> ModelNames::Find(std::string_view name) const {
  if (const auto found = models_.find(name); found != models_.end()) return found->second;
  if (any_ >= 0) return any_;
  if (name.empty()) return 0;
  return std::nullopt;
}

std::string ModelNames::List() const {
  std::string list;
  for (const auto& own : names_) {
    for (const std::string& name : own) list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

}  // namespace podium
