# What `cmake --install` copies, and the package that find_package(GraphCompiler)
# finds. The export sets are GC's own: LLVM's install helpers would add our
# libraries to theirs.

include(CMakePackageConfigHelpers)
set(GC_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/GraphCompiler)
set(GC_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/GraphCompiler)

# Headers, written and generated, and the .td files that other dialects include.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
  DESTINATION ${GC_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${GC_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc"
  PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(file README.md docs)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${file})
      install(DIRECTORY ${file}/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
    else()
      install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
    endif()
  endif()
endforeach()

# The runtimes are separate sets, so that programs without MLIR can use them: the
# standalone ones, and those on OpenMP.
get_property(libraries GLOBAL PROPERTY GC_LIBRARIES)
get_property(tools GLOBAL PROPERTY GC_TOOLS)
list(REMOVE_ITEM libraries GCRuntime)
get_property(standalone GLOBAL PROPERTY GC_STANDALONE_RUNTIMES)
install(TARGETS ${standalone} EXPORT GraphCompilerRuntimeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS GCRuntime gc_runtime_openmp EXPORT GraphCompilerOpenMPTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${libraries} ${tools} EXPORT GraphCompilerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# So are the C interface and the Graph API: shared libraries that have everything
# inside.
install(TARGETS gc_c gc_dnnl_graph EXPORT GraphCompilerCAPITargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(set GraphCompilerRuntimeTargets GraphCompilerOpenMPTargets
    GraphCompilerCAPITargets GraphCompilerTargets)
  install(EXPORT ${set} NAMESPACE GraphCompiler::
    DESTINATION ${GC_INSTALL_CMAKEDIR})
endforeach()

set(GC_INSTALL_PLUGIN ${CMAKE_INSTALL_LIBDIR}/GCPlugin.so)
if(TARGET GCPlugin)
  install(TARGETS GCPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

configure_package_config_file(cmake/GraphCompilerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/GraphCompilerConfig.cmake
  INSTALL_DESTINATION ${GC_INSTALL_CMAKEDIR}
  PATH_VARS GC_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR GC_INSTALL_PLUGIN)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/GraphCompilerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/GraphCompilerConfig.cmake
  ${PROJECT_BINARY_DIR}/GraphCompilerConfigVersion.cmake
  cmake/GCAddGraphLibrary.cmake
  cmake/GraphCompilerProxies.cmake
  cmake/FindISL.cmake
  cmake/FindLibXSMM.cmake
  cmake/FindOnnxProto.cmake
  DESTINATION ${GC_INSTALL_CMAKEDIR})
