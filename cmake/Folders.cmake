# One OBJECT library per source folder; a folder names exactly the folders and libraries it may use
# (the table is in docs/architecture.md and enforced by tools/tidy).

# podium_folder(NAME SOURCES … [FOLDERS …] [LIBRARIES …])
function(podium_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;FOLDERS;LIBRARIES" ${ARGN})
  add_library(podium_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(podium_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(podium_${name} PRIVATE ${ARG_LIBRARIES})
  set(closure podium_${name})
  set(libraries ${ARG_LIBRARIES})
  foreach(folder ${ARG_FOLDERS})
    list(APPEND closure ${PODIUM_CLOSURE_${folder}})
    list(APPEND libraries ${PODIUM_LIBRARIES_${folder}})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  list(REMOVE_DUPLICATES libraries)
  set(PODIUM_CLOSURE_${name} ${closure} CACHE INTERNAL "folders under ${name}, itself first")
  set(PODIUM_LIBRARIES_${name} ${libraries} CACHE INTERNAL "third parties under ${name}")
endfunction()

# podium_test(NAME SOURCES … FOLDERS … [LIBRARIES …] [LABELS …]): a GoogleTest program run by ctest.
function(podium_test name)
  if(NOT PODIUM_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;FOLDERS;LIBRARIES;LABELS" ${ARGN})
  podium_program(${name} SOURCES ${ARG_SOURCES} FOLDERS ${ARG_FOLDERS}
                 LIBRARIES ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PODIUM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             PODIUM_SANITIZED=${PODIUM_SANITIZED})
  target_compile_options(${name} PRIVATE -O1)  # of the test's own files: most of a build's time goes into them
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
endfunction()

# podium_fuzz(NAME SOURCES … FOLDERS … CORPUS dir): with clang and the fuzz preset a libFuzzer program;
# with any compiler a program that replays the corpus under ctest.
function(podium_fuzz name)
  if(NOT PODIUM_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;FOLDERS;LIBRARIES" ${ARGN})
  if(PODIUM_LIBFUZZER)
    podium_program(${name} SOURCES ${ARG_SOURCES} FOLDERS ${ARG_FOLDERS} LIBRARIES ${ARG_LIBRARIES})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name}_replay COMMAND ${name} -runs=0 ${ARG_CORPUS})
  else()
    podium_program(${name} SOURCES ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cc
                   FOLDERS ${ARG_FOLDERS} LIBRARIES ${ARG_LIBRARIES})
    add_test(NAME ${name}_replay COMMAND ${name} ${ARG_CORPUS})
  endif()
  set_tests_properties(${name}_replay PROPERTIES LABELS "fuzz" TIMEOUT 600)
endfunction()

# podium_program(NAME SOURCES … FOLDERS … [LIBRARIES …]): an executable over some folders and all below them.
function(podium_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;FOLDERS;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set(closure)
  set(libraries)
  foreach(folder ${ARG_FOLDERS})
    list(APPEND closure ${PODIUM_CLOSURE_${folder}})
    list(APPEND libraries ${PODIUM_LIBRARIES_${folder}})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  list(REMOVE_DUPLICATES libraries)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${closure} ${libraries} ${ARG_LIBRARIES})
endfunction()
