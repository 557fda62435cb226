// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Command-line options for SourceSettings.

#ifndef GC_DRIVER_SOURCEOPTIONS_H
#define GC_DRIVER_SOURCEOPTIONS_H

#include "Driver/Source.h"
#include "llvm/Support/CommandLine.h"

#include <string>
#include <vector>

namespace gc {

/// --dim, --shape and --value: what an ONNX model leaves open; --size: what a
/// graph leaves open.
class SourceOptions {
public:
  explicit SourceOptions(llvm::cl::OptionCategory &category)
      : dims(
            "dim", llvm::cl::value_desc("name=size|name=min..max"),
            llvm::cl::cat(category),
            llvm::cl::desc("Size of a dimension that an ONNX model only names, "
                           "or the bounds of one that varies")),
        shapes("shape", llvm::cl::value_desc("input=2x3x4"),
               llvm::cl::cat(category),
               llvm::cl::desc("Shape of an input of an ONNX model")),
        values("value", llvm::cl::value_desc("input=1,2"),
               llvm::cl::cat(category),
               llvm::cl::desc("Numbers that an input of an ONNX model has to "
                              "have: a shape, an axis")),
        sizes("size", llvm::cl::value_desc("name=size"),
              llvm::cl::cat(category),
              llvm::cl::desc("Size of a dimension that varies (graph.dims, "
                             "--dim=name=min..max)")) {}

  /// What the options say; without --size for a tool that does more with it.
  llvm::Expected<SourceSettings> getSettings(bool withSizes = true) const {
    return SourceSettings::parse(getTexts(withSizes));
  }
  /// The options without dashes, as they are typed.
  std::vector<std::string> getTexts(bool withSizes = true) const {
    std::vector<std::string> texts;
    auto add = [&](const llvm::cl::list<std::string> &list) {
      for (const std::string &text : list)
        texts.push_back((list.ArgStr + "=" + text).str());
    };
    add(dims);
    add(shapes);
    add(values);
    if (withSizes)
      add(sizes);
    return texts;
  }
  std::vector<std::string> getSizes() const {
    return {sizes.begin(), sizes.end()};
  }

private:
  llvm::cl::list<std::string> dims, shapes, values, sizes;
};

} // namespace gc

#endif // GC_DRIVER_SOURCEOPTIONS_H
