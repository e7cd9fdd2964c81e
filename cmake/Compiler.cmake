# Flags for every target. Floating-point contraction is off everywhere: a fused multiply-add is written
# as one where it is meant, so a sum has one order and one rounding (docs/architecture.md, "seven rules").
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
                    -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  add_compile_options(-Wno-restrict)  # false alarms on "literal" + std::string at -O3 (GCC bug 105651)
endif()
if(PODIUM_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wthread-safety)
endif()

set(PODIUM_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
set(PODIUM_SANITIZED 0)  # for tests that are then smaller
if(PODIUM_SANITIZE)
  set(PODIUM_SANITIZED 1)
  add_compile_options(-fsanitize=${PODIUM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${PODIUM_SANITIZE})
endif()
