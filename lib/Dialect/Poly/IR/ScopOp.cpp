// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of scops: isl reads trees that name no statement or have no
// place for some of the instances, and generates code that lacks them.

#include "Dialect/Poly/IR/Scop.h"
#include "ScopText.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace {
/// Checks one tree against the instances of the scop.
class TreeVerifier {
public:
  TreeVerifier(ScopOp scop, const isl::Ctx &ctx) : scop(scop), ctx(ctx) {}

  LogicalResult run() {
    FailureOr<isl::Schedule> schedule = readSchedule(
        ctx, scop.getSchedule(), [&] { return scop.emitOpError("(C1) "); });
    if (failed(schedule))
      return failure();
    known = getDomain(ctx, scop);
    for (auto tile : scop.getOps<TileOp>())
      known.reset(
          isl_union_set_add_set(known.take(), getDomain(ctx, tile).take()));
    scheduled.reset(isl_schedule_get_domain(schedule->get()));
    (void)forEachName(known, [&](StringRef name) {
      names.insert(name);
      return success();
    });
    if (failed(checkKnown(scheduled, "the domain")))
      return failure();
    isl::Node root(isl_schedule_get_root(schedule->get()));
    if (failed(checkTree(root, scheduled)))
      return hasError
                 ? failure()
                 : LogicalResult(scop.emitOpError("(C1) ") << ctx.lastError());
    isl::UnionSet missing(
        isl_union_set_subtract(known.copy(), scheduled.copy()));
    if (isl_union_set_is_empty(missing.get()) != isl_bool_true)
      return error() << "(C3) the tree drops the instances "
                     << isl::str(missing);
    return success();
  }

private:
  InFlightDiagnostic error() {
    hasError = true;
    return scop.emitOpError();
  }

  LogicalResult checkKnown(const isl::UnionSet &instances, StringRef what) {
    if (isl_union_set_is_subset(instances.get(), known.get()) == isl_bool_true)
      return success();
    isl::UnionSet unknown(
        isl_union_set_subtract(instances.copy(), known.copy()));
    return error() << "(C2) " << what << " has " << isl::str(unknown)
                   << ", which are not instances of a statement or a tile";
  }

  static LogicalResult
  forEachName(const isl::UnionSet &instances,
              function_ref<LogicalResult(StringRef)> visit) {
    auto call = [](isl_set *owned, void *user) {
      isl::Set set(owned);
      auto &visit =
          *static_cast<function_ref<LogicalResult(StringRef)> *>(user);
      return succeeded(visit(isl::tupleName(set))) ? isl_stat_ok
                                                   : isl_stat_error;
    };
    return success(isl_union_set_foreach_set(instances.get(), call, &visit) ==
                   isl_stat_ok);
  }

  /// A band and a filter may have more points than there are instances, but no
  /// other statements.
  LogicalResult checkNames(const isl::UnionSet &instances, StringRef what) {
    return forEachName(instances, [&](StringRef name) -> LogicalResult {
      if (names.contains(name))
        return success();
      return error() << "(C2) " << what << " names '" << name
                     << "', which is not a statement or a tile";
    });
  }

  /// `reaching`: the instances that get to where `placed` is.
  LogicalResult checkPlaces(const isl::UnionSet &reaching,
                            const isl::UnionSet &placed, StringRef what) {
    isl::UnionSet dropped(
        isl_union_set_subtract(reaching.copy(), placed.copy()));
    if (isl_union_set_is_empty(dropped.get()) == isl_bool_true)
      return success();
    return error() << "(C4) " << what << " has no place for the instances "
                   << isl::str(dropped);
  }

  /// isl does not say which instances get to a node below an extension.
  LogicalResult checkTree(const isl::Node &node,
                          const isl::UnionSet &reaching) {
    isl::UnionSet below = reaching.clone();
    switch (isl_schedule_node_get_type(node.get())) {
    case isl_schedule_node_band: {
      isl::UnionMap partial(
          isl_schedule_node_band_get_partial_schedule_union_map(node.get()));
      isl::UnionSet placed(isl_union_map_domain(partial.take()));
      if (failed(checkNames(placed, "a band")) ||
          failed(checkPlaces(reaching, placed, "a band")))
        return failure();
      break;
    }
    case isl_schedule_node_filter: {
      isl::UnionSet filter(isl_schedule_node_filter_get_filter(node.get()));
      if (failed(checkNames(filter, "a filter")))
        return failure();
      below.reset(isl_union_set_intersect(below.take(), filter.take()));
      break;
    }
    case isl_schedule_node_context:
    case isl_schedule_node_guard:
    case isl_schedule_node_expansion:
      return error() << "(C1) the tree has a context, a guard or an expansion, "
                        "which are not supported";
    case isl_schedule_node_sequence:
    case isl_schedule_node_set:
      if (failed(checkSequence(node, reaching)))
        return failure();
      break;
    case isl_schedule_node_extension: {
      isl::UnionMap extension(
          isl_schedule_node_extension_get_extension(node.get()));
      isl::UnionSet added(isl_union_map_range(extension.take()));
      if (failed(checkKnown(added, "an extension")))
        return failure();
      below.reset(isl_union_set_union(below.take(), added.copy()));
      scheduled.reset(isl_union_set_union(scheduled.take(), added.take()));
      break;
    }
    case isl_schedule_node_error:
      return failure();
    default:
      break;
    }
    if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_leaf)
      return success();
    for (int i = 0, e = isl_schedule_node_n_children(node.get()); i < e; ++i)
      if (failed(checkTree(
              isl::Node(isl_schedule_node_get_child(node.get(), i)), below)))
        return failure();
    return success();
  }

  LogicalResult checkSequence(const isl::Node &node,
                              const isl::UnionSet &reaching) {
    isl::UnionSet placed = ctx.parseUnionSet("{ }");
    for (int i = 0, e = isl_schedule_node_n_children(node.get()); i < e; ++i) {
      isl::Node child(isl_schedule_node_get_child(node.get(), i));
      isl::UnionSet filter(isl_schedule_node_filter_get_filter(child.get()));
      if (isl_union_set_is_disjoint(placed.get(), filter.get()) !=
          isl_bool_true)
        return error() << "(C4) filter " << isl::str(filter)
                       << " shares instances with the filters before it";
      placed.reset(isl_union_set_union(placed.take(), filter.take()));
    }
    return checkPlaces(reaching, placed, "a sequence");
  }

  ScopOp scop;
  const isl::Ctx &ctx;
  /// Instances of statements and tiles; those that the tree has.
  isl::UnionSet known, scheduled;
  llvm::StringSet<> names;
  bool hasError = false;
};
} // namespace

LogicalResult ScopOp::verifyRegions() {
  DenseMap<int64_t, ArrayOp> outputs;
  DenseSet<StringRef> written;
  for (auto statement : getOps<StatementOp>())
    written.insert(statement.getWrittenArray());
  bool hasStatements = !getOps<StatementOp>().empty();
  for (Operation &op : getBody().front()) {
    if (!isa<ArrayOp, StatementOp, BufferOp, TileOp>(op))
      return emitOpError() << "has '" << op.getName()
                           << "', but only arrays, statements, buffers and "
                              "tiles may be in it";
    auto array = dyn_cast<ArrayOp>(op);
    if (!array)
      continue;
    bool isWritten = written.contains(array.getSymName());
    if (array.getInputAttr() && isWritten)
      return array.emitOpError() << "(C6) is an input, but it is written";
    if (!array.getInputAttr() && !isWritten && hasStatements)
      return array.emitOpError() << "(C6) is not written by any statement";
  }
  isl::Ctx ctx;
  return TreeVerifier(*this, ctx).run();
}

/// Signedness is the graph's; arrays have none.
static Type dropSign(Type element) {
  if (element.isSignedInteger())
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// (C5) of a scop, and what concerns several cores.
LogicalResult ScopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The scop has symbols of its own.
  auto reference = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      (*this)->getParentOp(), getReferenceAttr());
  if (!reference)
    return emitOpError() << "(C5) there is no function @" << getReference();
  ArrayRef<Type> inputs = reference.getArgumentTypes();
  ArrayRef<Type> results = reference.getResultTypes();
  SmallVector<bool> isThere(results.size(), false);
  for (auto array : getOps<ArrayOp>()) {
    if (array.isTemporary())
      continue;
    bool isInput = static_cast<bool>(array.getInputAttr());
    int64_t number = isInput ? *array.getInput() : *array.getOutput();
    ArrayRef<Type> types = isInput ? inputs : results;
    StringRef kind = isInput ? "input" : "output";
    if (number < 0 || number >= static_cast<int64_t>(types.size()))
      return array.emitOpError()
             << "(C5) @" << getReference() << " has " << types.size() << ' '
             << kind << "s, no " << kind << ' ' << number;
    auto type = dyn_cast<RankedTensorType>(types[number]);
    if (!type || !type.hasStaticShape() ||
        type.getNumElements() != countElements(array.getWholeShape()) ||
        dropSign(type.getElementType()) !=
            array.getTensorType().getElementType())
      return array.emitOpError()
             << "(C5) does not have the elements of " << kind << ' ' << number
             << " of @" << getReference() << ", a " << types[number];
    if (isInput)
      continue;
    if (isThere[number])
      return array.emitOpError()
             << "(C5) output " << number << " is another array too";
    isThere[number] = true;
  }
  for (auto [number, found] : llvm::enumerate(isThere))
    if (!found)
      return emitOpError() << "(C5) no array is output " << number << " of @"
                           << getReference();
  return verifyCores(*this);
}
