// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImageTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

ImageTile::ImageTile(Img2colAttr img2col, ArrayRef<int64_t> image,
                     int64_t positions, int64_t tile, int64_t c0)
    : height(image[1]), width(image[2]), outputWidth(img2col.getOutputWidth()),
      blocks(llvm::divideCeil(image[3], c0)) {
  int64_t outputHeight = positions / outputWidth;
  int64_t *sizes[] = {&height, &width}, *steps[] = {&rowStep, &columnStep};
  int64_t outputs[] = {outputHeight, outputWidth};
  for (int dim : {0, 1}) {
    kernel[dim] = img2col.getKernel()[dim];
    strides[dim] = img2col.getStrides()[dim];
    pads[dim] = img2col.getPads()[dim];
    // What lies between positions is not read.
    bool isSparse = kernel[dim] == 1 && pads[dim] == 0 &&
                    (outputs[dim] - 1) * strides[dim] < *sizes[dim];
    if (isSparse) {
      *steps[dim] = std::exchange(strides[dim], 1);
      *sizes[dim] = outputs[dim];
    }
  }
  // Rows of the result that a tile touches.
  bool isAligned = tile % outputWidth == 0;
  int64_t touched = isAligned ? tile / outputWidth
                              : llvm::divideCeil(tile - 1, outputWidth) + 1;
  touched = std::min(touched, outputHeight);
  halo = llvm::divideCeil(pads[0], strides[0]);
  rows = (touched - 1) * strides[0] - pads[0] + kernel[0] - 1 +
         strides[0] * halo + 1;
  isWhole = tile == positions || rows >= height;
  if (isWhole) {
    rows = height;
    lastStart = 0;
    return;
  }
  // The last tile's rows end where the image does.
  rows += (height - rows) % strides[0];
  lastStart = (height - rows) / strides[0];
}
