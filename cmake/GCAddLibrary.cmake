# Targets of GC. Every library is static and position independent, includes
# from include/ (sources and generated), and joins the export set.

set_property(GLOBAL PROPERTY GC_LIBRARIES "")
set_property(GLOBAL PROPERTY GC_TOOLS "")

# Precompiled headers: parsing MLIR's takes most of the build's time. One set
# serves all libraries; it contains no GC headers, so that edits do not rebuild
# it.
set(GC_PCH_IR_HEADERS
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinTypes.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>)
set(GC_PCH_HEADERS ${GC_PCH_IR_HEADERS}
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h>)
if(GC_USE_PCH)
  # The time of compilation in the file would make every ccache key new.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/pch/Empty.cpp "")
  add_library(GCPrecompiled OBJECT ${PROJECT_BINARY_DIR}/pch/Empty.cpp)
  target_precompile_headers(GCPrecompiled PRIVATE ${GC_PCH_HEADERS})
endif()
function(gc_use_pch name)
  if(NOT GC_USE_PCH)
    return()
  endif()
  target_precompile_headers(${name} REUSE_FROM GCPrecompiled)
  # The set is compiled for libraries; code for executables must match.
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
endfunction()

# gc_add_library(Name sources... [DEPENDS targets...] [LINK libraries...]
#                [NO_MLIR] [OPENMP])
# LINK lists GC libraries; MLIR and LLVM are linked automatically unless
# NO_MLIR.
function(gc_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR;OPENMP" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(GraphCompiler::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/GraphCompiler>)
  if(ARG_LINK)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_NO_MLIR)
    add_dependencies(${name} GCTableGen)
    target_link_libraries(${name} PUBLIC GCMLIR)
    if(NOT ARG_OPENMP)
      gc_use_pch(${name})
    elseif(GC_USE_PCH)
      # With OpenMP the language options differ: it has its own, smaller set.
      target_precompile_headers(${name} PRIVATE ${GC_PCH_IR_HEADERS})
    endif()
  endif()
  if(ARG_OPENMP)
    target_link_libraries(${name} PRIVATE GCOpenMP)
  endif()
  set_property(GLOBAL APPEND PROPERTY GC_LIBRARIES ${name})
endfunction()

# gc_add_tool(name sources... LINK libraries... [STATIC_MLIR]): an executable in
# build/bin; STATIC_MLIR as in gc_link_mlir_statically.
function(gc_add_tool name)
  cmake_parse_arguments(ARG "STATIC_MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_STATIC_MLIR)
    gc_link_mlir_statically(${name})
  endif()
  gc_use_pch(${name})
  set_property(GLOBAL APPEND PROPERTY GC_TOOLS ${name})
endfunction()

# gc_add_unittest(name sources... LINK libraries...): a GoogleTest executable
# in build/bin that ctest runs.
function(gc_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  gc_use_pch(${name})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# gc_tablegen(dir file generator output ...): runs mlir-tblgen on include/<dir>
# /<file>.td; each pair of generator and output is one generated file.
function(gc_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args output)
    list(POP_FRONT args flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags} -I${PROJECT_SOURCE_DIR}/include)
  endwhile()
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()
