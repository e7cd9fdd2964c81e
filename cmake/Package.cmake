# What `cpack` makes of a build with the preset `deb` or `tarball`. The .deb depends on the distribution's libraries;
# the tarball has those of them that a plain system lacks in lib/podium, and OpenSSL in the program. `podium pull` loads the
# system's libcurl. packaging/trial makes both and tries them in a bare system.
set(CPACK_PACKAGE_NAME podium)
set(CPACK_PACKAGE_VENDOR "The Podium authors")
set(CPACK_PACKAGE_CONTACT "The Podium authors <podium@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cross-encoder reranking engine: program, library and a small model")
set(CPACK_PACKAGE_FILE_NAME podium-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_GENERATOR ${PODIUM_PACKAGE})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION text)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4")  # loaded when podium pull runs
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, cmake")
set(CPACK_PACKAGE_DESCRIPTION
"Podium reads a query together with each of its candidate documents and puts
the right ones on top, with cross-encoder models of the XLM-RoBERTa and BERT
kind, on the processor.
.
This package has the program podium, the shared library with its C++ and C
headers, and a small Chinese and English model.")

# In every installation.
file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/podium.1.gz PATHS ${PROJECT_SOURCE_DIR}/packaging/podium.1 FORMAT raw COMPRESSION GZip
     COMPRESSION_LEVEL 9)
install(FILES ${PROJECT_BINARY_DIR}/podium.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md CHANGELOG.md LICENSE packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(PODIUM_PACKAGE STREQUAL "DEB")
  string(TIMESTAMP PODIUM_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(packaging/debian/changelog.in changelog.Debian @ONLY)
  file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/changelog.Debian.gz PATHS ${PROJECT_BINARY_DIR}/changelog.Debian
       FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES packaging/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
          RENAME podium)
elseif(PODIUM_PACKAGE STREQUAL "TGZ")
  # The distribution's libraries that we are linked with and that other systems lack or have in another version.
  install(RUNTIME_DEPENDENCY_SET podium_dependencies
          PRE_INCLUDE_REGEXES "^libsimdjson\\.so" "^libutf8proc\\.so" "^libspdlog\\.so" "^libfmt\\.so"
                              "^libprometheus-cpp-core\\.so" "^libyaml-cpp\\.so"
          PRE_EXCLUDE_REGEXES ".*"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/podium)
  # RPATH and not RUNPATH, which would not be looked at for what those need themselves (libfmt, by libspdlog).
  if(TARGET podium_cli)
    target_link_options(podium_cli PRIVATE -Wl,--disable-new-dtags)
  endif()
endif()
include(CPack)
