# What `cmake --install` puts where: the program, the library as one static archive with the public
# headers, its CMake package (find_package(podium), target podium::podium), and the bundled models.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET podium_cli)
  install(TARGETS podium_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/podium/models)

# Everything below ranker/, the library's top folder. A dependency that was downloaded and built here is
# not installed, so neither is a library that needs it.
set(dependencies_installed TRUE)
foreach(dependency simdjson::simdjson utf8proc::utf8proc)
  get_target_property(imported ${dependency} IMPORTED)
  if(NOT imported)
    set(dependencies_installed FALSE)
  endif()
endforeach()
if(TARGET podium_ranker AND dependencies_installed)
  set(objects)
  foreach(folder ${PODIUM_CLOSURE_ranker})
    list(APPEND objects $<TARGET_OBJECTS:${folder}>)
  endforeach()
  add_library(podium STATIC ${objects})
  add_library(podium::podium ALIAS podium)
  set_target_properties(podium PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(podium PUBLIC cxx_std_20)
  target_include_directories(podium PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(podium PRIVATE ${PODIUM_LIBRARIES_ranker})

  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/podium)
  install(TARGETS podium EXPORT podium ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT podium NAMESPACE podium:: FILE podiumTargets.cmake DESTINATION ${package_dir})
  install(DIRECTORY include/podium DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  configure_package_config_file(cmake/podiumConfig.cmake.in ${PROJECT_BINARY_DIR}/podiumConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/podiumConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/podiumConfig.cmake ${PROJECT_BINARY_DIR}/podiumConfigVersion.cmake
                cmake/FindUtf8proc.cmake DESTINATION ${package_dir})
endif()
