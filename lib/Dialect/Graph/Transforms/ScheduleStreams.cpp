// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are written with non-temporal stores: they would not stay there,
// and the lines that they replace need not be read before they are written.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Schedule.h"
#include "Support/DecisionRecord.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

int64_t getArgumentBytes(func::FuncOp func) {
  int64_t bytes = 0;
  for (Type type :
       llvm::concat<const Type>(func.getArgumentTypes(), func.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape())
      bytes += getMemoryBytes(tensor);
  return bytes;
}

bool isOfCaller(Value value) {
  return isa<BlockArgument>(value) || isReturned(value);
}

SmallVector<int64_t>
chooseStreams(FusedOp fused, const ScheduleContext &context,
              llvm::function_ref<bool(unsigned)> isCandidate) {
  SmallVector<int64_t> streams;
  if (context.stream == ScheduleSwitch::never)
    return streams;
  // What has not left the caches by the end of one call is there in the next.
  if (context.stream == ScheduleSwitch::automatic && context.fitsCaches())
    return streams;
  for (auto [i, result] : llvm::enumerate(fused.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!hasRowsOfLines(type) || !isCandidate(i))
      continue;
    streams.push_back(i);
    if (DecisionRecord record(fused, context.category, "schedule"); record) {
      record.choose("result " + Twine(i) +
                    " is written with non-temporal stores");
      record.reject("in the caches", std::nullopt,
                    Twine(context.argumentBytes) +
                        " bytes of arguments and results do not fit");
      record.forcedBy("--pipeline-options=stream=never");
    }
    remark::passed(
        fused.getLoc(),
        remark::RemarkOpts::name("Streamed").category(context.category))
        << "result " + std::to_string(i) +
               " is written with non-temporal stores: arguments and results "
               "have " +
               std::to_string(context.argumentBytes) + " bytes";
  }
  return streams;
}

} // namespace gc::graph
