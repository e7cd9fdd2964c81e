# Every third party in one place. An installed copy wins (find_package); otherwise it is downloaded where
# the network allows. packaging/apt/ lists the distribution packages that bring all of them.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)
find_package(Threads REQUIRED)

# What is downloaded is always built static and becomes a part of what links it: none of it is installed.
function(podium_make_available)
  set(BUILD_SHARED_LIBS OFF)
  FetchContent_MakeAvailable(${ARGN})
  foreach(name ${ARGN})
    string(TOLOWER ${name} lower)
    if(${lower}_SOURCE_DIR)
      set_property(DIRECTORY ${${lower}_SOURCE_DIR} PROPERTY EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

if(NOT PODIUM_KERNELS_ONLY)
  # Its CMake config accepts only the very minor version that is asked for, so none is (3.0 or newer works).
  FetchContent_Declare(simdjson GIT_REPOSITORY https://github.com/simdjson/simdjson.git GIT_TAG v3.10.1
                       FIND_PACKAGE_ARGS NAMES simdjson)
  FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2
                       FIND_PACKAGE_ARGS 2.1 NAMES CLI11)
  FetchContent_Declare(utf8proc GIT_REPOSITORY https://github.com/JuliaStrings/utf8proc.git GIT_TAG v2.9.0)
  podium_make_available(simdjson CLI11)

  list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
  if(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
    find_package(Utf8proc)
  endif()
  if(NOT Utf8proc_FOUND)
    podium_make_available(utf8proc)
    add_library(utf8proc::utf8proc ALIAS utf8proc)
  endif()

  # Only for `podium serve`: Beast and Asio (headers alone), OpenSSL, zlib, spdlog, prometheus-cpp, yaml-cpp. Never downloaded:
  # every distribution has them, and Boost's archive is larger than all of the rest.
  set(PODIUM_SERVE_FOUND OFF)
  if(PODIUM_SERVE)
    set(Boost_NO_WARN_NEW_VERSIONS ON)
    find_package(Boost 1.81 QUIET)
    if(PODIUM_PACKAGE STREQUAL "TGZ")
      # Inside the program: a bare system has none, and a copy beside it would be taken by the system's libcurl as well.
      set(OPENSSL_USE_STATIC_LIBS ON)
    endif()
    find_package(OpenSSL 3.0 QUIET COMPONENTS SSL Crypto)
    find_package(ZLIB QUIET)
    find_package(spdlog 1.10 QUIET)
    find_package(prometheus-cpp CONFIG QUIET)
    find_package(yaml-cpp 0.7 QUIET)
    if(Boost_FOUND AND OpenSSL_FOUND AND ZLIB_FOUND AND spdlog_FOUND AND prometheus-cpp_FOUND AND yaml-cpp_FOUND)
      set(PODIUM_SERVE_FOUND ON)
    else()
      message(STATUS "podium serve: left out, Boost 1.81, OpenSSL 3, zlib, spdlog 1.10, prometheus-cpp or yaml-cpp 0.7 was not found")
    endif()
  endif()

  # Only for `podium pull`: never downloaded (they carry the system's certificates and security fixes). Their headers are
  # needed here, the libraries when it runs.
  if(PODIUM_PULL)
    find_package(CURL 7.85 QUIET)
    find_package(OpenSSL 3.0 QUIET COMPONENTS Crypto)
    if(NOT (CURL_FOUND AND OpenSSL_FOUND))
      message(STATUS "podium pull: left out, libcurl 7.85 or OpenSSL 3 was not found (libcurl4-openssl-dev, libssl-dev)")
    endif()
  endif()
endif()

if(PODIUM_BUILD_TESTS)
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  if(CMAKE_CROSSCOMPILING AND EXISTS /usr/src/googletest/CMakeLists.txt)
    # Debian's `googletest` package: the sources, for a target whose binary package is not installed.
    FetchContent_Declare(googletest SOURCE_DIR /usr/src/googletest)
  else()
    FetchContent_Declare(googletest GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG v1.14.0
                         FIND_PACKAGE_ARGS 1.12 NAMES GTest)
  endif()
  FetchContent_MakeAvailable(googletest)
  if(TARGET gtest)
    target_compile_options(gtest PRIVATE -Wno-restrict)  # a false alarm of g++ 12 in its string
  endif()
endif()
