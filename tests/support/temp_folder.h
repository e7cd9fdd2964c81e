// A fresh folder for a test's files, removed with everything in it.
#ifndef PODIUM_TESTS_SUPPORT_TEMP_FOLDER_H_
#define PODIUM_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/check.h"

namespace podium::testing_support {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "podium_test_XXXXXX").string();
    PODIUM_CHECK(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;  // what is left behind in a temporary folder fails no test
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace podium::testing_support

#endif  // PODIUM_TESTS_SUPPORT_TEMP_FOLDER_H_
