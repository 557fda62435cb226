// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
#define GC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::gc::graph";
  let summary = "Deep-learning graphs on tensors, where every decision is made";
  let description = [{
    The Graph dialect holds deep-learning operations on builtin tensors, with
    the numeric meaning of the oneDNN Graph operation set. Every decision the
    compiler makes (templates, layouts, fusion, anchors) is an attribute or a
    type of this dialect, so that it can be read and tested before anything is
    lowered.

    Element types carry signedness (`ui8`, `si8`, `si32`, `bf16` ...). The
    memory layout of a tensor is its encoding, `#graph.layout<...>`; no encoding
    means plain (dense row-major).

    Argument attributes: `graph.const_arg` marks an argument that stays the same
    between calls (a weight); `graph.name` names an argument (or a result) for
    tools; `graph.folded` marks an argument that carries a result of the fold
    function.

    Sizes may vary between executions. `graph.dims` names the dynamic dimensions
    of an argument, and the function has the bounds of all names:

    ```mlir
    func.func @decode(%q: tensor<?x8x1x64xf32> {graph.dims = ["batch", "", "", ""]},
                      %k: tensor<?x8x?x64xf32> {graph.dims = ["batch", "", "past", ""]})
        -> tensor<?x8x1x?xf32>
        attributes {graph.dim_bounds = {batch = [1, 64], past = [1, 1024]}}
    ```

    Instead of a name there may be a sum of products of names and numbers,
    such as `"past + 1"`. `graph-specialize` fixes the sizes. Sizes of results
    follow from the arguments, so results have no `graph.dims`.

    - Every dynamic dimension of an argument with `graph.dims` has a name, and
      no other dimension has one.
    - Names have bounds `[min, max]`, 1 <= min <= max <= 2^31, and each name
      follows from a dimension of an argument: one that is this name, possibly
      times a factor, plus a number.
    - Names that ops use (`dims` of graph.static_reshape) have bounds, too.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  // Bodies of elementwise ops are built from arith and math.
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect"];
  let extraClassDeclaration = [{
    /// Argument attribute of weights: the same buffer and content in every call.
    static constexpr ::llvm::StringLiteral kConstArgAttr = "graph.const_arg";
    /// Argument and result attribute: the name by which tools know it.
    static constexpr ::llvm::StringLiteral kNameAttr = "graph.name";
    /// Argument attribute: the names of dynamic dimensions (IR/NamedDims.h).
    static constexpr ::llvm::StringLiteral kDimsAttr = "graph.dims";
    /// Function attribute: the bounds of named dimensions.
    static constexpr ::llvm::StringLiteral kDimBoundsAttr = "graph.dim_bounds";
    /// Argument attribute: index of the fold function's result that it carries.
    static constexpr ::llvm::StringLiteral kFoldedAttr = "graph.folded";
    /// Function attribute: the symbol of the function's fold function.
    static constexpr ::llvm::StringLiteral kFoldFunctionAttr =
        "graph.fold_function";
    /// Function attribute: to be compiled even when no graph op is left in it.
    static constexpr ::llvm::StringLiteral kEntryAttr = "graph.entry";
    /// Op attribute: depends on constants alone (graph-mark-constants).
    static constexpr ::llvm::StringLiteral kConstantAttr = "graph.constant_value";
    /// Op attribute of fusible ops: the anchor they are committed at.
    static constexpr ::llvm::StringLiteral kAnchorAttr = "graph.anchor";
    /// Op attribute of fusible ops: they belong to the ops that read their
    /// result, not to those that compute their operands
    /// (graph-propagate-layout).
    static constexpr ::llvm::StringLiteral kWhereReadAttr = "graph.where_read";
    /// Attribute of fused ops: the group (an integer) whose parallel loops merge.
    static constexpr ::llvm::StringLiteral kMergeGroupAttr = "graph.merge_group";
    /// Attribute of fused ops in a group: the loops over blocks of rows merge, too.
    static constexpr ::llvm::StringLiteral kMergeRowsAttr = "graph.merge_rows";
    /// Attribute of fused ops: what lowering follows (graph-select-schedule).
    static constexpr ::llvm::StringLiteral kScheduleAttr = "graph.schedule";

    /// Adds a target, so that tools can ask what it can run. If a target of
    /// that name is already registered, it stays.
    void addTarget(::std::unique_ptr<::gc::graph::TargetSupport> target);
    /// The targets that have been added, and the one with a name, or null.
    ::llvm::ArrayRef<::std::unique_ptr<::gc::graph::TargetSupport>>
    getTargets() const {
      return targets;
    }
    const ::gc::graph::TargetSupport *findTarget(::llvm::StringRef name) const;
    /// Attribute of fused ops and functions: their predicted cost
    /// (graph-predict-cost).
    static constexpr ::llvm::StringLiteral kCostAttr = "graph.cost";

    void registerAttributes();

    /// The templates of each tunable op. Extensions of the dialect add theirs.
    TemplateRegistry &getTemplates() { return templates; }
    const TemplateRegistry &getTemplates() const { return templates; }

  private:
    ::std::vector<::std::unique_ptr<::gc::graph::TargetSupport>> targets;
    TemplateRegistry templates;

  public:
  }];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHDIALECT_TD
