# Finds what GC builds on: LLVM/MLIR 22, OpenMP, libxsmm, isl.

# MLIRConfig does not say that the packaged MLIR is one shared library; without
# this, helper functions would link static archives in addition to it.
set(MLIR_LINK_MLIR_DYLIB ${GC_LINK_MLIR_DYLIB})
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "GC needs LLVM/MLIR 22.x, found ${LLVM_VERSION}")
endif()
message(STATUS "Using MLIR ${LLVM_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(LibXSMM REQUIRED)
find_package(ISL REQUIRED)
# Without it, ONNX models are refused.
find_package(OnnxProto)
include(GraphCompilerProxies)
include(GCStaticMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(GC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${GC_LLVM_DEFINITIONS})

# The packaged libraries are built with NDEBUG, which changes the layout of some
# of their classes; our build must match, whatever its own build type is.
add_compile_definitions(NDEBUG)
add_compile_options(-Wall -Wextra -Wno-unused-parameter
  -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # As in LLVM's own build: GCC is wrong about optional storage in its headers,
  # and about moves that a conversion in the return needs.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-redundant-move>)
endif()
if(NOT LLVM_ENABLE_RTTI)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
