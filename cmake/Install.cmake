# The library, and what `cmake --install` puts where: the program, the library with its public headers,
# its CMake package (find_package(podium), target podium::podium), its pkg-config file, the bundled models.
#
# Both kinds of library are made, from the same objects, unless BUILD_SHARED_LIBS chooses one. Everything
# that is installed finds the rest relative to itself, so a prefix may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET podium_cli)
  install(TARGETS podium_cli RUNTIME_DEPENDENCY_SET podium_dependencies
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/podium/models)

# The library's top folder; a build of the kernels alone has none.
if(NOT TARGET podium_c_interface)
  return()
endif()

set(podium_objects)
foreach(folder ${PODIUM_CLOSURE_c_interface})
  list(APPEND podium_objects $<TARGET_OBJECTS:${folder}>)
endforeach()
# A dependency that was downloaded and built here becomes a part of the library, since it is not installed.
set(podium_needs)
foreach(library ${PODIUM_LIBRARIES_c_interface})
  get_target_property(imported ${library} IMPORTED)
  if(imported)
    list(APPEND podium_needs ${library})
  else()
    list(APPEND podium_objects $<TARGET_OBJECTS:${library}>)
  endif()
endforeach()

# Until 1.0 a minor version may change the C++ interface, so the soname carries it.
set(podium_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(podium_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/podium)

function(podium_library kind)
  string(TOLOWER ${kind} lower)
  set(target podium_${lower})
  add_library(${target} ${kind} ${podium_objects})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME podium EXPORT_NAME podium LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${podium_soversion})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${podium_needs})
  set(dependencies)
  if(kind STREQUAL SHARED)
    set(dependencies RUNTIME_DEPENDENCY_SET podium_dependencies)
  endif()
  install(TARGETS ${target} EXPORT ${target} ${dependencies}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${target} NAMESPACE podium:: FILE podiumTargets-${lower}.cmake
    DESTINATION ${podium_package_dir})
endfunction()

if(BUILD_SHARED_LIBS OR NOT DEFINED BUILD_SHARED_LIBS)
  podium_library(SHARED)
  # Hidden visibility covers our own code; the list of exports also keeps back what templates of the standard
  # library and dependencies inside of the library would add.
  set(PODIUM_NODE PODIUM_${podium_soversion})
  configure_file(cmake/exports.map.in exports.map @ONLY)
  target_link_options(podium_shared PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/exports.map)
  if(NOT PODIUM_SANITIZE)
    target_link_options(podium_shared PRIVATE -Wl,-z,defs)
  endif()
  set_property(TARGET podium_shared PROPERTY LINK_DEPENDS ${PROJECT_BINARY_DIR}/exports.map)
endif()
if(NOT BUILD_SHARED_LIBS)
  podium_library(STATIC)
endif()
# For a project that has Podium as a subdirectory.
if(BUILD_SHARED_LIBS)
  add_library(podium::podium ALIAS podium_shared)
else()
  add_library(podium::podium ALIAS podium_static)
endif()

install(DIRECTORY include/podium DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# What a static library needs, in the words of find_package and of pkg-config.
set(PODIUM_FIND_DEPENDENCIES "  find_dependency(Threads)")
set(PODIUM_PC_LIBS "-lstdc++ -lm -pthread")
if(simdjson::simdjson IN_LIST podium_needs)
  string(APPEND PODIUM_FIND_DEPENDENCIES "\n  find_dependency(simdjson)")
  string(PREPEND PODIUM_PC_LIBS "-lsimdjson ")
endif()
if(utf8proc::utf8proc IN_LIST podium_needs)
  string(APPEND PODIUM_FIND_DEPENDENCIES "\n  find_dependency(Utf8proc)")
  string(PREPEND PODIUM_PC_LIBS "-lutf8proc ")
endif()
configure_package_config_file(cmake/podiumConfig.cmake.in ${PROJECT_BINARY_DIR}/podiumConfig.cmake
  INSTALL_DESTINATION ${podium_package_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/podiumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/podiumConfig.cmake ${PROJECT_BINARY_DIR}/podiumConfigVersion.cmake
  cmake/FindUtf8proc.cmake DESTINATION ${podium_package_dir})

# Private, unless there is no shared library to link. As libraries, not as `Requires.private`: pkg-config would then
# ask for their .pc files also where the shared library is linked.
set(PODIUM_PC_PRIVATE ".private")
if(NOT TARGET podium_shared)
  set(PODIUM_PC_PRIVATE "")
endif()
set(PODIUM_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(PODIUM_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(dir LIBDIR INCLUDEDIR DATADIR)
  set(PODIUM_PC_${dir} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(PODIUM_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/podium.pc.in podium.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/podium.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
