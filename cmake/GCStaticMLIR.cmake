# Loading the shared libMLIR and libLLVM, which contain every dialect and every
# processor, takes a process a tenth of a second. The programs that compile and
# run graphs, and the C libraries, therefore link the archives, of which lld keeps
# what is used. Whatever shares a process with another MLIR (gc-opt with plugins,
# the plugin in mlir-opt) links the shared libraries.
#
#   GCStaticMLIR              the archives of MLIR, and of LLVM for this processor
#   gc_link_mlir_statically   has a program or shared library link them

set(GC_STATIC_MLIR_MISSING "")
if(GC_STATIC_TOOLS AND GC_LINK_MLIR_DYLIB)
  find_program(GC_LLD ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
  find_package(ZLIB QUIET)
  find_package(zstd QUIET)
  if(NOT GC_LLD)
    set(GC_STATIC_MLIR_MISSING "lld")
  elseif(NOT TARGET ZLIB::ZLIB OR NOT TARGET zstd::libzstd_shared)
    set(GC_STATIC_MLIR_MISSING "zlib or zstd")
  else()
    get_property(_gc_archives GLOBAL PROPERTY MLIR_ALL_LIBS)
    list(FILTER _gc_archives EXCLUDE REGEX "^MLIRCAPI|Shared$")
    set(_gc_llvm ${LLVM_AVAILABLE_LIBS})
    # Of the targets, only this processor's.
    set(_gc_other_targets ${LLVM_ALL_TARGETS} ${LLVM_TARGETS_TO_BUILD})
    list(REMOVE_DUPLICATES _gc_other_targets)
    list(REMOVE_ITEM _gc_other_targets ${LLVM_NATIVE_ARCH})
    foreach(_gc_target ${_gc_other_targets})
      list(FILTER _gc_llvm EXCLUDE REGEX
        "^LLVM${_gc_target}(AsmParser|CodeGen|Desc|Disassembler|Info|TargetMCA|Utils|Analysis)$")
    endforeach()
    list(APPEND _gc_archives ${_gc_llvm})
    # Files instead of targets: MLIR's targets name the shared libLLVM.
    set(_gc_files "")
    foreach(_gc_archive ${_gc_archives})
      if(TARGET ${_gc_archive})
        get_target_property(_gc_type ${_gc_archive} TYPE)
        get_target_property(_gc_file ${_gc_archive} LOCATION)
        if(_gc_type STREQUAL "STATIC_LIBRARY" AND EXISTS "${_gc_file}")
          list(APPEND _gc_files ${_gc_file})
        endif()
      endif()
    endforeach()
    if(NOT "${_gc_files}" MATCHES "libLLVMCore\\.a")
      set(GC_STATIC_MLIR_MISSING "the archives of LLVM")
    elseif(NOT "${_gc_files}" MATCHES "libMLIRIR\\.a")
      set(GC_STATIC_MLIR_MISSING "the archives of MLIR")
    endif()
  endif()
  if(GC_STATIC_MLIR_MISSING)
    message(STATUS "Not found: ${GC_STATIC_MLIR_MISSING}; GC's programs link "
      "the shared libMLIR, and start more slowly")
  else()
    add_library(GCStaticMLIR INTERFACE IMPORTED GLOBAL)
    set_target_properties(GCStaticMLIR PROPERTIES INTERFACE_LINK_LIBRARIES
      "${_gc_files};ZLIB::ZLIB;zstd::libzstd_shared")
  endif()
endif()

# gc_link_mlir_statically(name): name is a program or a shared library; the
# latter's version script must keep MLIR inside.
function(gc_link_mlir_statically name)
  if(NOT TARGET GCStaticMLIR)
    return()
  endif()
  set_target_properties(${name} PROPERTIES GC_STATIC_MLIR ON)
  get_filename_component(lld_folder ${GC_LLD} DIRECTORY)
  target_link_options(${name} PRIVATE -fuse-ld=lld -B${lld_folder}
    LINKER:--gc-sections LINKER:--as-needed)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # LLVM's OpenMP is in the folder that the shared libMLIR had in the rpath.
    foreach(path BUILD_RPATH INSTALL_RPATH)
      set_property(TARGET ${name} APPEND PROPERTY ${path} ${LLVM_LIBRARY_DIR})
    endforeach()
  endif()
endfunction()

# gc_export_interface(name prefix...): what the shared library exports are the
# functions of its interface, prefix*. A shared MLIR's symbols are exported as
# well, for it tells types apart by the addresses of variables in its headers, of
# which there may be one each in the process.
function(gc_export_interface name)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  set(symbols)
  foreach(prefix ${ARGN})
    string(APPEND symbols "${prefix}*; ")
  endforeach()
  if(NOT TARGET GCStaticMLIR)
    foreach(kind _ZN _ZNK _ZGVN _ZGVZN _ZTIN _ZTSN _ZTVN _ZZN _ZZNK)
      string(APPEND symbols " ${kind}4llvm*; ${kind}4mlir*;")
    endforeach()
  endif()
  file(GENERATE OUTPUT ${map}
    CONTENT "{ global: ${symbols} local: *; };\n")
  target_link_options(${name} PRIVATE LINKER:--version-script,${map})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
endfunction()
