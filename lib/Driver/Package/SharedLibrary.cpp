// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedLibrary.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static Expected<std::string> findLinker(StringRef linker) {
  if (!linker.empty()) {
    if (auto found = sys::findProgramByName(linker))
      return *found;
    return makeError("there is no linker '" + linker + "'");
  }
  for (StringRef name : {"c++", "g++", "clang++"})
    if (auto found = sys::findProgramByName(name))
      return *found;
  return makeError("a shared library needs a linker: there is none of c++, g++ "
                   "and clang++; name one, or link the object file yourself");
}

/// The archive of the runtime: beside the library that this code is in, or next
/// to this program in a build and in an installation.
static Expected<std::string> findRuntime() {
  static int anchor;
  Dl_info info;
  // A program that was found through PATH has a name without a folder.
  if (dladdr(&anchor, &info) && info.dli_fname &&
      sys::path::has_parent_path(info.dli_fname)) {
    SmallString<128> path(sys::path::parent_path(info.dli_fname));
    sys::path::append(path, "libgc_runtime.a");
    if (sys::fs::exists(path))
      return path.str().str();
  }
  SmallString<128> bin(
      sys::path::parent_path(sys::fs::getMainExecutable("", &anchor)));
  for (StringRef folder : {GC_LIBRARY_FOLDER, "lib"}) {
    SmallString<128> path(sys::path::parent_path(bin));
    sys::path::append(path, folder, "libgc_runtime.a");
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return makeError("the static runtime, libgc_runtime.a, is not where this "
                   "program was installed");
}

Error gc::linkSharedLibrary(StringRef object, StringRef library, StringRef name,
                            bool needsKernels, StringRef linker) {
  auto program = findLinker(linker);
  if (!program)
    return program.takeError();
  auto runtime = findRuntime();
  if (!runtime)
    return runtime.takeError();
  // The runtime's threads sleep in the library's code, so it stays in memory
  // when it is closed.
  std::string soname = ("-Wl,-soname,lib" + name + ".so").str();
  SmallVector<StringRef> arguments = {*program,
                                      "-shared",
                                      "-o",
                                      library,
                                      object,
                                      *runtime,
                                      soname,
                                      "-Wl,--exclude-libs,ALL",
                                      "-Wl,--gc-sections",
                                      "-Wl,--no-undefined",
                                      "-Wl,-z,nodelete"};
  if (needsKernels) {
    arguments.push_back("-lxsmm");
    arguments.push_back("-lxsmmnoblas");
  }
  for (StringRef system : {"-lstdc++", "-lpthread", "-ldl", "-lm"})
    arguments.push_back(system);
  SmallString<128> messages;
  if (std::error_code code =
          sys::fs::createTemporaryFile("gc-link", "txt", messages))
    return makeError("no temporary file: " + code.message());
  scope_exit remove([&] { sys::fs::remove(messages); });
  StringRef output(messages);
  std::optional<StringRef> redirects[] = {StringRef(""), output, output};
  std::string message;
  int status =
      sys::ExecuteAndWait(*program, arguments, /*Env=*/std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0)
    return Error::success();
  if (message.empty())
    if (auto buffer = MemoryBuffer::getFile(messages))
      message = (*buffer)->getBuffer().trim().str();
  return makeError(*program + " could not link " +
                   sys::path::filename(library) + ": " + message);
}
