// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Capacity.h"
#include "Dialect/Poly/IR/Scop.h"
#include "Dialect/Poly/Transforms/Hierarchy.h"
#include "ScopNests.h"
#include "Support/MemoryPicture.h"
#include "TileViews.h"
#include "Tree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

OwningOpRef<ModuleOp> gc::poly::isolate(ScopOp scop) {
  OpBuilder builder(scop.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, scop.getLoc());
  if (auto source = scop->getParentOfType<ModuleOp>()) {
    (*module)->setAttrs(source->getAttrDictionary());
    if (Operation *reference =
            SymbolTable::lookupSymbolIn(source, scop.getReferenceAttr()))
      module->push_back(reference->clone());
  }
  module->push_back(scop->clone());
  return module;
}

//===----------------------------------------------------------------------===//
// A kernel to count buffers of
//===----------------------------------------------------------------------===//

namespace {
/// The tiles of a scop in the order of its tree, with one loop for each band.
/// Bounds and counters are not those of a program: buffers and their lifetimes
/// are.
class TrialKernel {
public:
  explicit TrialKernel(ScopOp scop) : scop(scop), b(scop.getContext()) {}
  TrialKernel(const TrialKernel &) = delete;
  ~TrialKernel() {
    if (kernel)
      kernel->erase();
  }

  LogicalResult build();
  func::FuncOp get() { return kernel; }
  /// The buffer that an allocation is; null for what a tile allocates.
  BufferOp getBuffer(npu::AllocOp alloc) const { return buffers.lookup(alloc); }

private:
  LogicalResult visit(isl::Node node);
  LogicalResult emitTiles(const isl::Node &leaf);
  void emitTile(TileOp tile);
  Operation *lookup(StringRef name) {
    return SymbolTable::lookupSymbolIn(scop, b.getStringAttr(name));
  }

  ScopOp scop;
  isl::Ctx ctx;
  OpBuilder b;
  func::FuncOp kernel;
  llvm::StringMap<Value> memrefs;
  llvm::DenseMap<Operation *, BufferOp> buffers;
  /// What is issued iterations ahead of a stage is alive beside what follows.
  bool hasStages = false;
};
} // namespace

static bool hasStageMarks(const isl::Node &root) {
  bool found = false;
  (void)isl::walkTopDown(root, [&](const isl::Node &node) -> FailureOr<bool> {
    found |= StringRef(getMark(node)).starts_with("stage:");
    return !found;
  });
  return found;
}

LogicalResult TrialKernel::build() {
  SmallVector<Type> types{b.getIndexType()};
  SmallVector<ArrayOp> arrays(scop.getBody().getOps<ArrayOp>());
  for (ArrayOp array : arrays)
    types.push_back(getGlobalType(array));
  kernel = func::FuncOp::create(scop.getLoc(), "trial",
                                b.getFunctionType(types, {}));
  Block *block = kernel.addEntryBlock();
  for (auto [array, argument] :
       llvm::zip(arrays, block->getArguments().drop_front()))
    memrefs[array.getSymName()] = argument;
  b.setInsertionPointToStart(block);
  isl::Schedule schedule = getSchedule(ctx, scop);
  isl::Node root(isl_schedule_get_root(schedule.get()));
  hasStages = hasStageMarks(root);
  return visit(std::move(root));
}

void TrialKernel::emitTile(TileOp tile) {
  Block &body = tile.getBody().front();
  IRMapping mapping;
  for (BlockArgument counter : body.getArguments())
    mapping.map(counter, kernel.getArgument(0));
  for (Operation &op : body) {
    if (auto ref = dyn_cast<RefOp>(op))
      mapping.map(ref.getMemref(), memrefs.lookup(ref.getSymbol()));
    else
      b.clone(op, mapping);
  }
}

LogicalResult TrialKernel::emitTiles(const isl::Node &leaf) {
  isl::UnionSet instances(isl_schedule_node_get_domain(leaf.get()));
  return isl::forEachSet(instances, [&](isl::Set set) -> LogicalResult {
    if (auto tile =
            dyn_cast_or_null<TileOp>(lookup(isl_set_get_tuple_name(set.get()))))
      emitTile(tile);
    return success();
  });
}

LogicalResult TrialKernel::visit(isl::Node node) {
  OpBuilder::InsertionGuard guard(b);
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_leaf:
    return emitTiles(node);
  case isl_schedule_node_mark: {
    std::string mark = getMark(node);
    StringRef name = mark;
    if (!name.consume_front("buffer:"))
      break;
    if (auto buffer = dyn_cast_or_null<BufferOp>(lookup(name))) {
      OpBuilder::InsertionGuard atTop(b);
      if (hasStages && buffer.getSlots())
        b.setInsertionPointToStart(&kernel.getBody().front());
      auto alloc =
          npu::AllocOp::create(b, buffer.getLoc(), buffer.getMemRefType(),
                               b.getI64IntegerAttr(1), IntegerAttr());
      memrefs[name] = alloc;
      buffers[alloc] = buffer;
    }
    break;
  }
  case isl_schedule_node_band: {
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, scop.getLoc(), value);
    };
    for (int i = 0, e = isl_schedule_node_band_n_member(node.get()); i < e;
         ++i) {
      auto loop =
          scf::ForOp::create(b, scop.getLoc(), index(0), index(2), index(1));
      b.setInsertionPointToStart(loop.getBody());
    }
    break;
  }
  default:
    break;
  }
  for (int i = 0, e = isl_schedule_node_n_children(node.get()); i < e; ++i)
    if (failed(visit(isl::Node(isl_schedule_node_get_child(node.get(), i)))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

/// One error: the memory, what is alive in it, and what would fit.
static LogicalResult reportOverflow(ScopOp scop, const TrialKernel &kernel,
                                    const npu::MemoryUse &use,
                                    ArrayRef<Repair> repairs, bool isSearched) {
  std::string memory = getBufferName(npu::Space(use.space));
  InFlightDiagnostic error = scop.emitOpError();
  error << "does not fit " << memory << ": "
        << std::max(use.peak, use.bytes > use.capacity ? use.bytes : 0)
        << " bytes are needed at the same time, and there are " << use.capacity;
  if (!repairs.empty())
    error << "; it would with policy='" << repairs.front().policy
          << "', in about " << int64_t(repairs.front().cycles) << " cycles";
  for (const npu::MemoryUse::Live &live : use.live) {
    npu::AllocOp alloc = live.alloc;
    BufferOp buffer = kernel.getBuffer(alloc);
    Diagnostic &note = error.attachNote(alloc.getLoc());
    note << "alive then: ";
    if (buffer)
      note << "@" << buffer.getSymName() << " with a tile of @"
           << buffer.getArray();
    else
      note << "what one instruction leaves to the next";
    note << ", " << getShapeText(alloc.getBuffer().getType()) << ", "
         << live.bytes << " bytes of " << memory;
  }
  for (const Repair &repair : repairs)
    error.attachNote(scop.getLoc())
        << "fits: policy='" << repair.policy << "', about "
        << int64_t(repair.cycles) << " cycles";
  if (isSearched && repairs.empty())
    error.attachNote(scop.getLoc()) << "no smaller tiles were found that fit";
  return error;
}

namespace {
/// Tiles of a copy of a scop, and the memories that they need.
struct Trial {
  OwningOpRef<ModuleOp> copy;
  std::unique_ptr<TrialKernel> kernel;
  SmallVector<npu::MemoryUse> uses;
};
} // namespace

static FailureOr<Trial> tryTiles(ScopOp scop) {
  Trial trial;
  trial.copy = isolate(scop);
  auto tiled = *trial.copy->getOps<ScopOp>().begin();
  FailureOr<npu::Machine> machine = npu::getMachine(tiled);
  if (failed(machine) || failed(tileNests(tiled)))
    return failure();
  trial.kernel = std::make_unique<TrialKernel>(tiled);
  if (failed(trial.kernel->build()))
    return scop.emitOpError("has a tree that cannot be followed");
  FailureOr<SmallVector<npu::MemoryUse>> uses =
      npu::findMemoryUse(trial.kernel->get(), *machine);
  if (failed(uses))
    return failure();
  trial.uses = std::move(*uses);
  return trial;
}

FailureOr<bool> gc::poly::fitsCore(ScopOp scop) {
  FailureOr<Trial> trial = tryTiles(scop);
  if (failed(trial))
    return failure();
  return llvm::all_of(trial->uses,
                      [](const npu::MemoryUse &use) { return use.fits(); });
}

LogicalResult gc::poly::checkCapacity(ScopOp scop, bool promotes, bool skews,
                                      bool repairs) {
  FailureOr<Trial> trial = tryTiles(scop);
  if (failed(trial))
    return failure();
  Builder builder(scop.getContext());
  NamedAttrList peaks;
  for (const npu::MemoryUse &use : trial->uses) {
    if (!use.fits())
      return reportOverflow(scop, *trial->kernel, use,
                            repairs ? findRepairs(scop, promotes, skews)
                                    : SmallVector<Repair>(),
                            repairs);
    peaks.set(npu::getName(npu::Space(use.space)),
              builder.getI64IntegerAttr(use.peak));
  }
  scop->setAttr(kPeakBytesAttr, peaks.getDictionary(scop.getContext()));
  return success();
}
