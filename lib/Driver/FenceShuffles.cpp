// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FenceShuffles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// The shuffle if it takes elements of 32 bits of two vectors of the result's
/// size.
static ShuffleVectorInst *getStage(Value *value) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(value);
  if (!shuffle || shuffle->changesLength() || shuffle->isSingleSource())
    return nullptr;
  Type *element = shuffle->getType()->getElementType();
  return element->isFloatTy() || element->isIntegerTy(32) ? shuffle : nullptr;
}

static bool isBetweenStages(ShuffleVectorInst &shuffle) {
  return any_of(shuffle.operands(), getStage) &&
         any_of(shuffle.users(), getStage);
}

void gc::fenceShuffles(Function &function) {
  SmallVector<ShuffleVectorInst *> inner;
  for (Instruction &instruction : instructions(function))
    if (auto *shuffle = getStage(&instruction);
        shuffle && isBetweenStages(*shuffle))
      inner.push_back(shuffle);
  for (ShuffleVectorInst *shuffle : inner) {
    IRBuilder<> builder(shuffle->getNextNode());
    // Fences are for floating point.
    auto *type = cast<FixedVectorType>(shuffle->getType());
    Type *fenced =
        FixedVectorType::get(builder.getFloatTy(), type->getNumElements());
    Value *input = builder.CreateBitCast(shuffle, fenced);
    Value *fence = builder.CreateArithmeticFence(input, fenced);
    Value *result = builder.CreateBitCast(fence, type);
    shuffle->replaceUsesWithIf(result, [&](Use &use) {
      return use.getUser() != (input == shuffle ? fence : input);
    });
  }
}
