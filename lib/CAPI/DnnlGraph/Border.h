// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts of the tensors between two partitions.

#ifndef GC_LIB_CAPI_DNNLGRAPH_BORDER_H
#define GC_LIB_CAPI_DNNLGRAPH_BORDER_H

#include "Code.h"
#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::dnnlgraph {

/// The ops as a graph whose arguments and results are these tensors, one for
/// each id.
onednn::GraphFile describePart(const OpList &ops, llvm::ArrayRef<LT> inputs,
                               llvm::ArrayRef<LT> outputs,
                               mlir::MLIRContext *context);

/// The blocked layout in which all readers of an output of the partition would
/// read it without a copy and in less time, or null if they do not want the
/// same one, the graph does not say enough about their other inputs, or the
/// partition would not write blocks as fast as rows. `value` is the output in
/// the partition's function, `outputs` are all of them with their shapes.
graph::LayoutAttr chooseLayout(const PartitionData &partition,
                               mlir::Value value, const LT &output,
                               llvm::ArrayRef<Argument> outputs,
                               const CompileOptions &options,
                               mlir::MLIRContext *context);

/// Gives arguments and results the opaque layouts that their tensors have; the
/// ops of the function stay as they are, with reorders around them. Returns
/// whether there are any.
bool applyLayouts(mlir::func::FuncOp function, llvm::ArrayRef<Argument> inputs,
                  llvm::ArrayRef<Argument> outputs);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_BORDER_H
