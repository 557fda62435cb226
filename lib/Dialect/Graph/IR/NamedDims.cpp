// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions whose arguments have sizes that vary: what they declare, and the
// function of fixed sizes.

#include "Dialect/Graph/IR/NamedDims.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace gc::graph;

static DictionaryAttr getBounds(FunctionOpInterface function) {
  return function->getAttrOfType<DictionaryAttr>(GraphDialect::kDimBoundsAttr);
}

static ArrayAttr getDims(FunctionOpInterface function, unsigned argument) {
  return function.getArgAttrOfType<ArrayAttr>(argument,
                                              GraphDialect::kDimsAttr);
}

/// [min, max]
static std::optional<std::pair<int64_t, int64_t>> readBounds(Attribute attr) {
  auto pair = dyn_cast<ArrayAttr>(attr);
  if (!pair || pair.size() != 2)
    return std::nullopt;
  auto min = dyn_cast<IntegerAttr>(pair[0]),
       max = dyn_cast<IntegerAttr>(pair[1]);
  if (!min || !max || !min.getType().isSignlessInteger(64) ||
      !max.getType().isSignlessInteger(64))
    return std::nullopt;
  return std::pair(min.getInt(), max.getInt());
}

std::vector<NamedDim> gc::graph::getNamedDims(FunctionOpInterface function) {
  std::vector<NamedDim> dims;
  if (DictionaryAttr bounds = getBounds(function))
    for (NamedAttribute entry : bounds)
      if (auto pair = readBounds(entry.getValue()))
        dims.push_back({entry.getName().str(), pair->first, pair->second});
  return dims;
}

std::optional<std::vector<SizeExpr>>
gc::graph::getArgumentSizes(FunctionOpInterface function, unsigned argument) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  ArrayAttr dims = getDims(function, argument);
  std::vector<SizeExpr> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(size);
      continue;
    }
    auto name =
        dims && i < dims.size() ? dyn_cast<StringAttr>(dims[i]) : nullptr;
    auto expr = name ? SizeExpr::parse(name) : std::nullopt;
    if (!expr)
      return std::nullopt;
    sizes.push_back(*expr);
  }
  return sizes;
}

void gc::graph::setNamedDims(FunctionOpInterface function,
                             ArrayRef<NamedDim> dims) {
  if (dims.empty()) {
    function->removeAttr(GraphDialect::kDimBoundsAttr);
    return;
  }
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> entries;
  for (const NamedDim &dim : dims)
    entries.push_back(builder.getNamedAttr(
        dim.name, builder.getI64ArrayAttr({dim.min, dim.max})));
  function->setAttr(GraphDialect::kDimBoundsAttr,
                    builder.getDictionaryAttr(entries));
}

void gc::graph::setArgumentSizes(FunctionOpInterface function,
                                 unsigned argument, ArrayRef<SizeExpr> sizes) {
  Builder builder(function.getContext());
  SmallVector<Attribute> names;
  for (const SizeExpr &size : sizes)
    names.push_back(builder.getStringAttr(size.isConstant() ? "" : size.str()));
  bool varies = llvm::any_of(
      sizes, [](const SizeExpr &size) { return !size.isConstant(); });
  if (varies)
    function.setArgAttr(argument, GraphDialect::kDimsAttr,
                        builder.getArrayAttr(names));
  else
    function.removeArgAttr(argument, GraphDialect::kDimsAttr);
}

/// Ops may use no names but those that are declared. What is not a name,
/// they report themselves.
static LogicalResult verifyOps(FunctionOpInterface function,
                               const llvm::StringSet<> &declared) {
  WalkResult walked = function.walk([&](NamedSizesOpInterface op) {
    for (auto dim : op.getDims().getAsRange<StringAttr>())
      if (auto expr = SizeExpr::parse(dim))
        for (const std::string &name : expr->getNames())
          if (!declared.contains(name)) {
            op->emitOpError()
                << "'" << name << "' in 'dims' has no bounds in '"
                << GraphDialect::kDimBoundsAttr << "' of the function";
            return WalkResult::interrupt();
          }
    return WalkResult::advance();
  });
  return success(!walked.wasInterrupted());
}

LogicalResult gc::graph::verifyNamedDims(FunctionOpInterface function) {
  Attribute given = function->getAttr(GraphDialect::kDimBoundsAttr);
  auto bounds = dyn_cast_or_null<DictionaryAttr>(given);
  auto fail = [&]() -> InFlightDiagnostic { return function->emitOpError(); };
  if (given && !bounds)
    return fail() << "'" << GraphDialect::kDimBoundsAttr
                  << "' must be a dictionary of [min, max]";
  llvm::StringSet<> declared, used;
  for (NamedAttribute entry :
       bounds ? bounds : DictionaryAttr::get(function.getContext())) {
    StringRef name = entry.getName();
    auto pair = readBounds(entry.getValue());
    if (!SizeExpr::isName(name))
      return fail() << "'" << GraphDialect::kDimBoundsAttr << "': '" << name
                    << "' is not a name";
    if (!pair)
      return fail() << "'" << GraphDialect::kDimBoundsAttr << "': '" << name
                    << "' needs bounds [min, max]";
    if (pair->first < 1 || pair->first > pair->second ||
        pair->second > kMostNamedSize)
      return fail() << "'" << GraphDialect::kDimBoundsAttr << "': bounds ["
                    << pair->first << ", " << pair->second << "] of '" << name
                    << "' are not 1 <= min <= max <= " << kMostNamedSize;
    declared.insert(name);
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Attribute attr = function.getArgAttr(i, GraphDialect::kDimsAttr);
    if (!attr)
      continue;
    auto dims = dyn_cast<ArrayAttr>(attr);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    auto isString = [](Attribute name) { return isa<StringAttr>(name); };
    if (!dims || !llvm::all_of(dims, isString))
      return fail() << "'" << GraphDialect::kDimsAttr << "' of argument " << i
                    << " must be an array of strings";
    if (!type || type.getRank() != int64_t(dims.size()))
      return fail() << "'" << GraphDialect::kDimsAttr << "' of argument " << i
                    << " has " << dims.size() << " names for the type "
                    << function.getArgumentTypes()[i];
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      StringRef text = cast<StringAttr>(dims[dim]);
      if (ShapedType::isDynamic(size) == text.empty())
        return fail() << "dimension " << dim << " of argument " << i << " is "
                      << (text.empty() ? "dynamic and has no name in '"
                                       : "static and has a name in '")
                      << GraphDialect::kDimsAttr << "'";
      if (text.empty())
        continue;
      auto expr = SizeExpr::parse(text);
      if (!expr || expr->isConstant())
        return fail() << "'" << GraphDialect::kDimsAttr << "' of argument " << i
                      << ": '" << text
                      << "' is not a name, or a sum of products of names and "
                         "numbers";
      for (const std::string &name : expr->getNames())
        if (!declared.contains(name))
          return fail() << "'" << name << "' of argument " << i
                        << " has no bounds in '" << GraphDialect::kDimBoundsAttr
                        << "'";
      if (auto name = expr->getSolvedName())
        used.insert(*name);
    }
  }
  for (const NamedDim &dim : getNamedDims(function))
    if (!used.contains(dim.name))
      return fail() << "'" << dim.name << "' in '"
                    << GraphDialect::kDimBoundsAttr
                    << "' does not follow from any argument's shape";
  return verifyOps(function, declared);
}

std::string gc::graph::printSizes(ArrayRef<NamedDim> dims,
                                  ArrayRef<int64_t> sizes) {
  std::string text;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    text +=
        (text.empty() ? "" : ", ") + dim.name + " = " + std::to_string(size);
  return text;
}

using SizeOfName = llvm::function_ref<std::optional<int64_t>(StringRef)>;

/// Fixes the sizes that an op has as attributes.
static LogicalResult specializeAttributes(NamedSizesOpInterface op,
                                          SizeOfName getSize) {
  SmallVector<Attribute> dims(op.getDims().getValue());
  for (auto [i, dim] : llvm::enumerate(dims)) {
    StringRef text = cast<StringAttr>(dim);
    if (text.empty())
      continue;
    SizeExpr expr = SizeExpr::parse(text)->substitute(getSize);
    auto size = expr.getConstant();
    if (!size) {
      dim = StringAttr::get(op->getContext(), expr.str());
      op.setDimsAttr(ArrayAttr::get(op->getContext(), dims));
      continue;
    }
    if (*size > kMostNamedSize)
      return op->emitOpError() << "size '" << text << "' is too large";
    op.setSize(i, *size);
    dim = StringAttr::get(op->getContext(), "");
  }
  return success();
}

/// Fixes the types of arguments; `open` has the dimensions that stay.
static LogicalResult specializeArguments(FunctionOpInterface function,
                                         SizeOfName getSize,
                                         ArrayRef<NamedDim> open) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || !getDims(function, i))
      continue;
    std::vector<SizeExpr> exprs = *getArgumentSizes(function, i);
    SmallVector<int64_t> shape;
    for (SizeExpr &expr : exprs) {
      expr = expr.substitute(getSize);
      int64_t size = expr.getConstant().value_or(ShapedType::kDynamic);
      if (size > kMostNamedSize)
        return function->emitOpError() << "argument " << i << " has dimension "
                                       << shape.size() << " too large";
      shape.push_back(size);
    }
    auto fixed =
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    if (!function.isExternal())
      function.getArgument(i).setType(fixed);
    SmallVector<Type> types(function.getArgumentTypes());
    types[i] = fixed;
    function.setType(function.cloneTypeWith(types, function.getResultTypes()));
    setArgumentSizes(function, i, exprs);
  }
  setNamedDims(function, open);
  return success();
}

/// Infers the types of the op again.
static LogicalResult specializeOp(Operation *op, SizeOfName getSize,
                                  bool isOpen) {
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && (!shaped.hasRank() || !shaped.hasStaticShape());
  };
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isDynamic))
        return op->emitOpError("has a region with an argument whose size "
                               "varies; that is not supported");
  if (auto sized = dyn_cast<NamedSizesOpInterface>(op);
      sized && failed(specializeAttributes(sized, getSize)))
    return failure();
  SmallVector<Type> before(op->getResultTypes());
  if (isa_and_present<GraphDialect>(op->getDialect()) &&
      failed(refineResultTypes(op)))
    return failure();
  // Sizes that the graph states, callers rely on.
  for (auto [i, type] : llvm::enumerate(before)) {
    auto stated = dyn_cast<RankedTensorType>(type);
    auto found = dyn_cast<RankedTensorType>(op->getResultTypes()[i]);
    if (!stated || !found || stated.getRank() != found.getRank())
      continue;
    for (int64_t dim = 0; dim < stated.getRank(); ++dim)
      if (!stated.isDynamicDim(dim) && !found.isDynamicDim(dim) &&
          stated.getDimSize(dim) != found.getDimSize(dim))
        return op->emitOpError()
               << "result " << i << " has size " << found.getDimSize(dim)
               << " in dimension " << dim << ", its type says "
               << stated.getDimSize(dim);
  }
  if (!isOpen)
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      if (isDynamic(type))
        return op->emitOpError() << "result " << i << " of type " << type
                                 << " has a size that does not follow from the "
                                    "operands";
  return success();
}

std::optional<NamedSize> gc::graph::parseNamedSize(StringRef text) {
  auto [name, value] = text.split('=');
  NamedSize result{name.trim().str(), 0};
  if (result.name.empty() || value.trim().getAsInteger(10, result.size))
    return std::nullopt;
  return result;
}

LogicalResult gc::graph::specializeDims(FunctionOpInterface function,
                                        const NamedSizes &sizes) {
  std::vector<NamedDim> dims = getNamedDims(function), open;
  NamedSizes unknown = sizes;
  for (const NamedDim &dim : dims) {
    auto size = sizes.find(dim.name);
    unknown.erase(dim.name);
    if (size == sizes.end())
      open.push_back(dim);
    else if (size->second < dim.min || size->second > dim.max)
      return function->emitOpError()
             << "size " << size->second << " of '" << dim.name
             << "' is not from " << dim.min << " to " << dim.max;
  }
  if (!unknown.empty()) {
    InFlightDiagnostic diagnostic = function->emitOpError();
    diagnostic << "has no dimension '" << unknown.begin()->first << "'";
    if (dims.empty())
      return diagnostic << "; its sizes are fixed";
    diagnostic << "; there are ";
    llvm::interleaveComma(dims, diagnostic, [&](const NamedDim &dim) {
      diagnostic << "'" << dim.name << "'";
    });
    return diagnostic;
  }
  if (sizes.empty())
    return success();
  auto getSize = [&](StringRef name) -> std::optional<int64_t> {
    auto it = sizes.find(name.str());
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  };
  if (failed(specializeArguments(function, getSize, open)))
    return failure();
  if (function.isExternal())
    return success();
  WalkResult walked = function.getFunctionBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        return specializeOp(op, getSize, !open.empty());
      });
  if (walked.wasInterrupted())
    return failure();
  if (function.getFunctionBody().hasOneBlock()) {
    Operation *end = function.getFunctionBody().front().getTerminator();
    function.setType(function.cloneTypeWith(function.getArgumentTypes(),
                                            end->getOperandTypes()));
  }
  return success();
}
