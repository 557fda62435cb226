// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Poly/Transforms/CubeSizes.h"
#include "Dialect/Poly/IR/Scop.h"
#include "NestPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static std::optional<int64_t> getSize(const isl::Set &domain, unsigned dim) {
  auto last = isl::toInt(isl::Val(isl_set_dim_max_val(domain.copy(), dim)));
  if (!last)
    return std::nullopt;
  return *last + 1;
}

std::optional<CubeSizes> CubeSizes::get(const isl::Ctx &ctx,
                                        StatementOp statement) {
  if (!isContraction(statement))
    return std::nullopt;
  FailureOr<Projection> write = getProjection(getWrite(ctx, statement));
  if (failed(write) || write->dims.empty())
    return std::nullopt;
  isl::Set domain = getDomain(ctx, statement);
  CubeSizes sizes;
  std::optional<unsigned> term;
  for (unsigned dim = 0, e = isl_set_dim(domain.get(), isl_dim_set); dim < e;
       ++dim) {
    if (llvm::is_contained(write->dims, int(dim)))
      continue;
    if (term)
      return std::nullopt;
    term = dim;
  }
  std::optional<int64_t> terms;
  if (term)
    terms = getSize(domain, *term);
  if (!terms)
    return std::nullopt;
  sizes.term = *term;
  sizes.terms = *terms;
  for (BlockArgument argument : statement.getBody().getArguments())
    if (argument.getType().isInteger(8))
      sizes.fractal = 32;
  size_t outer = write->dims.size() - std::min<size_t>(write->dims.size(), 2);
  if (std::optional<Img2colAttr> img2col = statement.getImg2col()) {
    sizes.block = img2col->getTaps() * sizes.fractal;
    if (outer == 1 && write->dims[0] >= 0 && write->dims[1] >= 0) {
      sizes.position = write->dims[1];
      if (auto positions = getSize(domain, sizes.position)) {
        sizes.image = write->dims[0];
        sizes.positions = *positions;
      }
    }
    return sizes;
  }
  for (int dim : ArrayRef(write->dims).take_front(outer))
    if (dim >= 0)
      sizes.singles.push_back(dim);
  return sizes;
}

bool CubeSizes::canDivide(int64_t slice, int64_t step) const {
  int64_t size = std::min(slice, terms);
  step = llvm::alignTo(std::min(step, size), fractal);
  int64_t aligned = llvm::alignTo(size, step);
  if (block != 0)
    return aligned % block == 0 && terms % aligned == 0;
  return size == terms || aligned == size;
}
