// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Typed access to the fields of a JSON object, with diagnostics that say which
// object of the file lacks what.

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_JSONOBJECT_H
#define GC_LIB_TARGET_ONEDNNGRAPH_JSONOBJECT_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace gc::onednn {

class JsonObject {
public:
  /// `what` names the object in diagnostics, such as "MatMul (id 7), input 0".
  JsonObject(const llvm::json::Object &object, mlir::Location loc,
             std::string what)
      : object(object), loc(loc), what(std::move(what)) {}

  /// An error about this object.
  mlir::InFlightDiagnostic error() const {
    return mlir::emitError(loc) << what << ": ";
  }

  bool has(llvm::StringRef key) const { return object.get(key); }

  /// The field `key`, null after an error if there is none.
  const llvm::json::Value *get(llvm::StringRef key) const;

  mlir::FailureOr<llvm::StringRef> getString(llvm::StringRef key) const;
  mlir::FailureOr<uint64_t> getId(llvm::StringRef key) const;
  mlir::FailureOr<int64_t> getInteger(llvm::StringRef key) const;
  /// 0, 1, true or false.
  mlir::FailureOr<bool> getBool(llvm::StringRef key) const;
  /// A number that is finite as f32.
  mlir::FailureOr<float> getFloat(llvm::StringRef key) const;
  mlir::FailureOr<const llvm::json::Array *>
  getArray(llvm::StringRef key) const;
  mlir::FailureOr<const llvm::json::Object *>
  getObject(llvm::StringRef key) const;
  mlir::FailureOr<llvm::SmallVector<uint64_t>>
  getIds(llvm::StringRef key) const;
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  getIntegers(llvm::StringRef key) const;
  mlir::FailureOr<llvm::SmallVector<float>>
  getFloats(llvm::StringRef key) const;

private:
  const llvm::json::Object &object;
  mlir::Location loc;
  std::string what;
};

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_JSONOBJECT_H
