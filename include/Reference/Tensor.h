// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tensor in host memory: what the reference computes on and what tools read,
// write, compare and pass to compiled code.

#ifndef GC_REFERENCE_TENSOR_H
#define GC_REFERENCE_TENSOR_H

#include "Reference/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gc::reference {

/// A handle to elements in host memory with a shape and element strides, so
/// that views (transposed, broadcast, part of a larger buffer) need no copy.
/// Copies of a Tensor share the elements. The memory is owned (shared among
/// handles) or borrowed from the caller. A default-constructed Tensor is null.
class Tensor {
public:
  Tensor() = default;

  /// Allocates an uninitialised tensor, row-major when `strides` is not given.
  /// Fails, with the reason in `error`, when the size overflows, a size or
  /// stride is negative, or memory runs out.
  static mlir::FailureOr<Tensor>
  create(ElementType type, llvm::ArrayRef<int64_t> shape,
         std::optional<llvm::ArrayRef<int64_t>> strides = std::nullopt,
         std::string *error = nullptr);

  /// Allocates a tensor of an MLIR type. A strided layout gives the strides;
  /// other layouts do not matter for values and are treated as row-major. Fails
  /// too for dynamic shapes and for element types that have no ElementType.
  static mlir::FailureOr<Tensor> create(mlir::RankedTensorType type,
                                        std::string *error = nullptr);

  /// A tensor over memory of the caller, which must outlive it.
  static Tensor borrow(ElementType type, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> strides, const void *data);

  explicit operator bool() const { return valid; }
  ElementType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  /// In elements.
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  /// Elements and bytes from the first to the last one in memory, gaps
  /// included.
  int64_t getBufferElements() const;
  int64_t getBufferBytes() const;
  bool isContiguous() const;
  bool isOwned() const { return owner != nullptr; }
  /// Whether the memory belongs to this tensor alone.
  bool isUnique() const { return owner.use_count() == 1; }

  void *getData() const { return data; }
  template <typename T>
  T *getData() const {
    return static_cast<T *>(data);
  }

  /// One element; slow, meant for tests and messages.
  double get(llvm::ArrayRef<int64_t> index) const;
  void set(llvm::ArrayRef<int64_t> index, double value);

  /// All elements in row-major order.
  std::vector<double> getValues() const;
  /// Sets all elements in row-major order; `values` has one per element.
  void setValues(llvm::ArrayRef<double> values);

  /// A view on the same memory with other strides or another shape; the caller
  /// must make sure that it stays inside the buffer.
  Tensor withView(llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> strides) const;
  /// A view that numpy rules broadcast to `shape` (which must fit).
  Tensor broadcastTo(llvm::ArrayRef<int64_t> shape) const;

  /// A row-major copy in new memory; fails when memory runs out.
  mlir::FailureOr<Tensor> clone() const;
  /// Copies the elements of `source` (same shape), converting the element type.
  void copyFrom(const Tensor &source);

private:
  bool valid = false;
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape, strides;
  std::shared_ptr<void> owner;
  void *data = nullptr;
};

/// "f32[2, 3]", for messages.
std::string describe(ElementType type, llvm::ArrayRef<int64_t> shape);
std::string describe(const Tensor &tensor);

} // namespace gc::reference

#endif // GC_REFERENCE_TENSOR_H
