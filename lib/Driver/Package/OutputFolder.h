// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A folder of files that appears under its name when it is complete.

#ifndef GC_LIB_DRIVER_PACKAGE_OUTPUTFOLDER_H
#define GC_LIB_DRIVER_PACKAGE_OUTPUTFOLDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace gc {

class OutputFolder {
public:
  /// Makes a temporary folder beside `path`. What is at `path` must be absent,
  /// empty, or a folder that this class has written.
  static llvm::Expected<OutputFolder> create(llvm::StringRef path);
  OutputFolder(OutputFolder &&other);
  /// Removes the temporary folder unless it was committed.
  ~OutputFolder();

  llvm::Error add(llvm::StringRef name, llvm::StringRef content);
  /// Where another program is to write the file.
  std::string getPath(llvm::StringRef name);
  /// Gives the folder its name, in one step where the system can. `describe`
  /// adds what the manifest says besides the files.
  llvm::Error commit(llvm::function_ref<void(llvm::json::OStream &)> describe);

private:
  OutputFolder() = default;

  std::string path, temporary;
  bool replaces = false;
  std::vector<std::string> files;
};

} // namespace gc

#endif // GC_LIB_DRIVER_PACKAGE_OUTPUTFOLDER_H
