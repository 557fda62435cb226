# Finds libxsmm and its stand-in for a BLAS library: LibXSMM::LibXSMM.

find_path(LibXSMM_INCLUDE_DIR libxsmm.h)
find_library(LibXSMM_LIBRARY xsmm)
find_library(LibXSMM_NOBLAS_LIBRARY xsmmnoblas)
mark_as_advanced(LibXSMM_INCLUDE_DIR LibXSMM_LIBRARY LibXSMM_NOBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibXSMM REQUIRED_VARS
  LibXSMM_LIBRARY LibXSMM_NOBLAS_LIBRARY LibXSMM_INCLUDE_DIR)

if(LibXSMM_FOUND AND NOT TARGET LibXSMM::LibXSMM)
  add_library(LibXSMM::LibXSMM INTERFACE IMPORTED GLOBAL)
  set_target_properties(LibXSMM::LibXSMM PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibXSMM_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
    "${LibXSMM_LIBRARY};${LibXSMM_NOBLAS_LIBRARY}")
  # The archives define BLAS symbols that only report an error; a shared object
  # that has them inside must not offer them to the rest of the process.
  get_filename_component(_xsmm "${LibXSMM_LIBRARY}" NAME)
  get_filename_component(_noblas "${LibXSMM_NOBLAS_LIBRARY}" NAME)
  set_target_properties(LibXSMM::LibXSMM PROPERTIES
    INTERFACE_LINK_OPTIONS "LINKER:--exclude-libs,${_xsmm}:${_noblas}")
endif()
