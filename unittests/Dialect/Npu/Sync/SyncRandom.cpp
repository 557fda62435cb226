// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncRandom.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// All operands are pieces of this size, of L0C twice.
constexpr int64_t kPiece = 512;
constexpr int kPieces[kNumSpaces] = {32, 8, 12, 4, 4, 4};

int64_t getPiece(Space space) {
  return space == Space::l0c ? 2 * kPiece : kPiece;
}

using Place = std::function<Address(const Env &)>;

class Maker {
public:
  Maker(const Machine &machine, uint32_t seed, const RandomOptions &options)
      : machine(machine), options(options), random(seed) {}

  Kernel run() {
    if (options.fills)
      fill();
    int count = pick(options.minOps, options.maxOps);
    addBlock(0, count, options.maxDepth);
    kernel.program.period = 12;
    kernel.program.finish();
    return std::move(kernel);
  }

private:
  int pick(int min, int max) {
    return std::uniform_int_distribution<int>(min, max)(random);
  }
  bool flip(int percent) { return pick(1, 100) <= percent; }

  void add(int block, std::function<Instruction(const Env &)> make) {
    kernel.add(block, machine, std::move(make));
  }

  /// A buffer of one to four pieces; which of them depends on the loops.
  Place pickPlace(Space space, int tensor = 0) {
    int slots = pick(1, std::min(4, kPieces[static_cast<int>(space)]));
    int first = pick(0, kPieces[static_cast<int>(space)] - slots);
    // Often the same buffers, so that there is something to order.
    if (flip(70)) {
      slots = std::min(2, slots);
      first = 2 * pick(0, 1);
    }
    struct Term {
      int loop;
      int64_t factor;
    };
    std::vector<Term> terms;
    int64_t factor = 1;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      if (flip(70))
        terms.push_back({it->first, factor});
      if (flip(50))
        factor *= it->second;
    }
    int64_t shift = pick(0, 1), bytes = getPiece(space);
    return [=](const Env &env) {
      int64_t index = shift;
      for (const Term &term : terms)
        index += term.factor * env.iteration[term.loop];
      return Address(space, (first + index % slots) * bytes, tensor);
    };
  }

  void addMove(int block, Space from, Space to) {
    Place src = pickPlace(from, 0), dst = pickPlace(to, to == Space::gm);
    bool accumulate = to == Space::gm && flip(30);
    int64_t bytes = flip(30) ? 256 : kPiece;
    add(block, [=](const Env &env) {
      Instruction in(Opcode::dma);
      in.src0 = src(env);
      in.dst = dst(env);
      in.accumulate = accumulate;
      in.dma = {1, bytes, bytes, bytes};
      return in;
    });
  }

  void addLoad2d(int block) {
    Place src = pickPlace(Space::l1);
    Place dst = pickPlace(flip(50) ? Space::l0a : Space::l0b);
    add(block, [=](const Env &env) {
      Instruction in(Opcode::load2d);
      in.src0 = src(env);
      in.dst = dst(env);
      in.load2d = {1, 1, 1};
      return in;
    });
  }

  void addMad(int block) {
    Place a = pickPlace(Space::l0a), b = pickPlace(Space::l0b),
          c = pickPlace(Space::l0c);
    bool initialise = flip(30);
    add(block, [=](const Env &env) {
      Instruction in(Opcode::mad);
      in.src0 = a(env);
      in.src1 = b(env);
      in.dst = c(env);
      in.initialise = initialise;
      in.mad = {16, 16, 16, 1, 1, 1};
      return in;
    });
  }

  void addDrain(int block) {
    Place src = pickPlace(Space::l0c), dst = pickPlace(Space::ub);
    add(block, [=](const Env &env) {
      Instruction in(Opcode::drain);
      in.src0 = src(env);
      in.dst = dst(env);
      in.type = DType::f32;
      in.dstType = DType::f16;
      in.drain = {16, 16, 1, 16, 16};
      return in;
    });
  }

  void addVector(int block) {
    constexpr VectorOp kinds[] = {
        VectorOp::add, VectorOp::mul,       VectorOp::exp,  VectorOp::muls,
        VectorOp::dup, VectorOp::reduceSum, VectorOp::copy, VectorOp::groupMax};
    VectorOp kind = kinds[pick(0, 7)];
    Place src0 = pickPlace(Space::ub), src1 = pickPlace(Space::ub),
          dst = flip(20) ? src0 : pickPlace(Space::ub);
    int64_t repeat = pick(1, 2);
    uint64_t high = flip(20) ? 0 : ~uint64_t(0);
    add(block, [=](const Env &env) {
      Instruction in(Opcode::vector);
      in.vectorOp = kind;
      in.src0 = src0(env);
      in.src1 = src1(env);
      in.dst = dst(env);
      in.vector = {repeat, ~uint64_t(0), high, 1, 8, 1, 8, 1, 8, 1};
      return in;
    });
  }

  void addScalarLoad(int block) {
    Place src = pickPlace(Space::ub);
    add(block, [=](const Env &env) {
      Instruction in(Opcode::loadScalar);
      in.src0 = src(env);
      return in;
    });
  }

  void addOp(int block) {
    int kind = pick(1, 100);
    if (kind <= 15)
      addMove(block, Space::gm, Space::ub);
    else if (kind <= 25)
      addMove(block, Space::gm, Space::l1);
    else if (kind <= 40)
      addMove(block, Space::ub, Space::gm);
    else if (kind <= 43)
      addMove(block, Space::ub, Space::l1);
    else if (kind <= 46)
      addMove(block, Space::l1, Space::ub);
    else if (kind <= 60)
      addLoad2d(block);
    else if (kind <= 70)
      addMad(block);
    else if (kind <= 78)
      addDrain(block);
    else if (kind <= 97)
      addVector(block);
    else
      addScalarLoad(block);
  }

  void addLoop(int block, int count, int depth) {
    int trips = pick(1, 6);
    int number = static_cast<int>(kernel.program.loops.size());
    int body;
    if (!loops.empty() && flip(15)) {
      int outer = loops.back().first;
      body = kernel.program.addLoop(block, [=](const Env &env) {
        return std::min<int64_t>(trips, env.iteration[outer] + 1);
      });
    } else {
      body = kernel.program.addLoop(block, int64_t(trips));
    }
    loops.emplace_back(number, trips);
    addBlock(body, count, depth - 1);
    loops.pop_back();
  }

  void addBranch(int block, int count, int depth) {
    int loop = loops.back().first, value = pick(0, 2);
    auto [one, other] = kernel.program.addBranch(block, [=](const Env &env) {
      return value == 2 ? env.iteration[loop] % 2 == 0
                        : env.iteration[loop] == value;
    });
    addBlock(one, count, depth - 1);
    if (flip(30))
      addBlock(other, pick(1, 2), 0);
  }

  void addBlock(int block, int count, int depth) {
    while (count > 0) {
      int inside = std::min(count, pick(1, 8));
      if (depth > 0 && flip(loops.empty() ? 50 : 20)) {
        addLoop(block, inside, depth);
        count -= inside;
      } else if (depth > 0 && !loops.empty() && flip(10)) {
        addBranch(block, std::min(inside, 3), depth);
        count -= std::min(inside, 3);
      } else {
        addOp(block);
        --count;
      }
    }
  }

  void fill() {
    for (Space space : {Space::ub, Space::l1})
      add(0, [=](const Env &) {
        Instruction in(Opcode::dma);
        in.src0 = Address(Space::gm, 0, 0);
        in.dst = Address(space, 0);
        int64_t bytes = kPieces[static_cast<int>(space)] * kPiece;
        in.dma = {1, bytes, bytes, bytes};
        return in;
      });
    for (Space space : {Space::l0a, Space::l0b})
      add(0, [=](const Env &) {
        Instruction in(Opcode::load2d);
        in.src0 = Address(Space::l1, 0);
        in.dst = Address(space, 0);
        in.load2d = {kPieces[static_cast<int>(space)], 1, 1};
        return in;
      });
    for (int i = 0; i < kPieces[static_cast<int>(Space::l0c)]; ++i)
      add(0, [=](const Env &) {
        Instruction in(Opcode::mad);
        in.src0 = Address(Space::l0a, 0);
        in.src1 = Address(Space::l0b, 0);
        in.dst = Address(Space::l0c, i * 2 * kPiece);
        in.initialise = true;
        in.mad = {16, 16, 16, 1, 1, 1};
        return in;
      });
  }

  const Machine &machine;
  RandomOptions options;
  std::mt19937 random;
  Kernel kernel;
  /// Loops around the place being filled: number and (most) iterations.
  std::vector<std::pair<int, int>> loops;
};

} // namespace

Kernel gc::npu::sync::makeRandomKernel(const Machine &machine, uint32_t seed,
                                       const RandomOptions &options) {
  return Maker(machine, seed, options).run();
}

void gc::npu::sync::overlap(Listing &listing, std::mt19937 &random) {
  for (int tries = 0; tries < 100; ++tries) {
    Line &line = listing[random() % listing.size()];
    Instruction &in = line.instruction;
    Address &operand = random() % 2 ? in.dst : in.src0;
    Space space = operand.getSpace();
    if (line.item >= 0 || space == Space::gm || in.opcode == Opcode::load2d)
      continue;
    if (in.opcode == Opcode::dma && in.dma.bytes > kPiece)
      continue;
    operand = Address(space, getPiece(space) *
                                 (random() % kPieces[static_cast<int>(space)]));
    return;
  }
}
