// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Database.h"
#include "Driver/Files.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace llvm;
using namespace gc;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::optional<std::string>> tune::readText(StringRef path) {
  if (!sys::fs::exists(path))
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Error tune::changeText(StringRef path,
                       function_ref<Expected<std::string>()> getText) {
  int lock;
  std::string lockPath = (path + ".lock").str();
  if (std::error_code code = sys::fs::openFileForReadWrite(
          lockPath, lock, sys::fs::CD_OpenAlways, sys::fs::OF_None))
    return makeError(lockPath + ": " + code.message());
  // Closing gives the lock back.
  auto close =
      llvm::scope_exit([&] { sys::Process::SafelyCloseFileDescriptor(lock); });
  if (std::error_code code =
          sys::fs::tryLockFile(lock, std::chrono::seconds(60)))
    return makeError(lockPath + " cannot be locked: " + code.message());
  Expected<std::string> text = getText();
  if (!text)
    return text.takeError();
  return writeFile(path, [&](raw_pwrite_stream &os) {
    os << *text;
    return Error::success();
  });
}
