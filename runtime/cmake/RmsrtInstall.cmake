# Installs the runtime so that a project without LLVM can say
# find_package(rmsrt) and link rmsrt::rmsrt (an archive) or rmsrt::rmsrt-shared
# (for other languages, and plugins).
include(CMakePackageConfigHelpers)

add_library(rmsrt-shared SHARED $<TARGET_OBJECTS:rmsrt>)
set_target_properties(rmsrt-shared PROPERTIES
  OUTPUT_NAME rmsrt VERSION ${PROJECT_VERSION} SOVERSION 0
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
# zlib and minizip are taken in from archives: their names stay inside, and so
# cannot meet another copy in the program that loads the library.
target_link_options(rmsrt-shared PRIVATE -Wl,--exclude-libs,ALL)
target_include_directories(rmsrt-shared INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(rmsrt-shared PRIVATE
  ${RMSRT_MINIZIP_LIBRARY} ${RMSRT_ZLIB_LIBRARY} ${CMAKE_DL_LIBS}
  Threads::Threads)

set(rmsrt_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rmsrt)
install(TARGETS rmsrt rmscheck rmsrt-shared EXPORT rmsrtTargets
        COMPONENT runtime
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(EXPORT rmsrtTargets NAMESPACE rmsrt:: DESTINATION ${rmsrt_config_dir}
        COMPONENT runtime)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/rmsrtConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/rmsrtConfig.cmake
  INSTALL_DESTINATION ${rmsrt_config_dir})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/rmsrtConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rmsrtConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rmsrtConfigVersion.cmake
        DESTINATION ${rmsrt_config_dir} COMPONENT runtime)
