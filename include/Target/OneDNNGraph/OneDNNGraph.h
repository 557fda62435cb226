// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Import and export of oneDNN Graph JSON, the format of that library's graph
// dump and of its benchmark driver.

#ifndef GC_TARGET_ONEDNNGRAPH_ONEDNNGRAPH_H
#define GC_TARGET_ONEDNNGRAPH_ONEDNNGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class raw_ostream;
class SourceMgr;
} // namespace llvm

namespace gc {

/// What an importer does with an op of a kind that has no row in the table of
/// operations.
enum class UnknownKinds {
  Refused,  ///< it is an error
  Wildcards ///< a `graph.wildcard` with the kind as `graph.unknown_kind`
};

/// Reads the graph in the main buffer of `sources` and returns a module with
/// one public function: `@main`, or the graph's name if it has one. The
/// dialects it needs are loaded into `context`.
///
/// Arguments are the tensors that no op produces, in the order of
/// `input_ports` as far as that list is right, else of first use. An argument
/// carries the tensor's id as `graph.name`, and `graph.const_arg` when its
/// property type is constant. Results are the `output_ports`, or, without that
/// list, the tensors that no op or an `End` op consumes. Layouts: arguments and
/// results have the strides that the file says (a result through a
/// `graph.reorder` before the return), every tensor between is plain.
///
/// Returns null on any error, after emitting a diagnostic that names the file,
/// the op and the reason. If the file contradicts itself in a harmless way, a
/// warning says which statement is used.
mlir::OwningOpRef<mlir::ModuleOp>
importOneDNNGraph(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                  UnknownKinds unknownKinds = UnknownKinds::Refused);

/// Writes the one public function of a module as a file that
/// importOneDNNGraph() reads back, op for op. Arguments whose `graph.name` is a
/// number have it as id; other names, which the format lacks, are lost. A
/// result has the strides of its type; the reorder that gives them is not an op
/// of the file.
///
/// Fails with a diagnostic at an op that the format cannot express, without
/// writing anything: ops, attributes and element types that oneDNN Graph does
/// not have, blocked layouts, layouts between ops, dynamic shapes, results that
/// are returned twice.
llvm::LogicalResult exportOneDNNGraph(mlir::ModuleOp module,
                                      llvm::raw_ostream &os);

/// Registers the translations `--import-onednn-graph` and
/// `--export-onednn-graph`.
void registerOneDNNGraphTranslation();
void registerOneDNNGraphExport();

} // namespace gc

#endif // GC_TARGET_ONEDNNGRAPH_ONEDNNGRAPH_H
