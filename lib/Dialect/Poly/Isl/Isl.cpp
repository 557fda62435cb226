// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Poly/Isl/Isl.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace gc::isl {

Ctx::Ctx(unsigned long budget) : ctx(isl_ctx_alloc()) {
  isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx, budget);
}

Ctx::~Ctx() {
  sets.clear();
  maps.clear();
  schedules.clear();
  isl_ctx_free(ctx);
}

std::string Ctx::lastError() const {
  if (isl_ctx_last_error(ctx) == isl_error_quota)
    return "the integer sets are too complicated: the budget of " +
           std::to_string(isl_ctx_get_max_operations(ctx)) +
           " isl operations is spent";
  const char *message = isl_ctx_last_error_msg(ctx);
  return message ? message : "no reason is known";
}

LogicalResult
Ctx::check(bool ok, StringRef what,
           llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (ok)
    return success();
  return emitError() << what << ": " << lastError();
}

/// What was read before, or what `read` makes of the text; an error is not
/// kept.
template <typename Object, typename Raw>
static Object parse(isl_ctx *ctx, llvm::StringMap<Object> &known,
                    StringRef text, Raw *(*read)(isl_ctx *, const char *)) {
  auto found = known.find(text);
  if (found != known.end())
    return found->second.clone();
  Object object(read(ctx, text.str().c_str()));
  if (object)
    known[text] = object.clone();
  return object;
}

Set Ctx::parseSet(StringRef text) const {
  return parse(ctx, sets, text, isl_set_read_from_str);
}
Map Ctx::parseMap(StringRef text) const {
  return parse(ctx, maps, text, isl_map_read_from_str);
}
UnionSet Ctx::parseUnionSet(StringRef text) const {
  return UnionSet(isl_union_set_read_from_str(ctx, text.str().c_str()));
}
UnionMap Ctx::parseUnionMap(StringRef text) const {
  return UnionMap(isl_union_map_read_from_str(ctx, text.str().c_str()));
}
Schedule Ctx::parseSchedule(StringRef text) const {
  return parse(ctx, schedules, text, isl_schedule_read_from_str);
}
Id Ctx::id(StringRef name, void *user) const {
  return Id(isl_id_alloc(ctx, name.str().c_str(), user));
}
Val Ctx::val(int64_t value) const {
  return Val(isl_val_int_from_si(ctx, value));
}

/// isl's string functions allocate with malloc.
static std::string takeText(char *text) {
  std::string result = text ? text : "";
  std::free(text);
  return result;
}

#define GC_ISL_STR(Name, type)                                                 \
  std::string str(const Name &object) {                                        \
    return object ? takeText(isl_##type##_to_str(object.get())) : "";          \
  }
GC_ISL_STR(Aff, aff)
GC_ISL_STR(AstNode, ast_node)
GC_ISL_STR(AstExpr, ast_expr)
GC_ISL_STR(Map, map)
GC_ISL_STR(MultiAff, multi_aff)
GC_ISL_STR(MultiPwAff, multi_pw_aff)
GC_ISL_STR(Node, schedule_node)
GC_ISL_STR(PwAff, pw_aff)
GC_ISL_STR(PwMultiAff, pw_multi_aff)
GC_ISL_STR(Schedule, schedule)
GC_ISL_STR(Set, set)
GC_ISL_STR(Space, space)
GC_ISL_STR(UnionMap, union_map)
GC_ISL_STR(UnionSet, union_set)
GC_ISL_STR(Val, val)
#undef GC_ISL_STR

/// Calls isl's `foreach` with a callback that owns its argument.
template <typename Element, typename Collection, typename Raw>
static LogicalResult
forEach(isl_stat (*traverse)(Collection *, isl_stat (*)(Raw *, void *), void *),
        Collection *collection,
        llvm::function_ref<LogicalResult(Element)> visit) {
  auto call = [](Raw *raw, void *user) {
    auto &visit =
        *static_cast<llvm::function_ref<LogicalResult(Element)> *>(user);
    return succeeded(visit(Element(raw))) ? isl_stat_ok : isl_stat_error;
  };
  return success(collection &&
                 traverse(collection, call, &visit) == isl_stat_ok);
}

template <typename Element, typename Pieces, typename Raw>
static LogicalResult forEachPieceOf(
    isl_stat (*traverse)(Pieces *, isl_stat (*)(isl_set *, Raw *, void *),
                         void *),
    Pieces *pieces, llvm::function_ref<LogicalResult(Set, Element)> visit) {
  auto call = [](isl_set *set, Raw *raw, void *user) {
    auto &visit =
        *static_cast<llvm::function_ref<LogicalResult(Set, Element)> *>(user);
    return succeeded(visit(Set(set), Element(raw))) ? isl_stat_ok
                                                    : isl_stat_error;
  };
  return success(pieces && traverse(pieces, call, &visit) == isl_stat_ok);
}

LogicalResult forEachMap(const UnionMap &maps,
                         llvm::function_ref<LogicalResult(Map)> visit) {
  return forEach<Map>(isl_union_map_foreach_map, maps.get(), visit);
}
LogicalResult forEachSet(const UnionSet &sets,
                         llvm::function_ref<LogicalResult(Set)> visit) {
  return forEach<Set>(isl_union_set_foreach_set, sets.get(), visit);
}
LogicalResult
forEachBasicSet(const Set &set,
                llvm::function_ref<LogicalResult(BasicSet)> visit) {
  return forEach<BasicSet>(isl_set_foreach_basic_set, set.get(), visit);
}
LogicalResult
forEachBasicMap(const Map &map,
                llvm::function_ref<LogicalResult(BasicMap)> visit) {
  return forEach<BasicMap>(isl_map_foreach_basic_map, map.get(), visit);
}
LogicalResult forEachPiece(const PwAff &pieces,
                           llvm::function_ref<LogicalResult(Set, Aff)> visit) {
  return forEachPieceOf<Aff>(isl_pw_aff_foreach_piece, pieces.get(), visit);
}
LogicalResult
forEachPiece(const PwMultiAff &pieces,
             llvm::function_ref<LogicalResult(Set, MultiAff)> visit) {
  return forEachPieceOf<MultiAff>(isl_pw_multi_aff_foreach_piece, pieces.get(),
                                  visit);
}

Node mapBottomUp(Node root, llvm::function_ref<Node(Node)> change) {
  auto call = [](isl_schedule_node *node, void *user) {
    auto &change = *static_cast<llvm::function_ref<Node(Node)> *>(user);
    return change(Node(node)).take();
  };
  return Node(
      isl_schedule_node_map_descendant_bottom_up(root.take(), call, &change));
}

LogicalResult
walkTopDown(const Node &root,
            llvm::function_ref<FailureOr<bool>(const Node &)> visit) {
  auto call = [](isl_schedule_node *node, void *user) {
    auto &visit =
        *static_cast<llvm::function_ref<FailureOr<bool>(const Node &)> *>(user);
    Node owned(isl_schedule_node_copy(node));
    FailureOr<bool> further = visit(owned);
    if (failed(further))
      return isl_bool_error;
    return *further ? isl_bool_true : isl_bool_false;
  };
  return success(root && isl_schedule_node_foreach_descendant_top_down(
                             root.get(), call, &visit) == isl_stat_ok);
}

std::optional<int64_t> toInt(const Val &value) {
  if (!value || isl_val_is_int(value.get()) != isl_bool_true)
    return std::nullopt;
  Val low(isl_val_int_from_si(isl_val_get_ctx(value.get()), INT64_MIN));
  Val high(isl_val_int_from_si(isl_val_get_ctx(value.get()), INT64_MAX));
  if (isl_val_lt(value.get(), low.get()) != isl_bool_false ||
      isl_val_gt(value.get(), high.get()) != isl_bool_false)
    return std::nullopt;
  return isl_val_get_num_si(value.get());
}

std::string nameOf(const Id &id) {
  const char *name = id ? isl_id_get_name(id.get()) : nullptr;
  return name ? name : "";
}
std::string tupleName(const Set &set) {
  if (!set || isl_set_has_tuple_name(set.get()) != isl_bool_true)
    return "";
  return isl_set_get_tuple_name(set.get());
}
std::string tupleName(const Map &map, isl_dim_type side) {
  if (!map || isl_map_has_tuple_name(map.get(), side) != isl_bool_true)
    return "";
  return isl_map_get_tuple_name(map.get(), side);
}

} // namespace gc::isl
