// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of a machine's description as data, for whoever reads or writes
// all of them: files, attributes of modules, comparisons. A new number is one
// more line in MachineFacts.cpp.

#ifndef GC_MACHINE_MACHINEFACTS_H
#define GC_MACHINE_MACHINEFACTS_H

#include "Machine/Machine.h"

#include <variant>

namespace gc {

template <typename T>
struct Fact {
  /// In a file; "l2.bytes" is the key `bytes` of the object `l2`.
  llvm::StringLiteral key;
  /// The name in a target description (DLTI), if different from the one in a
  /// file.
  llvm::StringLiteral entry;
  std::variant<int64_t T::*, double T::*> member;
  /// The smallest and the largest value that make sense.
  double least, most;

  bool isInteger() const { return member.index() == 0; }
  double get(const T &facts) const {
    return isInteger() ? facts.*std::get<0>(member)
                       : facts.*std::get<1>(member);
  }
  /// The value must be one that isValid() accepts.
  void set(T &facts, double value) const {
    if (isInteger())
      facts.*std::get<0>(member) = static_cast<int64_t>(value);
    else
      facts.*std::get<1>(member) = value;
  }
  llvm::StringRef getEntry() const { return entry.empty() ? key : entry; }
  bool isValid(double value) const {
    // False for NaN.
    return value >= least && value <= most &&
           (!isInteger() || value == static_cast<int64_t>(value));
  }
  /// "an integer from 1 to 4096".
  std::string describe() const;
};

llvm::ArrayRef<Fact<Machine>> getMachineFacts();
llvm::ArrayRef<Fact<KernelRate>> getKernelFacts();

/// The contradiction between facts that are each valid on their own, naming one
/// by its key; empty if there is none.
std::string findContradiction(const Machine &machine);

} // namespace gc

#endif // GC_MACHINE_MACHINEFACTS_H
