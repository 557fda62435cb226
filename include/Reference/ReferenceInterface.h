// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The op interface by which ops join the reference interpreter.

#ifndef GC_REFERENCE_REFERENCEINTERFACE_H
#define GC_REFERENCE_REFERENCEINTERFACE_H

#include "Reference/Evaluation.h"
#include "mlir/IR/OpDefinition.h"

#include "Reference/ReferenceInterface.h.inc"

#endif // GC_REFERENCE_REFERENCEINTERFACE_H
