// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading a file of tensors in the safetensors format: eight bytes with the
// length of a header, the header as JSON, then the data.

#ifndef GC_LIB_RUNTIME_SAFETENSORS_H
#define GC_LIB_RUNTIME_SAFETENSORS_H

#include "Runtime/Package.h"

#include <string>
#include <vector>

namespace gc::runtime {

/// A file mapped into memory, read-only.
class SafeTensors {
public:
  SafeTensors() = default;
  SafeTensors(const SafeTensors &) = delete;
  ~SafeTensors();

  /// Maps the file and reads its header.
  gc_status open(const char *Path);
  /// The data of a tensor, which must be what Weight describes. The message
  /// names the file.
  gc_status find(const gc_weight &Weight, const void *&Data) const;

private:
  struct Entry {
    std::string Name, Type;
    std::vector<uint64_t> Shape;
    uint64_t Begin = 0, End = 0;
  };

  gc_status parseHeader(uint64_t Length);

  std::string Path;
  void *Mapping = nullptr;
  uint64_t Bytes = 0;
  uint64_t DataOffset = 0;
  std::vector<Entry> Entries;
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_SAFETENSORS_H
