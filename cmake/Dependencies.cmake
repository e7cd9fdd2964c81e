# Every third party in one place. An installed copy wins (find_package); otherwise it is downloaded where
# the network allows. packaging/apt/ lists the distribution packages that bring all of them.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)
find_package(Threads REQUIRED)

FetchContent_Declare(simdjson GIT_REPOSITORY https://github.com/simdjson/simdjson.git GIT_TAG v3.10.1
                     FIND_PACKAGE_ARGS 3.0 NAMES simdjson)
FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2
                     FIND_PACKAGE_ARGS 2.1 NAMES CLI11)
FetchContent_Declare(utf8proc GIT_REPOSITORY https://github.com/JuliaStrings/utf8proc.git GIT_TAG v2.9.0)
FetchContent_MakeAvailable(simdjson CLI11)

# Debian's utf8proc carries no CMake config, only a pkg-config file.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
find_library(UTF8PROC_LIBRARY utf8proc)
if(UTF8PROC_INCLUDE_DIR AND UTF8PROC_LIBRARY)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(utf8proc::utf8proc PROPERTIES
    IMPORTED_LOCATION "${UTF8PROC_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${UTF8PROC_INCLUDE_DIR}")
else()
  FetchContent_MakeAvailable(utf8proc)
  add_library(utf8proc::utf8proc ALIAS utf8proc)
endif()

if(PODIUM_BUILD_TESTS)
  FetchContent_Declare(googletest GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG v1.14.0
                       FIND_PACKAGE_ARGS 1.12 NAMES GTest)
  FetchContent_MakeAvailable(googletest)
endif()
