# Helpers that keep each folder's CMakeLists.txt to the names of its files.

# MLIR's headers take most of a translation unit's compile time, so they are
# precompiled once; every target of the compiler reuses the result.
function(rmsc_enable_pch target)
  if(NOT TARGET rmsc_pch)
    add_library(rmsc_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch/Empty.cpp)
    target_include_directories(rmsc_pch SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS}
                                                       ${MLIR_INCLUDE_DIRS})
    target_precompile_headers(rmsc_pch PRIVATE
                              ${PROJECT_SOURCE_DIR}/cmake/pch/MLIR.h)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(rmsc_pch PUBLIC -fpch-instantiate-templates)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -fpch-instantiate-templates)
  endif()
  # The header was compiled with -fPIC, and -fPIE is not the same thing to it.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM rmsc_pch)
endfunction()

function(rmsc_setup_target target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS}
                                                     ${MLIR_INCLUDE_DIRS})
  # A tool must not run LLVM's checks twice over: definitions come from LLVM.
  rmsc_enable_pch(${target})
endfunction()

# rmsc_add_library(name SOURCES... [DEPENDS targets] [LINK libs] [INCLUDES dirs])
# A static library of one layer. INCLUDES are folders below this project whose
# `include/` holds the layer's public headers.
function(rmsc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;INCLUDES" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  rmsc_setup_target(${name})
  foreach(dir ${ARG_INCLUDES})
    target_include_directories(
      ${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${dir}/include>
                     $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/${dir}/include>)
  endforeach()
  target_include_directories(${name}
                             PUBLIC $<INSTALL_INTERFACE:include>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${RMSC_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY RMSC_LIBRARIES ${name})
endfunction()

# rmsc_add_tool(name SOURCES... [LINK libs])
function(rmsc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  rmsc_setup_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${RMSC_MLIR_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# rmsc_add_gtest(name SOURCES... [LINK libs] [DEFINES defs])
# A GoogleTest program of the compiler; each of its tests is a ctest case.
function(rmsc_add_gtest name)
  cmake_parse_arguments(ARG "" "" "LINK;DEFINES" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  rmsc_setup_target(${name})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GoogleTest's macros hold an `else` of their own, made so that an `if`
    # around them keeps its meaning.
    target_compile_options(${name} PRIVATE -Wno-dangling-else)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main
                                        ${RMSC_MLIR_LIBS})
  # Not a product, so kept apart from the tools in bin/.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                           ${CMAKE_CURRENT_BINARY_DIR})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
