# Finds isl, the library of integer sets: ISL::ISL.

find_path(ISL_INCLUDE_DIR isl/ctx.h)
find_library(ISL_LIBRARY isl)
mark_as_advanced(ISL_INCLUDE_DIR ISL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ISL REQUIRED_VARS
  ISL_LIBRARY ISL_INCLUDE_DIR)

if(ISL_FOUND AND NOT TARGET ISL::ISL)
  add_library(ISL::ISL INTERFACE IMPORTED GLOBAL)
  set_target_properties(ISL::ISL PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ISL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${ISL_LIBRARY}")
endif()
