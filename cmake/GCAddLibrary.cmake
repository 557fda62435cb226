# Targets of GC. Every library is static and position independent, includes
# from include/ (sources and generated), and joins the export set.

set_property(GLOBAL PROPERTY GC_LIBRARIES "")
set_property(GLOBAL PROPERTY GC_TOOLS "")
set(GC_PCH_HEADERS
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinTypes.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h>)

# gc_add_library(Name sources... [DEPENDS targets...] [LINK libraries...]
#                [NO_MLIR])
# LINK lists GC libraries; MLIR and LLVM come by themselves unless NO_MLIR.
function(gc_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;LINK" ${ARGN})
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
  endif()
  set_property(GLOBAL APPEND PROPERTY GC_LIBRARIES ${name})
endfunction()

# gc_add_tool(name sources... LINK libraries...): an executable in build/bin.
function(gc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY GC_TOOLS ${name})
endfunction()

# gc_add_unittest(name sources... LINK libraries...): a GoogleTest executable
# in build/bin that ctest runs.
function(gc_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
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
