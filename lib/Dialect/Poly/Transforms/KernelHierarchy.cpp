// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelHierarchy.h"
#include "Dialect/Npu/IR/KernelLimits.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

InFlightDiagnostic gc::poly::refuse(ScopOp scop, const HierarchyItem &item) {
  return scop.emitOpError() << "cannot honour '" << item.str() << "' ("
                            << item.getPlace() << " of its memory hierarchy): ";
}

//===----------------------------------------------------------------------===//
// What was asked for
//===----------------------------------------------------------------------===//

static bool isUnit(const HierarchyItem &item) {
  return item.kind == HierarchyKind::cube || item.kind == HierarchyKind::vector;
}

/// The same memories, in whatever order.
static bool isSame(ArrayRef<npu::Space> left, ArrayRef<npu::Space> right) {
  return left.size() == right.size() &&
         llvm::all_of(left, [&](npu::Space space) {
           return llvm::is_contained(right, space);
         });
}

static LogicalResult checkName(ScopOp scop, const HierarchyItem &item) {
  if (item.name.empty())
    return success();
  if (isUnit(item) && !findStatement(scop, item.name))
    return refuse(scop, item) << "there is no statement '" << item.name << "'";
  if (!isUnit(item) && !findArray(scop, item.name))
    return refuse(scop, item) << "there is no array '" << item.name << "'";
  return success();
}

/// Units and flows have the machine's numbers, and buffers its room.
static LogicalResult checkMachine(ScopOp scop, const HierarchyItem &item,
                                  const npu::Machine &machine) {
  if (item.kind == HierarchyKind::buf) {
    int64_t capacity = machine.getCapacity(item.to.front());
    // Those of arrays are compared with their tiles, which are not yet known.
    if (item.name.empty() && item.bytes > capacity)
      return refuse(scop, item) << getBufferName(item.to.front()) << " has "
                                << capacity << " bytes";
    return success();
  }
  SmallVector<npu::Space> from(item.from), to(item.to);
  llvm::sort(from);
  llvm::sort(to);
  std::optional<HierarchyItem> path = getPath(machine, item.kind, from, to);
  if (!path)
    return refuse(scop, item)
           << "the machine has no such " << (isUnit(item) ? "unit" : "path");
  if (item.throughput != path->throughput || item.alignment != path->alignment)
    return refuse(scop, item)
           << "the machine's throughput is " << path->throughput
           << " and its alignment " << path->alignment;
  return success();
}

FailureOr<Hierarchy> gc::poly::prepareHierarchy(ScopOp scop) {
  FailureOr<KernelPlan> plan = KernelPlan::get(scop);
  if (failed(plan))
    return failure();
  // Sizes are compared with the whole machine's.
  scop->removeAttr(npu::kMemoryAttr);
  FailureOr<npu::Machine> machine = npu::getMachine(scop);
  if (failed(machine))
    return failure();
  NamedAttrList limits;
  Builder builder(scop.getContext());
  for (const HierarchyItem &item : plan->hierarchy.items) {
    if (failed(checkName(scop, item)) ||
        failed(checkMachine(scop, item, *machine)))
      return failure();
    if (item.kind != HierarchyKind::buf || !item.name.empty())
      continue;
    npu::Space space = item.to.front();
    std::string parameter = std::string(npu::getName(space)) + "_bytes";
    npu::Machine smaller = *machine;
    if (!npu::setParameter(smaller, parameter, item.bytes))
      return refuse(scop, item) << "the machine cannot be that small";
    if (item.bytes < machine->getCapacity(space))
      limits.set(npu::getName(space), builder.getI64IntegerAttr(item.bytes));
  }
  if (!limits.empty())
    scop->setAttr(npu::kMemoryAttr, limits.getDictionary(scop.getContext()));
  return plan->hierarchy;
}

std::optional<HierarchyItem> gc::poly::getGivenUnit(ScopOp scop,
                                                    StringRef statement) {
  auto text = scop->getAttrOfType<StringAttr>(kHierarchyAttr);
  if (!text)
    return std::nullopt;
  llvm::Expected<Hierarchy> hierarchy = parseHierarchy(text.getValue());
  if (!hierarchy) {
    llvm::consumeError(hierarchy.takeError());
    return std::nullopt;
  }
  const HierarchyItem *item = hierarchy->findUnit(statement);
  return item ? std::optional(*item) : std::nullopt;
}

bool gc::poly::prefersCube(ScopOp scop, const ColumnSums &sums,
                           const npu::Machine &machine) {
  // Sums are all that the scop computes.
  for (auto statement : scop.getOps<StatementOp>())
    if (std::optional<HierarchyItem> unit =
            getGivenUnit(scop, statement.getSymName()))
      return unit->kind == HierarchyKind::cube;
  return sums.prefersCube(machine);
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

namespace {
/// Reads the hierarchy of a scop of tiles.
class HierarchyReader {
public:
  HierarchyReader(ScopOp scop, const npu::Machine &machine,
                  const UnitMap &units, const isl::Schedule &schedule);

  LogicalResult run(const Hierarchy &asked);

private:
  struct Buffer {
    BufferOp op;
    npu::Space space;
    int64_t bytes = 0, slots = 1;

    int64_t getBytes() const { return bytes * slots; }
  };
  using Flows = llvm::MapVector<std::pair<StringRef, npu::Space>,
                                SmallVector<npu::Space>>;

  bool hasBuffer(StringRef array, npu::Space space) const;
  void readFlows();
  void addUnits();
  void addFlows();
  void addBuffers(const Hierarchy &asked);
  LogicalResult setSlots(const HierarchyItem &item);
  LogicalResult check(const HierarchyItem &item) const;
  /// All items about a name, for errors.
  std::string describe(StringRef name, bool isUnit) const;

  ScopOp scop;
  const npu::Machine &machine;
  const UnitMap &units;
  std::vector<Buffer> buffers;
  Flows flows;
  Hierarchy found;
};
} // namespace

/// Tiles that may be under way in the innermost marked loop around a buffer.
static llvm::StringMap<int64_t> readSlots(const isl::Schedule &schedule) {
  llvm::StringMap<int64_t> slots;
  isl::Node root(isl_schedule_get_root(schedule.get()));
  (void)isl::walkTopDown(root, [&](const isl::Node &node) -> FailureOr<bool> {
    std::string mark = getMark(node);
    StringRef name = mark;
    if (!name.consume_front("buffer:"))
      return true;
    int64_t &own = slots[name] = 1;
    isl::Node up = node.clone();
    while (isl_schedule_node_has_parent(up.get()) == isl_bool_true) {
      up.reset(isl_schedule_node_parent(up.take()));
      std::string outer = getMark(up);
      StringRef number = outer;
      if (number.consume_front("pipeline:")) {
        (void)number.getAsInteger(10, own);
        break;
      }
    }
    return true;
  });
  return slots;
}

HierarchyReader::HierarchyReader(ScopOp scop, const npu::Machine &machine,
                                 const UnitMap &units,
                                 const isl::Schedule &schedule)
    : scop(scop), machine(machine), units(units) {
  llvm::StringMap<int64_t> slots = readSlots(schedule);
  for (auto op : scop.getBody().getOps<BufferOp>()) {
    MemRefType type = op.getMemRefType();
    std::optional<npu::MemorySpace> space = npu::getSpace(type);
    if (!space)
      continue;
    Buffer buffer{op, npu::Space(*space)};
    buffer.bytes = type.getNumElements() *
                   llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    auto known = slots.find(op.getSymName());
    if (known != slots.end() && buffer.bytes > 0)
      buffer.slots = std::clamp<int64_t>(
          machine.getCapacity(buffer.space) / buffer.bytes, 1, known->second);
    if (std::optional<uint64_t> most = op.getSlots())
      buffer.slots = std::min<int64_t>(buffer.slots, *most);
    buffers.push_back(buffer);
  }
  readFlows();
}

bool HierarchyReader::hasBuffer(StringRef array, npu::Space space) const {
  return llvm::any_of(buffers, [&](const Buffer &buffer) {
    return buffer.space == space && BufferOp(buffer.op).getArray() == array;
  });
}

/// Moves between memories, by the array that is moved.
void HierarchyReader::readFlows() {
  auto getArray = [&](Value memref) -> StringRef {
    auto ref = npu::getBaseBuffer(memref).getDefiningOp<RefOp>();
    if (!ref)
      return "";
    Operation *symbol = SymbolTable::lookupSymbolIn(scop, ref.getSymbolAttr());
    auto buffer = dyn_cast_or_null<BufferOp>(symbol);
    return buffer ? buffer.getArray() : ref.getSymbol();
  };
  scop.walk([&](npu::PipeOpInterface op) {
    for (OpOperand *source : op.getReadOperands())
      for (OpOperand *target : op.getWrittenOperands()) {
        auto from = npu::getSpace(source->get()),
             to = npu::getSpace(target->get());
        // Products are not flows.
        if (!from || !to || from == to || *to == npu::MemorySpace::l0c)
          continue;
        StringRef name = getArray(*from == npu::MemorySpace::gm ||
                                          *to != npu::MemorySpace::gm
                                      ? source->get()
                                      : target->get());
        SmallVector<npu::Space> &targets = flows[{name, npu::Space(*from)}];
        if (!name.empty() && !llvm::is_contained(targets, npu::Space(*to)))
          targets.push_back(npu::Space(*to));
      }
  });
}

void HierarchyReader::addUnits() {
  using npu::Space;
  for (auto statement : scop.getBody().getOps<StatementOp>()) {
    auto unit = units.find(statement.getSymName());
    if (unit == units.end())
      continue;
    SmallVector<Space> from{Space::l0a, Space::l0b}, to{Space::l0c};
    if (!unit->second) {
      // Sums that have no buffer in UB are converted on the way there.
      bool isDrained = false, isOnVector = statement.getReadArrays().empty();
      for (auto read :
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()) {
        bool isSum = hasBuffer(read.getValue(), Space::l0c) &&
                     !hasBuffer(read.getValue(), Space::ub);
        (isSum ? isDrained : isOnVector) = true;
      }
      from.clear();
      if (isOnVector)
        from.push_back(Space::ub);
      if (isDrained)
        from.push_back(Space::l0c);
      to = {Space::ub};
    }
    auto kind = unit->second ? HierarchyKind::cube : HierarchyKind::vector;
    if (std::optional<HierarchyItem> item = getPath(machine, kind, from, to)) {
      item->name = statement.getSymName().str();
      found.items.push_back(*item);
    }
  }
}

void HierarchyReader::addFlows() {
  for (auto array : scop.getBody().getOps<ArrayOp>())
    // From global memory first.
    for (int from = 0; from < npu::kNumSpaces; ++from) {
      auto flow = flows.find({array.getSymName(), npu::Space(from)});
      if (flow == flows.end())
        continue;
      llvm::sort(flow->second);
      if (std::optional<HierarchyItem> item =
              getPath(machine, HierarchyKind::dataflow, {npu::Space(from)},
                      flow->second)) {
        item->name = array.getSymName().str();
        found.items.push_back(*item);
      }
    }
}

void HierarchyReader::addBuffers(const Hierarchy &asked) {
  auto add = [&](StringRef name, npu::Space space, int64_t bytes) {
    HierarchyItem item;
    item.name = name.str();
    item.to = {space};
    item.bytes = bytes;
    found.items.push_back(item);
  };
  SmallVector<int64_t> used(npu::kNumSpaces, 0);
  llvm::MapVector<std::pair<StringRef, npu::Space>, int64_t> sums;
  for (const Buffer &buffer : buffers) {
    sums[{BufferOp(buffer.op).getArray(), buffer.space}] += buffer.getBytes();
    ++used[size_t(buffer.space)];
  }
  for (auto [space, count] : llvm::enumerate(used)) {
    if (count == 0)
      continue;
    const HierarchyItem *own = asked.findBuffer("", npu::Space(space));
    add("", npu::Space(space),
        own ? own->bytes : machine.getCapacity(npu::Space(space)));
  }
  for (auto [key, bytes] : sums)
    add(key.first, key.second, bytes);
}

std::string HierarchyReader::describe(StringRef name, bool isUnitItem) const {
  std::string text;
  for (const HierarchyItem &item : found.items)
    if (item.name == name && item.kind != HierarchyKind::buf &&
        isUnit(item) == isUnitItem)
      text += (text.empty() ? "" : ", ") + item.str();
  return text.empty() ? "nothing of that kind" : text;
}

//===----------------------------------------------------------------------===//
// Whether it is what was asked for
//===----------------------------------------------------------------------===//

LogicalResult HierarchyReader::setSlots(const HierarchyItem &item) {
  SmallVector<Buffer *> own;
  int64_t most = 0;
  for (Buffer &buffer : buffers)
    if (BufferOp(buffer.op).getArray() == item.name &&
        buffer.space == item.to.front()) {
      own.push_back(&buffer);
      most += buffer.getBytes();
    }
  std::string memory = getBufferName(item.to.front());
  if (own.empty())
    return refuse(scop, item)
           << "'" << item.name << "' has no buffer of its own in " << memory;
  if (item.bytes == most)
    return success();
  if (own.size() > 1)
    return refuse(scop, item) << "'" << item.name << "' has " << own.size()
                              << " buffers in " << memory << " of together "
                              << most << " bytes, which tile sizes decide";
  Buffer &buffer = *own.front();
  if (item.bytes > most || item.bytes % buffer.bytes != 0)
    return refuse(scop, item) << "'" << item.name << "' has tiles of "
                              << buffer.bytes << " bytes there, of which 1 to "
                              << buffer.slots << " can be under way";
  buffer.slots = item.bytes / buffer.bytes;
  buffer.op.setSlots(buffer.slots);
  return success();
}

LogicalResult HierarchyReader::check(const HierarchyItem &item) const {
  if (item.name.empty() || item.kind == HierarchyKind::buf)
    return success();
  bool isFound = llvm::any_of(found.items, [&](const HierarchyItem &own) {
    if (own.name != item.name || own.kind != item.kind)
      return false;
    return isUnit(item) ? isSame(own.from, item.from) && isSame(own.to, item.to)
                        : item.from.size() == 1 && own.from == item.from &&
                              llvm::all_of(item.to, [&](npu::Space space) {
                                return llvm::is_contained(own.to, space);
                              });
  });
  if (isFound)
    return success();
  return refuse(scop, item) << "there is " << describe(item.name, isUnit(item));
}

LogicalResult HierarchyReader::run(const Hierarchy &asked) {
  for (const HierarchyItem &item : asked.items)
    if (item.kind == HierarchyKind::buf && !item.name.empty() &&
        failed(setSlots(item)))
      return failure();
  addBuffers(asked);
  addUnits();
  addFlows();
  for (const HierarchyItem &item : asked.items)
    if (failed(check(item)))
      return failure();
  scop->setAttr(kHierarchyAttr,
                StringAttr::get(scop.getContext(), found.str()));
  return success();
}

LogicalResult gc::poly::finishHierarchy(ScopOp scop, const UnitMap &units,
                                        const isl::Schedule &schedule) {
  FailureOr<Hierarchy> asked = prepareHierarchy(scop);
  if (failed(asked))
    return failure();
  FailureOr<npu::Machine> machine = npu::getMachine(scop);
  if (failed(machine))
    return failure();
  return HierarchyReader(scop, *machine, units, schedule).run(*asked);
}
