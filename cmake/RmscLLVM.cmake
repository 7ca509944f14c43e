# Finds the one LLVM/MLIR release this project is written for. The version is
# pinned here and nowhere else: MLIR's C++ API has no stability promise.
set(RMSC_LLVM_VERSION 22)

if(NOT MLIR_DIR AND NOT DEFINED ENV{MLIR_DIR})
  # Debian's packages install each release below a folder of its own.
  list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-${RMSC_LLVM_VERSION})
elseif(NOT MLIR_DIR)
  set(MLIR_DIR $ENV{MLIR_DIR})
endif()
find_package(MLIR ${RMSC_LLVM_VERSION} REQUIRED CONFIG)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}, MLIR from ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The shared libraries, never the archives beside them: linking both would give
# two copies of every TypeID and make casts fail at run time.
set(RMSC_MLIR_LIBS MLIR LLVM)
