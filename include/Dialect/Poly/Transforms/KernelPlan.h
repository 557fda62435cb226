// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Everything that is chosen for a kernel of the NPU, as one object: tile sizes,
// units and buffers, and numbers with the alternatives that they were chosen
// from. On a scop it is the attributes `policy`, `hierarchy`, `choices` and
// `alternatives`; in a file it is JSON.

#ifndef GC_DIALECT_POLY_TRANSFORMS_KERNELPLAN_H
#define GC_DIALECT_POLY_TRANSFORMS_KERNELPLAN_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Transforms/Hierarchy.h"
#include "Support/TunedFile.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc::poly {

/// Attributes of a scop.
constexpr llvm::StringLiteral kPolicyAttr = "policy";
constexpr llvm::StringLiteral kHierarchyAttr = "hierarchy";
constexpr llvm::StringLiteral kChoicesAttr = "choices";
constexpr llvm::StringLiteral kAlternativesAttr = "alternatives";
/// Between poly-import-plan and poly-split-cores: policy, hierarchy and choices
/// of the cores whose part has another size.
constexpr llvm::StringLiteral kRestPlanAttr = "rest_plan";
/// The choice of how many cores run the kernel. Plans without it are of a
/// kernel on one core.
constexpr llvm::StringLiteral kCoresChoice = "cores";

/// Where the data of a tile is.
enum class Level { l1, l0, ub };
constexpr Level kLevels[] = {Level::l1, Level::l0, Level::ub};
llvm::StringRef getName(Level level);

/// The tile sizes of a statement, in the loops from the outermost one on.
struct TileSizeList {
  std::string statement;
  llvm::SmallVector<int64_t> l1, l0, ub;

  llvm::SmallVector<int64_t> &get(Level level) {
    return level == Level::l1 ? l1 : level == Level::l0 ? l0 : ub;
  }
  llvm::ArrayRef<int64_t> get(Level level) const {
    return const_cast<TileSizeList *>(this)->get(level);
  }
};

/// Reads and writes the tiling policy language of figure 4.
llvm::Expected<std::vector<TileSizeList>> parseTileSizes(llvm::StringRef text);
std::string printTileSizes(llvm::ArrayRef<TileSizeList> sizes);

/// A number that a pass decided, and all that it could have been.
struct Choice {
  std::string name;
  int64_t value = 0;
  /// Empty until the pass has run.
  llvm::SmallVector<int64_t> alternatives;
};

struct KernelPlan {
  /// The scop's name, and a fingerprint of what it computes.
  std::string kernel, problem;
  /// The kernel that other cores run at the same time, on parts of the usual
  /// size; empty for that one itself.
  std::string beside;
  /// What it took on the simulator; 0: that was not measured.
  int64_t cycles = 0;
  std::vector<TileSizeList> tiles;
  Hierarchy hierarchy;
  /// Sorted by name.
  std::vector<Choice> choices;

  const Choice *find(llvm::StringRef name) const;

  /// The plan of the scop's attributes, without `problem` and `cycles`. Emits
  /// an error if one is wrong.
  static mlir::FailureOr<KernelPlan> get(ScopOp scop);
  /// Replaces the attributes; what the plan does not say is left to the passes.
  void set(ScopOp scop) const;
  /// Sets `rest_plan` of the scop that this plan is beside.
  void setRest(ScopOp scop) const;
};

/// A file of plans.
struct PlanFile : TunedFile {
  /// Changes with what the choices mean.
  static constexpr int64_t kVersion = 1;

  PlanFile() : TunedFile(kVersion) {}

  std::vector<KernelPlan> kernels;

  /// One that up to `cores` cores can have: a plan of several cores if there is
  /// one and they are more than one.
  const KernelPlan *findProblem(llvm::StringRef problem,
                                int64_t cores = 1) const;
  const KernelPlan *findKernel(llvm::StringRef name) const;
  /// That of the cores beside those of a kernel; null if there are none.
  const KernelPlan *findBeside(llvm::StringRef kernel) const;

  std::string str() const;
  /// Reads a file's text; an error says which value is wrong, and how.
  static llvm::Expected<PlanFile> parse(llvm::StringRef text);
};

/// Gives the module's scops the plans of a file's text, called `file` in
/// messages: those of the scops' names, or of a database those of their
/// problems, on up to `cores` cores, where a file that is refused or has no
/// plan is a remark instead of an error.
mlir::LogicalResult importPlans(mlir::ModuleOp module, llvm::StringRef text,
                                llvm::StringRef file, bool isDatabase,
                                int64_t cores = 1);

/// A fingerprint of all numbers of a machine, `gm64-0123456789abcdef`.
std::string getFingerprint(const npu::Machine &machine);
/// A fingerprint of the function that the scop computes, whatever its name.
/// Empty if there is no such function.
std::string getProblem(ScopOp scop);

/// What the scop's plan says about `name`: nothing if the pass decides.
/// An error at the scop if it is not in `legal`.
mlir::FailureOr<std::optional<int64_t>>
getChoice(ScopOp scop, llvm::StringRef name, llvm::ArrayRef<int64_t> legal);
/// Adds a decision to the scop's attributes.
void recordChoice(ScopOp scop, llvm::StringRef name,
                  llvm::ArrayRef<int64_t> legal, int64_t value);
/// What the scop's plan says, else `own`, and records it.
mlir::FailureOr<int64_t> choose(ScopOp scop, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> legal, int64_t own);
/// An error at the scop if its plan has a choice that no pass asked for.
mlir::LogicalResult checkChoices(ScopOp scop);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_KERNELPLAN_H
