// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs as files for programs without a compiler.

#include "Driver/Package.h"
#include "Driver/Source.h"
#include "Handles.h"

using namespace gc;
using namespace gc::capi;

static llvm::Error invalid(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string getText(const char *string) { return string ? string : ""; }

static llvm::Expected<PackageOptions>
readPackageOptions(const gc_package_options *options,
                   llvm::StringRef function) {
  gc_package_options given = GC_PACKAGE_OPTIONS_INIT;
  if (options) {
    size_t size = options->struct_size;
    if (size < sizeof(size_t) || size % sizeof(size_t) || size > (1 << 16))
      return invalid("package->struct_size is not set; start from "
                     "GC_PACKAGE_OPTIONS_INIT");
    memcpy(&given, options, std::min(size, sizeof(given)));
  }
  PackageOptions result;
  result.name = getText(given.name);
  if (result.name.empty())
    result.name = makeIdentifier(function, "g");
  else if (makeIdentifier(result.name, "g") != result.name)
    return invalid("name: '" + result.name +
                   "' is not an identifier that C and C++ accept");
  result.shared = given.shared;
  result.linker = getText(given.linker);
  result.weightsInFile = given.weights_in_file;
  result.prepack = given.prepack;
  if (given.num_values < 0 ||
      (given.num_values > 0 && (!given.value_names || !given.value_files)))
    return invalid("package->num_values is not the number of the names and "
                   "files of values");
  for (int64_t i = 0; i < given.num_values; ++i) {
    result.values.emplace_back(getText(given.value_names[i]),
                               getText(given.value_files[i]));
    if (result.values.back().first.empty() ||
        result.values.back().second.empty())
      return invalid("value " + llvm::Twine(i) + " has no name or no file");
  }
  return result;
}

gc_error *gc_graph_write_package(gc_graph *graph,
                                 const gc_compile_options *options,
                                 const gc_package_options *package,
                                 const char *folder) {
  if (!graph || !folder || !*folder)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_write_package: a NULL argument");
  return guard([&]() -> gc_error * {
    std::string name;
    auto driverOptions = readOptions(options, name);
    if (!driverOptions)
      return makeError(driverOptions.takeError(), GC_INVALID_ARGUMENT);
    std::lock_guard<std::mutex> lock(graph->state->mutex);
    auto entry = findEntry(*graph->state->module, name);
    if (!entry)
      return makeError(entry.takeError(), GC_INVALID_ARGUMENT);
    auto packageOptions = readPackageOptions(package, entry->getName());
    if (!packageOptions)
      return makeError(packageOptions.takeError(), GC_INVALID_ARGUMENT);
    if (llvm::Error error = resolveThreads(*graph->state->module,
                                           /*runsHere=*/false, *driverOptions))
      return makeError(std::move(error), GC_INVALID_ARGUMENT);
    std::vector<Remark> remarks;
    if (llvm::Error error = writePackage(*entry, *driverOptions,
                                         *packageOptions, folder, remarks))
      return makeError(std::move(error), GC_INVALID_ARGUMENT);
    return nullptr;
  });
}
