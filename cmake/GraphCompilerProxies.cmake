# Stand-ins for what GC's libraries link, defined by the build and again by the
# installed package: there, how to link MLIR is the consumer's choice, and
# OpenMP is the one that the libraries were compiled for.
#
#   GCMLIR     MLIR and LLVM: the shared libraries, or with
#              GC_LINK_MLIR_DYLIB=OFF the static ones of MLIR
#   GCOpenMP   the OpenMP runtime; GC_OPENMP_LIBRARIES names its files if it is
#              not that of the compiler in use

if(MLIR_FOUND AND NOT TARGET GCMLIR)
  add_library(GCMLIR INTERFACE IMPORTED GLOBAL)
  if(GC_LINK_MLIR_DYLIB)
    # GCStaticMLIR.cmake: some programs of the build itself differ.
    set(_gc_static "$<BOOL:$<TARGET_PROPERTY:GC_STATIC_MLIR>>")
    set_property(TARGET GCMLIR PROPERTY INTERFACE_LINK_LIBRARIES
      "$<${_gc_static}:GCStaticMLIR>"
      "$<$<NOT:${_gc_static}>:MLIR>" "$<$<NOT:${_gc_static}>:LLVM>")
  else()
    # Whatever is not needed stays in its archive. A shared library and the C
    # interface would contain a second copy of MLIR.
    get_property(_gc_mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
    list(FILTER _gc_mlir EXCLUDE REGEX "^MLIRCAPI|Shared$")
    set_target_properties(GCMLIR PROPERTIES
      INTERFACE_LINK_LIBRARIES "${_gc_mlir}")
  endif()
endif()

if(NOT TARGET GCOpenMP)
  add_library(GCOpenMP INTERFACE IMPORTED GLOBAL)
  if(GC_OPENMP_LIBRARIES)
    set_target_properties(GCOpenMP PROPERTIES
      INTERFACE_LINK_LIBRARIES "${GC_OPENMP_LIBRARIES}")
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The folder of libMLIR, which programs search, also has LLVM's OpenMP
    # library under the name of GCC's; GCC's own must be found first.
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1
      OUTPUT_VARIABLE _gc_gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(_gc_gomp "${_gc_gomp}" REALPATH)
    get_filename_component(_gc_gomp "${_gc_gomp}" DIRECTORY)
    set_target_properties(GCOpenMP PROPERTIES
      INTERFACE_COMPILE_OPTIONS -fopenmp
      INTERFACE_LINK_OPTIONS "-fopenmp;LINKER:-rpath,${_gc_gomp}")
  else()
    set_target_properties(GCOpenMP PROPERTIES
      INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
  endif()
endif()
