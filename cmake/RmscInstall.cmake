# Installs the libraries, their headers (TableGen's output included) and a
# package config, so that another CMake project can say find_package(rmsc).
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rmsc)

get_property(libraries GLOBAL PROPERTY RMSC_LIBRARIES)
install(TARGETS ${libraries} EXPORT rmscTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rmscTargets NAMESPACE rmsc:: DESTINATION ${config_dir})

foreach(layer dialects passes compiler)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${layer}/include/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${layer}/include/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h.inc" PATTERN "*.cpp.inc" EXCLUDE
          PATTERN "CMakeFiles" EXCLUDE)
endforeach()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/rmscConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/rmscConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/rmscConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/rmscConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/rmscConfigVersion.cmake
        DESTINATION ${config_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rmsc)
