// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What files of decisions for one machine have in common, as JSON:
//
//   { "version": 1, "machine": "gm64-0123456789abcdef", "kernels": [ ... ] }

#ifndef GC_SUPPORT_TUNEDFILE_H
#define GC_SUPPORT_TUNEDFILE_H

#include "Support/JsonText.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc {

struct TunedFile {
  /// Of the format, as this compiler writes it.
  explicit TunedFile(int64_t ownVersion)
      : version(ownVersion), ownVersion(ownVersion) {}

  /// That of a file that was read. Of another one nothing else is known.
  int64_t version;
  /// Fingerprint of the machine that the decisions are for.
  std::string machine;

  bool isOwnVersion() const { return version == ownVersion; }
  /// Why the decisions are not for this compiler and a machine with this
  /// fingerprint; empty if they are.
  std::string explainMismatch(llvm::StringRef fingerprint) const;

  /// The file's text with its entries under the key `list`.
  std::string print(llvm::StringRef list, llvm::json::Array entries) const;
  /// Reads a file's text, and its entries with their numbers in order; false
  /// after `reader` or `readEntry` has failed. No entries of another version
  /// are read.
  bool
  read(llvm::StringRef text, llvm::StringRef list, JsonReader &reader,
       llvm::function_ref<bool(const llvm::json::Value &, size_t)> readEntry);

private:
  int64_t ownVersion;
};

/// Writes a text to a file whole. `what` is its subject in the error at the
/// module.
llvm::LogicalResult writeText(mlir::ModuleOp module, llvm::StringRef file,
                              llvm::StringRef text, llvm::StringRef what);

} // namespace gc

#endif // GC_SUPPORT_TUNEDFILE_H
