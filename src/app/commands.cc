#include "app/commands.h"

#include <cstdio>
#include <filesystem>

#include "base/utf8.h"
#include "model/model.h"

namespace podium {

void PrintMessage(const std::string& message) {
  std::string text;
  for (size_t at = 0; at < message.size();) {
    const Utf8Char c = DecodeUtf8(std::string_view(message).substr(at));
    at += static_cast<size_t>(c.bytes);
    // Lines stay lines, a download command is one.
    const bool control = (c.code < 0x20 && c.code != '\n') || (c.code >= 0x7F && c.code < 0xA0);
    AppendUtf8(control ? char32_t{0xFFFD} : c.code, text);
  }
  std::fprintf(stderr, "podium: %s\n", text.c_str());
}

int Fail(const Status& status) {
  if (status.code() == StatusCode::kCancelled) {
    PrintMessage("interrupted");
    return kExitInterrupted;
  }
  PrintMessage(status.message());
  return kExitError;
}

int UsageFail(const char* message, const char* command) {
  std::fprintf(stderr, "podium: %s\nSee: podium %s --help\n", message, command);
  return kExitUsage;
}

Result<std::string> ChooseModel(const std::string& asked) {
  if (!asked.empty()) return asked;
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return DefaultModelFolder(executable.string());
}

}  // namespace podium
