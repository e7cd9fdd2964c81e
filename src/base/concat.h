// Builds an error message from its parts: Concat("got ", n, " heads, hidden ", h).
#ifndef PODIUM_BASE_CONCAT_H_
#define PODIUM_BASE_CONCAT_H_

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace podium {

inline void AppendPart(std::string& out, std::string_view part) { out.append(part); }
inline void AppendPart(std::string& out, char part) { out.push_back(part); }
template <typename T>
  requires(std::is_arithmetic_v<T>)
void AppendPart(std::string& out, T part) {
  if constexpr (std::is_same_v<T, bool>) {
    out.append(part ? "true" : "false");
  } else {
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
    out.append(digits, end);
  }
}

template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string out;
  (AppendPart(out, parts), ...);
  return out;
}

}  // namespace podium

#endif  // PODIUM_BASE_CONCAT_H_
