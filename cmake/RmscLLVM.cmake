# Finds the one LLVM/MLIR release this project is written for. The version is
# pinned here and nowhere else: MLIR's C++ API has no stability promise.
set(RMSC_LLVM_VERSION 22)

if(NOT MLIR_DIR AND NOT DEFINED ENV{MLIR_DIR})
  # Debian's packages install each release below a folder of its own.
  list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-${RMSC_LLVM_VERSION})
elseif(NOT MLIR_DIR)
  set(MLIR_DIR $ENV{MLIR_DIR})
endif()
find_package(MLIR CONFIG)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
          "MLIR ${RMSC_LLVM_VERSION} was not found. Run scripts/setup, or set "
          "MLIR_DIR to the folder that holds MLIRConfig.cmake.")
endif()
# The packages' own version check asks for the minor number as well, so the
# major one is compared here.
if(NOT LLVM_VERSION_MAJOR EQUAL RMSC_LLVM_VERSION)
  message(FATAL_ERROR
          "LLVM ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR} is another release than "
          "the ${RMSC_LLVM_VERSION} this project is written for. Set MLIR_DIR "
          "to a build of that release.")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}, MLIR from ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The shared libraries, never the archives beside them: linking both would give
# two copies of every TypeID and make casts fail at run time.
set(RMSC_MLIR_LIBS MLIR LLVM)
