// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading isl's notation strictly: isl itself stops at the end of the first
// object and ignores the rest of the text.

#ifndef GC_DIALECT_POLY_IR_SCOPTEXT_H
#define GC_DIALECT_POLY_IR_SCOPTEXT_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Isl/Isl.h"

namespace gc::poly {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Read one object and nothing else, or emit an error.
mlir::FailureOr<isl::Set> readSet(const isl::Ctx &ctx, llvm::StringRef text,
                                  EmitError emitError);
mlir::FailureOr<isl::Map> readMap(const isl::Ctx &ctx, llvm::StringRef text,
                                  EmitError emitError);
mlir::FailureOr<isl::Schedule>
readSchedule(const isl::Ctx &ctx, llvm::StringRef text, EmitError emitError);

/// The domain of a statement or a tile, which is bounded, not empty and named
/// `name`, or an error (C1) at `op`.
mlir::FailureOr<isl::Set> readDomain(const isl::Ctx &ctx, mlir::Operation *op,
                                     llvm::StringRef text,
                                     llvm::StringRef name);

/// (C7) and (C8) of a scop.
mlir::LogicalResult verifyCores(ScopOp scop);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_IR_SCOPTEXT_H
