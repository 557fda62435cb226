// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In which order the decompositions of windows see the dimensions of images.

#ifndef GC_LIB_DIALECT_GRAPH_IR_IMAGEVIEW_H
#define GC_LIB_DIALECT_GRAPH_IR_IMAGEVIEW_H

#include "Windows.h"

namespace gc::graph {

/// The images of an op as [n, x..., c]. With channels second they are
/// transposed, as contractions want them, if something around the op is
/// transposed as well and may cancel that. Otherwise each channel is an image
/// of its own, which moves nothing: vectors then slide along rows.
class ImageView {
public:
  ImageView(mlir::Operation *op, llvm::StringRef format);

  mlir::Value open(Decomposition &b, mlir::Value image) const;
  /// The op's result from an image in this view.
  llvm::SmallVector<mlir::Value> close(Decomposition &b, mlir::Value image,
                                       mlir::Type wanted) const;

private:
  llvm::StringRef format;
  bool channelsApart = false;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_IMAGEVIEW_H
