// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Images and kernels that slide over them, for the steps of a random graph that
// convolve, pool and interpolate.

#ifndef GC_TOOLS_GC_FUZZ_WINDOWS_H
#define GC_TOOLS_GC_FUZZ_WINDOWS_H

#include "GraphState.h"

namespace gc::fuzz {

/// A kernel along one spatial dimension.
struct Axis {
  int64_t size, kernel, stride, dilation, padBegin, padEnd;

  /// From the first to the last element that a window covers.
  int64_t getReach() const { return (kernel - 1) * dilation + 1; }
  /// Windows; 0 if none fits.
  int64_t getOutput() const;
  /// Whether no window lies in the pads alone.
  bool isEachInside() const;
  /// Most windows that have one element of the image in them.
  int64_t getOverlap() const;
  /// Sets the pads as auto_pad does.
  void resolve(llvm::StringRef autoPad);
};

/// Shapes of images by their parts.
struct ImageShape {
  int64_t batch = 1, channels = 1;
  llvm::SmallVector<int64_t> spatial;

  llvm::SmallVector<int64_t> get(bool channelsLast) const;
};

struct Image {
  Item item;
  ImageShape shape;
  bool channelsLast;
};

/// What all ops with windows have in common.
struct WindowChoice {
  llvm::SmallVector<Axis> axes;
  llvm::StringRef autoPad;

  /// The same image with its windows as spatial dimensions.
  ImageShape getOutput(const ImageShape &image) const;
  /// Elements of one window.
  int64_t getTaps() const;
  int64_t getOverlap() const;
  bool isEachInside() const;
  /// Values of one member for all dimensions.
  llvm::SmallVector<int64_t> get(int64_t Axis::*member) const;
  /// strides, pads_begin, pads_end and auto_pad, the latter in any case where
  /// the op has one.
  llvm::SmallVector<mlir::NamedAttribute>
  getAttributes(GraphState &state) const;
  mlir::NamedAttribute getDilations(GraphState &state) const;
};

/// A tensor with three to five dimensions: a value of the graph, or often an
/// argument. Nothing if it would be too large. Channels are one of `channels`
/// where the image is an argument.
std::optional<Image> pickImage(GraphState &state, mlir::Type element,
                               llvm::ArrayRef<int64_t> channels);

/// Kernels that fit the spatial dimensions, also where all of one is in the
/// pads.
std::optional<WindowChoice> pickWindows(Random &random, const ImageShape &image,
                                        bool hasDilations);

/// A value or an argument of the shape and type of elements.
Item pickTensor(GraphState &state, llvm::ArrayRef<int64_t> shape,
                mlir::Type element);

mlir::NamedAttribute makeList(GraphState &state, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> values);
mlir::NamedAttribute makeFormat(GraphState &state, bool channelsLast);

/// Adds a value most of whose elements may be 0, which would prove little:
/// mostly as the sum with another value of its type.
void addSparse(GraphState &state, mlir::Value value, const Range &range);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_WINDOWS_H
