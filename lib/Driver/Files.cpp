// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Error gc::writeFile(StringRef path,
                    function_ref<Error(raw_pwrite_stream &)> write) {
  SmallVector<char, 0> content;
  raw_svector_ostream os(content);
  if (Error error = write(os))
    return error;
  if (path == "-") {
    outs() << os.str();
    outs().flush();
    return Error::success();
  }
  // Devices, pipes and what links point at are written to; any other file
  // appears when it is complete.
  if (sys::fs::exists(path) &&
      (!sys::fs::is_regular_file(path) || sys::fs::is_symlink_file(path))) {
    std::error_code code;
    raw_fd_ostream file(path, code, sys::fs::OF_None);
    if (!code) {
      file << os.str();
      file.close();
      code = file.error();
      file.clear_error();
    }
    return code ? makeError(path + ": " + code.message()) : Error::success();
  }
  Error error = writeToOutput(path, [&](raw_ostream &file) {
    file << os.str();
    return Error::success();
  });
  // Some of its errors name the file already.
  error = handleErrors(std::move(error), [](std::unique_ptr<FileError> named) {
    return named->takeError();
  });
  if (error)
    return makeError(path + ": " + toString(std::move(error)));
  return Error::success();
}

Error gc::checkFolder(StringRef path) {
  if (path.empty() || path == "-")
    return Error::success();
  StringRef folder = sys::path::parent_path(path);
  if (!sys::fs::is_directory(folder.empty() ? "." : folder))
    return makeError(path + ": the folder does not exist");
  if (sys::fs::is_directory(path))
    return makeError(path + ": is a folder");
  return Error::success();
}

Error gc::checkOutput(StringRef path, ArrayRef<StringRef> inputs) {
  if (Error error = checkFolder(path))
    return error;
  if (path.empty() || !sys::fs::is_regular_file(path))
    return Error::success();
  for (StringRef input : inputs)
    if (sys::fs::equivalent(path, input))
      return makeError(path + ": is an input, which would be overwritten");
  return Error::success();
}

Error gc::checkNotStandardOutput(StringRef path) {
  // What goes to terminals and pipes is appended.
  sys::fs::file_status file, output;
  if (path.empty() || sys::fs::status(path, file) ||
      sys::fs::status(STDOUT_FILENO, output) ||
      !sys::fs::is_regular_file(file) || !sys::fs::equivalent(file, output))
    return Error::success();
  return makeError(path + ": standard output is written to the same file");
}

/// The name of a file, which need not exist, with its folder's real name.
static std::string getRealName(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  SmallString<128> name;
  if (sys::fs::real_path(folder.empty() ? "." : folder, name))
    name = folder;
  sys::path::append(name, sys::path::filename(path));
  return name.str().str();
}

Error gc::checkDistinct(ArrayRef<StringRef> paths) {
  auto isFile = [](StringRef path) {
    return !path.empty() && path != "-" &&
           (!sys::fs::exists(path) || sys::fs::is_regular_file(path));
  };
  for (auto [i, path] : enumerate(paths))
    for (StringRef other : paths.drop_front(i + 1))
      if (isFile(path) && isFile(other) &&
          (getRealName(path) == getRealName(other) ||
           sys::fs::equivalent(path, other)))
        return makeError(other + ": is to be written twice");
  return Error::success();
}
