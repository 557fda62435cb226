// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a scop down: sets and relations in isl's notation.

#include "Dialect/Poly/IR/Scop.h"
#include "ScopModel.h"

using namespace mlir;
using namespace gc;

/// An index in isl's notation, of dimensions i0, i1, ...
static std::string toIsl(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return "i" + std::to_string(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = "(" + toIsl(binary.getLHS()) + ")";
  // isl multiplies and divides by literals only.
  std::string rhs = toIsl(binary.getRHS());
  if (!isa<AffineConstantExpr>(binary.getRHS()))
    rhs = "(" + rhs + ")";
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + " + " + rhs;
  case AffineExprKind::Mul:
    return lhs + " * " + rhs;
  case AffineExprKind::Mod:
    return lhs + " mod " + rhs;
  case AffineExprKind::CeilDiv:
    return "ceil(" + lhs + " / " + rhs + ")";
  default:
    return "floor(" + lhs + " / " + rhs + ")";
  }
}

static std::string joinText(ArrayRef<std::string> parts, StringRef separator) {
  std::string text;
  for (auto [i, part] : llvm::enumerate(parts))
    text += (i ? separator.str() : "") + part;
  return text;
}

/// `S_0[i0, i1]`
static std::string getTuple(StringRef name, unsigned rank) {
  SmallVector<std::string> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back("i" + std::to_string(i));
  return name.str() + "[" + joinText(dims, ", ") + "]";
}

static std::string getDomainText(StringRef name, ArrayRef<int64_t> space) {
  SmallVector<std::string> bounds;
  for (auto [i, size] : llvm::enumerate(space))
    bounds.push_back("0 <= i" + std::to_string(i) + " < " +
                     std::to_string(size));
  return "{ " + getTuple(name, space.size()) + " : " +
         joinText(bounds, " and ") + " }";
}

poly::ScopOp ScopModel::build(OpBuilder &builder, Location loc, StringRef name,
                              StringRef reference) const {
  isl::Ctx ctx;
  auto scop = poly::ScopOp::create(
      builder, loc, name, reference, "", /*cores=*/IntegerAttr(),
      /*first_core=*/IntegerAttr(), /*all_cores=*/IntegerAttr(),
      /*beside=*/FlatSymbolRefAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&scop.getBody().emplaceBlock());
  for (const ScopArray &array : arrays) {
    auto number = [&](std::optional<int64_t> number) {
      return number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
    };
    poly::ArrayOp::create(
        builder, loc, builder.getStringAttr(array.name), number(array.input),
        number(array.output), /*part=*/poly::PartAttr(),
        TypeAttr::get(RankedTensorType::get(array.shape, array.element)));
  }
  isl::Schedule schedule;
  for (const ScopStatement &statement : statements) {
    std::string own = "S_" + std::to_string(&statement - statements.data());
    auto getMap = [&](const ScopAccess &access) {
      SmallVector<std::string> indices;
      for (AffineExpr index : access.map.getResults())
        indices.push_back(toIsl(index));
      isl::Map map = ctx.parseMap("{ " + getTuple(own, statement.space.size()) +
                                  " -> " + arrays[access.array].name + "[" +
                                  joinText(indices, ", ") + "] }");
      if (access.hasPads)
        map = isl::Map(isl_map_intersect_range(
            map.take(), ctx.parseSet(getDomainText(arrays[access.array].name,
                                                   arrays[access.array].shape))
                            .take()));
      return builder.getStringAttr(isl::str(map));
    };
    isl::Set domain = ctx.parseSet(getDomainText(own, statement.space));
    SmallVector<Attribute> readArrays, readMaps;
    SmallVector<Type> types;
    for (const ScopAccess &read : statement.reads) {
      const ScopArray &array = arrays[read.array];
      readArrays.push_back(
          FlatSymbolRefAttr::get(builder.getContext(), array.name));
      readMaps.push_back(getMap(read));
      types.push_back(array.element);
    }
    auto op = poly::StatementOp::create(
        builder, statement.loc, own, isl::str(domain),
        builder.getArrayAttr(readArrays), builder.getArrayAttr(readMaps),
        arrays[statement.write.array].name, getMap(statement.write).getValue(),
        poly::Img2colAttr());
    OpBuilder::InsertionGuard bodyGuard(builder);
    Block &body = op.getBody().emplaceBlock();
    body.addArguments(types,
                      SmallVector<Location>(types.size(), statement.loc));
    builder.setInsertionPointToStart(&body);
    poly::YieldOp::create(builder, statement.loc,
                          statement.buildBody(builder, body.getArguments()));

    poly::appendStatement(schedule, std::move(domain));
  }
  if (failed(poly::setSchedule(ctx, scop, schedule, "extraction"))) {
    scop.erase();
    return nullptr;
  }
  return scop;
}
