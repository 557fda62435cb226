# gc_add_sanitized_program(name sanitizer source ...): a client of the Graph API
# of which all that handles its calls is compiled with -fsanitize=<sanitizer>: the
# runtime on plain threads, the interface, and the driver. The passes between come
# from the libraries as they are. Not in `all`, and not a test of ctest: the
# scripts sanitize-*.sh build and run it.
function(gc_append_sources list target)
  cmake_parse_arguments(ARG "" "" "ONLY;EXCEPT" ${ARGN})
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(names ${target} SOURCES)
  if(ARG_ONLY)
    set(names ${ARG_ONLY})
  endif()
  list(REMOVE_ITEM names ${ARG_EXCEPT} "")
  list(TRANSFORM names PREPEND ${folder}/)
  set(${list} ${${list}} ${names} PARENT_SCOPE)
endfunction()

function(gc_add_sanitized_program name sanitizer)
  set(sources ${ARGN})
  gc_append_sources(sources GCRuntime EXCEPT DefaultOpenMP.cpp)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/lib/Runtime/DefaultThreads.cpp)
  gc_append_sources(sources gc_dnnl_graph)
  gc_append_sources(sources GCDriver ONLY
    Codegen.cpp DiskCache.cpp Driver.cpp JitCode.cpp ObjectCode.cpp
    PipelineRun.cpp SplitModule.cpp)
  add_executable(${name} EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include/dnnl ${LibXSMM_INCLUDE_DIR})
  target_compile_definitions(${name} PRIVATE GC_VERSION="${PROJECT_VERSION}")
  target_compile_options(${name} PRIVATE
    -fsanitize=${sanitizer} -fno-omit-frame-pointer -g1 -O1 -fexceptions)
  target_link_options(${name} PRIVATE -fsanitize=${sanitizer})
  target_link_libraries(${name} PRIVATE GCDriver GCReference GCOpenMP
    LibXSMM::LibXSMM ${CMAKE_DL_LIBS})
endfunction()
