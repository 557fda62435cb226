# add_gc_library(name graph [SHARED] [OPTIONS options...] [DEPENDS files...]):
# a library of a graph that gc-compile compiles when the project is built.
#
# `graph` is what gc-compile reads (.json, .mlir, .mlirbc), OPTIONS are more of
# its options: --machine=zen4-2 --threads=4 --input=w=w.npy. The library's header
# is <name>.h; its users need nothing else. A SHARED one has the runtime inside.
# The variable <name>_FOLDER is where the files are, the file of weights of
# --weights=file among them: <name>.safetensors.
function(add_gc_library name graph)
  cmake_parse_arguments(ARG "SHARED" "" "OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "add_gc_library: unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET GraphCompiler::gc_runtime_static)
    message(FATAL_ERROR
      "add_gc_library: find_package(GraphCompiler COMPONENTS Runtime) first")
  endif()
  get_filename_component(graph "${graph}" ABSOLUTE)
  set(compiler "${GraphCompiler_TOOLS_DIR}/gc-compile")
  if(NOT EXISTS "${compiler}")
    message(FATAL_ERROR "add_gc_library: there is no ${compiler}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.gc")
  add_custom_command(OUTPUT "${folder}/${name}.o" "${folder}/${name}.h"
    COMMAND "${compiler}" "${graph}" -o "${folder}" --name=${name}
      ${ARG_OPTIONS}
    DEPENDS "${graph}" "${compiler}" ${ARG_DEPENDS}
    COMMENT "Compiling the graph ${name}"
    VERBATIM)
  set_source_files_properties("${folder}/${name}.o" PROPERTIES
    EXTERNAL_OBJECT TRUE GENERATED TRUE)
  if(ARG_SHARED)
    add_library(${name} SHARED "${folder}/${name}.o" "${folder}/${name}.h")
    target_link_libraries(${name} PRIVATE GraphCompiler::gc_runtime_static)
    # Threads of the runtime sleep in the library's code, so it stays in memory.
    target_link_options(${name} PRIVATE
      LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:-z,nodelete)
  else()
    add_library(${name} STATIC "${folder}/${name}.o" "${folder}/${name}.h")
    target_link_libraries(${name} PUBLIC GraphCompiler::gc_runtime_static)
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST languages)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  endif()
  target_include_directories(${name} INTERFACE "${folder}")
  set(${name}_FOLDER "${folder}" PARENT_SCOPE)
endfunction()
