// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writing weights in the safetensors format: eight bytes with the length of a
// header, the header as JSON, then the data without gaps.

#include "Interface.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

/// Kernels read whole cache lines.
static constexpr uint64_t kAlignment = 64;

std::string gc::writeWeights(const PackageInterface &package) {
  std::string header, data;
  {
    raw_string_ostream os(header);
    json::OStream json(os);
    json.object([&] {
      json.attributeObject("__metadata__", [&] {
        json.attribute("graph", package.name);
        json.attribute("compiler", "gc-compile " GC_VERSION);
      });
      auto describe = [&](StringRef name, StringRef type,
                          ArrayRef<int64_t> shape, size_t bytes) {
        json.attributeObject(name, [&] {
          json.attribute("dtype", type);
          json.attributeArray("shape", [&] {
            for (int64_t size : shape)
              json.value(size);
          });
          json.attributeArray("data_offsets", [&] {
            json.value(int64_t(data.size()));
            json.value(int64_t(data.size() + bytes));
          });
        });
        data.resize(data.size() + bytes);
      };
      for (auto [i, weight] : enumerate(package.weights)) {
        describe(json::fixUTF8(weight.name), weight.fileType, weight.shape,
                 weight.data.size());
        llvm::copy(weight.data, data.end() - weight.data.size());
        // The format has no gaps, so what aligns the next one is a tensor, too.
        if (int64_t gap = offsetToAlignment(data.size(), Align(kAlignment)))
          describe("gap." + std::to_string(i), "U8", {gap}, gap);
      }
    });
  }
  header.resize(alignTo(header.size() + 8, kAlignment) - 8, ' ');
  std::string file(8, 0);
  support::endian::write64le(file.data(), header.size());
  return file + header + data;
}
