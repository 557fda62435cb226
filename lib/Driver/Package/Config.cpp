// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CMake package of a compiled graph, and its description as JSON.

#include "Interface.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

static void describeTensor(const PackageTensor &tensor, json::OStream &os) {
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    os.attributeArray(name, [&] {
      for (int64_t value : values)
        os.value(value);
    });
  };
  os.object([&] {
    os.attribute("name", tensor.name);
    os.attribute("type", tensor.type);
    list("shape", tensor.shape);
    if (!tensor.strides.empty())
      list("strides", tensor.strides);
    if (tensor.isConstant)
      os.attribute("constant", true);
  });
}

void gc::describePackage(const PackageInterface &package, json::OStream &os) {
  os.attribute("name", package.name);
  os.attribute("threads", package.threads);
  os.attribute("features", printFeatures(package.features));
  os.attribute("weights", package.hasFile());
  auto list = [&](StringRef name, ArrayRef<PackageTensor> tensors) {
    os.attributeArray(name, [&] {
      for (const PackageTensor &tensor : tensors)
        if (!tensor.isInFile)
          describeTensor(tensor, os);
    });
  };
  list("inputs", package.inputs);
  list("outputs", package.outputs);
}

std::string gc::writePackageConfig(const PackageInterface &package,
                                   bool isShared) {
  std::string text;
  raw_string_ostream os(text);
  StringRef name = package.name;
  os << "# find_package(" << name << "), a compiled graph:\n#\n"
     << "#   " << name << "::" << name
     << "          the code; links GraphCompiler's static runtime\n";
  if (isShared)
    os << "#   " << name << "::" << name
       << "_shared   the shared library, which needs nothing else\n";
  if (package.hasFile())
    os << "#   " << name << "_WEIGHTS       the file of weights\n";
  os << "\nget_filename_component(_folder \"${CMAKE_CURRENT_LIST_FILE}\" "
        "PATH)\n";
  if (package.hasFile())
    os << "set(" << name << "_WEIGHTS \"${_folder}/" << name
       << ".safetensors\")\n";
  if (isShared)
    os << "if(NOT TARGET " << name << "::" << name << "_shared)\n"
       << "  add_library(" << name << "::" << name
       << "_shared SHARED IMPORTED)\n"
       << "  set_target_properties(" << name << "::" << name
       << "_shared PROPERTIES\n"
       << "    IMPORTED_LOCATION \"${_folder}/lib" << name << ".so\"\n"
       << "    IMPORTED_SONAME lib" << name << ".so\n"
       << "    INTERFACE_INCLUDE_DIRECTORIES \"${_folder}\")\n"
       << "endif()\n"
       << "if(NOT TARGET GraphCompiler::gc_runtime_static)\n"
       << "  find_package(GraphCompiler QUIET COMPONENTS Runtime)\n"
       << "endif()\n";
  else
    os << "if(NOT TARGET GraphCompiler::gc_runtime_static)\n"
       << "  include(CMakeFindDependencyMacro)\n"
       << "  find_dependency(GraphCompiler COMPONENTS Runtime)\n"
       << "endif()\n";
  os << "if(TARGET GraphCompiler::gc_runtime_static AND NOT TARGET " << name
     << "::" << name << ")\n"
     << "  add_library(" << name << "::" << name << " STATIC IMPORTED)\n"
     << "  set_target_properties(" << name << "::" << name << " PROPERTIES\n"
     << "    IMPORTED_LOCATION \"${_folder}/" << name << ".o\"\n"
     << "    INTERFACE_INCLUDE_DIRECTORIES \"${_folder}\"\n"
     << "    INTERFACE_LINK_LIBRARIES GraphCompiler::gc_runtime_static)\n"
     << "endif()\nunset(_folder)\n";
  return text;
}
