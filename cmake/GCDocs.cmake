# Reference pages of dialects, interfaces and passes, generated from the .td
# files. They are committed in docs/reference so that they can be read without a
# build; `ninja gc-docs` updates them, and a test compares.

set(GC_DOC_PAGES "")
# gc_add_doc(page td flags): build/docs/reference/<page>.md.
function(gc_add_doc page td flags)
  set(LLVM_TARGET_DEFINITIONS ${PROJECT_SOURCE_DIR}/include/${td})
  separate_arguments(flags)
  mlir_tablegen(docs/reference/${page}.md ${flags}
    -I${PROJECT_SOURCE_DIR}/include)
  list(APPEND GC_DOC_PAGES ${page}.md)
  set(GC_DOC_PAGES ${GC_DOC_PAGES} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/docs/reference)
gc_add_doc(GraphDialect Dialect/Graph/IR/GraphOps.td
  "-gen-dialect-doc -dialect=graph")
gc_add_doc(GraphInterfaces Dialect/Graph/IR/GraphInterfaces.td
  "-gen-op-interface-docs")
gc_add_doc(GraphPasses Dialect/Graph/Transforms/Passes.td "-gen-pass-doc")
gc_add_doc(NpuDialect Dialect/Npu/IR/NpuOps.td "-gen-dialect-doc -dialect=npu")
gc_add_doc(NpuInterfaces Dialect/Npu/IR/NpuInterfaces.td
  "-gen-op-interface-docs")
gc_add_doc(NpuPasses Dialect/Npu/Transforms/Passes.td "-gen-pass-doc")
gc_add_doc(PolyDialect Dialect/Poly/IR/PolyOps.td
  "-gen-dialect-doc -dialect=poly")
gc_add_doc(PolyPasses Dialect/Poly/Transforms/Passes.td "-gen-pass-doc")
gc_add_doc(TensorIRDialect Dialect/TensorIR/IR/TensorIROps.td
  "-gen-dialect-doc -dialect=tir")
gc_add_doc(TensorIRPasses Dialect/TensorIR/Transforms/Passes.td "-gen-pass-doc")
gc_add_doc(ConversionPasses Conversion/Passes.td "-gen-pass-doc")

# The table of operations says which targets run them, and which tests have them,
# which requires a tool.
file(GLOB e2e_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/E2E/*.mlir)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/docs/reference/Operations.md
  COMMAND gc-translate --list-ops=markdown
    --tests=${PROJECT_SOURCE_DIR}/test/E2E
    > ${PROJECT_BINARY_DIR}/docs/reference/Operations.md
  DEPENDS gc-translate ${e2e_tests}
  VERBATIM)
list(APPEND GC_DOC_PAGES Operations.md)

list(TRANSFORM GC_DOC_PAGES PREPEND ${PROJECT_BINARY_DIR}/docs/reference/
  OUTPUT_VARIABLE pages)
add_custom_target(gc-docs-generate ALL DEPENDS ${pages})
add_custom_target(gc-docs
  COMMAND ${CMAKE_COMMAND} -E make_directory
    ${PROJECT_SOURCE_DIR}/docs/reference
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${pages}
    ${PROJECT_SOURCE_DIR}/docs/reference
  DEPENDS gc-docs-generate
  COMMENT "Renewing docs/reference"
  VERBATIM)

if(GC_BUILD_TESTS)
  add_test(NAME docs COMMAND ${CMAKE_COMMAND}
    "-DPAGES=${GC_DOC_PAGES}" -DGENERATED=${PROJECT_BINARY_DIR}/docs/reference
    -DCOMMITTED=${PROJECT_SOURCE_DIR}/docs/reference
    -P ${PROJECT_SOURCE_DIR}/test/Docs/Docs.cmake)
endif()
