// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file that keeps the best of each problem: a poly::PlanFile or a
// graph::TemplateDatabase. Several tuners may have one: each reads it again
// under a lock (a file beside it, whose name ends with .lock) before it writes,
// and readers see whole files only.

#ifndef GC_TOOLS_GC_TUNE_DATABASE_H
#define GC_TOOLS_GC_TUNE_DATABASE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace gc::tune {

/// The text of a file; nothing if there is none.
llvm::Expected<std::optional<std::string>> readText(llvm::StringRef path);

/// Replaces the text of a file, or makes the file, under its lock.
llvm::Error
changeText(llvm::StringRef path,
           llvm::function_ref<llvm::Expected<std::string>()> getText);

/// What a file has for a machine with this fingerprint; nothing if there is no
/// file. An error if it is something else, or for something else.
template <typename File>
llvm::Expected<File> readDatabase(llvm::StringRef path,
                                  llvm::StringRef machine) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   path + message);
  };
  auto text = readText(path);
  if (!text)
    return text.takeError();
  File file;
  file.machine = machine.str();
  if (!*text)
    return file;
  llvm::Expected<File> known = File::parse(**text);
  if (!known)
    return fail(": " + llvm::toString(known.takeError()));
  if (std::string mismatch = known->explainMismatch(machine); !mismatch.empty())
    return fail(" cannot be added to: " + mismatch);
  return known;
}

/// Changes what the file has, whatever others have added in the meantime.
template <typename File>
llvm::Error changeDatabase(llvm::StringRef path, llvm::StringRef machine,
                           llvm::function_ref<void(File &)> change) {
  return changeText(path, [&]() -> llvm::Expected<std::string> {
    llvm::Expected<File> file = readDatabase<File>(path, machine);
    if (!file)
      return file.takeError();
    change(*file);
    return file->str();
  });
}

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_DATABASE_H
