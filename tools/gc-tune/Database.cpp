// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Database.h"
#include "Driver/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace llvm;
using namespace gc;
using namespace gc::tune;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<poly::PlanFile> tune::readDatabase(StringRef path, StringRef machine) {
  poly::PlanFile file;
  file.machine = machine.str();
  if (!sys::fs::exists(path))
    return file;
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  Expected<poly::PlanFile> known =
      poly::PlanFile::parse((*buffer)->getBuffer());
  if (!known)
    return makeError(path + ": " + toString(known.takeError()));
  if (std::string mismatch = known->explainMismatch(machine); !mismatch.empty())
    return makeError(path + " cannot be added to: " + mismatch);
  return known;
}

/// Kernels are found by their problem, but names in a file are different.
static void addPlan(poly::PlanFile &file, poly::KernelPlan plan) {
  const poly::KernelPlan *known = file.findProblem(plan.problem);
  if (known && known->cycles > 0 && known->cycles < plan.cycles)
    return;
  erase_if(file.kernels, [&](const poly::KernelPlan &other) {
    return other.problem == plan.problem;
  });
  if (file.findKernel(plan.kernel))
    plan.kernel += "_" + plan.problem;
  file.kernels.push_back(std::move(plan));
}

Error tune::addToDatabase(StringRef path, StringRef machine,
                          poly::KernelPlan plan) {
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
  Expected<poly::PlanFile> file = readDatabase(path, machine);
  if (!file)
    return file.takeError();
  addPlan(*file, std::move(plan));
  return writeFile(path, [&](raw_pwrite_stream &os) {
    os << file->str();
    return Error::success();
  });
}
