#include "text/reference_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace podium {
namespace {

constexpr int kPowerMax = 308;  // of ten, in a double

double PowerOfTen(int exponent) {
  static const auto kPowers = [] {
    std::array<double, kPowerMax + 1> powers{};
    for (int i = 0; i <= kPowerMax; ++i) {
      const std::string text = "1e" + std::to_string(i);
      std::from_chars(text.data(), text.data() + text.size(), powers[static_cast<size_t>(i)]);
    }
    return powers;
  }();
  return kPowers[static_cast<size_t>(exponent)];
}

}  // namespace

double ReferenceNumber(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  char text[32];
  const char* end =
      std::to_chars(text, text + sizeof(text), std::abs(value), std::chars_format::scientific).ptr;
  uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
    } else {
      digits = digits * 10 + static_cast<uint64_t>(*at - '0');
      exponent -= fraction ? 1 : 0;
    }
  }
  int written = 0;
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, written);
  exponent += written;

  auto result = static_cast<double>(digits);
  for (; exponent < -kPowerMax; exponent += kPowerMax) result /= PowerOfTen(kPowerMax);
  if (exponent < 0) {
    result /= PowerOfTen(-exponent);
  } else {
    result *= PowerOfTen(exponent);
  }
  return std::copysign(result, value);
}

}  // namespace podium
