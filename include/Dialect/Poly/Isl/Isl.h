// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Owners of isl's objects. isl's C functions are called directly; an owner
// frees what it holds, `copy()` and `take()` are for parameters that isl takes
// (__isl_take), `get()` for those that it keeps (__isl_keep):
//
//   Set both(isl_set_intersect(a.copy(), b.take()));
//
// isl returns null from every call that failed and accepts null everywhere, so
// a chain of calls needs one test at its end: Ctx::check turns isl's last error
// into a diagnostic.

#ifndef GC_DIALECT_POLY_ISL_ISL_H
#define GC_DIALECT_POLY_ISL_ISL_H

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/fixed_box.h>
#include <isl/flow.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <cstdlib>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Support/LLVM.h>
#include <string>
#include <utility>

namespace gc::isl {

/// Owns one reference to an isl object. Copies are explicit.
template <typename T, auto Free, auto Copy>
class Owned {
public:
  Owned() = default;
  /// Takes over the reference that an isl function gave.
  explicit Owned(T *object) : object(object) {}
  Owned(Owned &&other) noexcept : object(other.take()) {}
  Owned &operator=(Owned &&other) noexcept {
    if (this != &other)
      reset(other.take());
    return *this;
  }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  ~Owned() { reset(nullptr); }

  /// For parameters that isl keeps.
  T *get() const { return object; }
  /// For parameters that isl takes: a reference of its own.
  T *copy() const { return object ? Copy(object) : nullptr; }
  /// For parameters that isl takes: this owner's reference.
  T *take() { return std::exchange(object, nullptr); }
  Owned clone() const { return Owned(copy()); }
  void reset(T *other) {
    if (object)
      Free(object);
    object = other;
  }
  explicit operator bool() const { return object != nullptr; }

private:
  T *object = nullptr;
};

#define GC_ISL_OWNER(Name, type)                                               \
  using Name = Owned<isl_##type, isl_##type##_free, isl_##type##_copy>
GC_ISL_OWNER(Aff, aff);
GC_ISL_OWNER(AstBuild, ast_build);
GC_ISL_OWNER(AstExpr, ast_expr);
GC_ISL_OWNER(AstNode, ast_node);
GC_ISL_OWNER(AstNodeList, ast_node_list);
GC_ISL_OWNER(BasicMap, basic_map);
GC_ISL_OWNER(BasicSet, basic_set);
GC_ISL_OWNER(BasicSetList, basic_set_list);
GC_ISL_OWNER(Constraint, constraint);
GC_ISL_OWNER(FixedBox, fixed_box);
GC_ISL_OWNER(Id, id);
GC_ISL_OWNER(LocalSpace, local_space);
GC_ISL_OWNER(Map, map);
GC_ISL_OWNER(MultiAff, multi_aff);
GC_ISL_OWNER(MultiPwAff, multi_pw_aff);
GC_ISL_OWNER(MultiUnionPwAff, multi_union_pw_aff);
GC_ISL_OWNER(MultiVal, multi_val);
GC_ISL_OWNER(Node, schedule_node);
GC_ISL_OWNER(Point, point);
GC_ISL_OWNER(PwAff, pw_aff);
GC_ISL_OWNER(PwMultiAff, pw_multi_aff);
GC_ISL_OWNER(Schedule, schedule);
GC_ISL_OWNER(ScheduleConstraints, schedule_constraints);
GC_ISL_OWNER(Set, set);
GC_ISL_OWNER(Space, space);
GC_ISL_OWNER(UnionAccessInfo, union_access_info);
GC_ISL_OWNER(UnionFlow, union_flow);
GC_ISL_OWNER(UnionMap, union_map);
GC_ISL_OWNER(UnionPwAff, union_pw_aff);
GC_ISL_OWNER(UnionPwMultiAff, union_pw_multi_aff);
GC_ISL_OWNER(UnionSet, union_set);
GC_ISL_OWNER(UnionSetList, union_set_list);
GC_ISL_OWNER(Val, val);
#undef GC_ISL_OWNER

/// One isl context: of one execution of one pass. It must outlive every owner
/// of an object in it. Errors are values, never messages on stderr or aborts,
/// and the work is bounded: past `budget` operations of isl each call fails.
class Ctx {
public:
  static constexpr unsigned long defaultBudget = 200'000'000;

  explicit Ctx(unsigned long budget = defaultBudget);
  ~Ctx();
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  isl_ctx *get() const { return ctx; }

  /// What went wrong last: isl's own words, or the budget.
  std::string lastError() const;

  /// Success if `ok`; else emits `what` and isl's last error.
  mlir::LogicalResult
  check(bool ok, llvm::StringRef what,
        llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;

  // Objects from isl's notation; null for text that isl cannot read. Reading is
  // slow, and the IR's text is read again and again: sets, maps and schedules
  // are kept as long as the context.
  Set parseSet(llvm::StringRef text) const;
  Map parseMap(llvm::StringRef text) const;
  UnionSet parseUnionSet(llvm::StringRef text) const;
  UnionMap parseUnionMap(llvm::StringRef text) const;
  Schedule parseSchedule(llvm::StringRef text) const;
  Id id(llvm::StringRef name, void *user = nullptr) const;
  Val val(int64_t value) const;

private:
  isl_ctx *ctx;
  mutable llvm::StringMap<Set> sets;
  mutable llvm::StringMap<Map> maps;
  mutable llvm::StringMap<Schedule> schedules;
};

// isl's notation of an object; empty for null.
std::string str(const Aff &);
std::string str(const AstNode &);
std::string str(const AstExpr &);
std::string str(const Map &);
std::string str(const MultiAff &);
std::string str(const MultiPwAff &);
std::string str(const Node &);
std::string str(const PwAff &);
std::string str(const PwMultiAff &);
std::string str(const Schedule &);
std::string str(const Set &);
std::string str(const Space &);
std::string str(const UnionMap &);
std::string str(const UnionSet &);
std::string str(const Val &);

// Traversals. The callback returns failure to stop; the result is failure if it
// did or if isl failed.
mlir::LogicalResult
forEachMap(const UnionMap &maps,
           llvm::function_ref<mlir::LogicalResult(Map)> visit);
mlir::LogicalResult
forEachSet(const UnionSet &sets,
           llvm::function_ref<mlir::LogicalResult(Set)> visit);
mlir::LogicalResult
forEachBasicSet(const Set &set,
                llvm::function_ref<mlir::LogicalResult(BasicSet)> visit);
mlir::LogicalResult
forEachBasicMap(const Map &map,
                llvm::function_ref<mlir::LogicalResult(BasicMap)> visit);
mlir::LogicalResult
forEachPiece(const PwAff &pieces,
             llvm::function_ref<mlir::LogicalResult(Set, Aff)> visit);
mlir::LogicalResult
forEachPiece(const PwMultiAff &pieces,
             llvm::function_ref<mlir::LogicalResult(Set, MultiAff)> visit);

/// Calls `change` for every node below and including `root`, innermost first,
/// and puts what it returns in its place; null stops with null as the result.
Node mapBottomUp(Node root, llvm::function_ref<Node(Node)> change);

/// Visits the nodes below and including `root`, outermost first; the callback
/// says whether to go on into the children.
mlir::LogicalResult
walkTopDown(const Node &root,
            llvm::function_ref<mlir::FailureOr<bool>(const Node &)> visit);

/// The value of an integer that fits; nothing else (rationals, infinity).
std::optional<int64_t> toInt(const Val &value);

/// The name of an id, a tuple or a mark; empty where there is none.
std::string nameOf(const Id &id);
std::string tupleName(const Set &set);
std::string tupleName(const Map &map, isl_dim_type side);

} // namespace gc::isl

#endif // GC_DIALECT_POLY_ISL_ISL_H
