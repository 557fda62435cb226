// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"
#include "TunableChains.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSELECTTEMPLATE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {
struct SelectTemplate : impl::GraphSelectTemplateBase<SelectTemplate> {
  using Base::Base;

  /// Once for all functions: forced templates have to exist.
  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<StringRef> names =
        context->getLoadedDialect<GraphDialect>()->getTemplates().getNames();
    for (StringRef name : force)
      if (!llvm::is_contained(names, name))
        return emitError(UnknownLoc::get(context), "cannot force '")
               << name << "', which is not a valid template; there are "
               << llvm::join(names, ", ");
    return success();
  }

  void runOnOperation() override {
    if (failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    if (alternatives < 0) {
      getOperation()->emitError("option 'alternatives' is negative");
      return signalPassFailure();
    }
    given.clear();
    reduced.clear();
    SmallVector<std::string> forced(force.begin(), force.end());
    TemplateOptions options =
        getTemplateOptions(getOperation(), threads, kernel, fixedPoint, forced);
    options.alternatives = alternatives;
    getOperation().walk([&](TunableOpInterface op) {
      if (op.getChosenTemplate())
        given.insert(op);
    });
    // Ops are at the top of the function, or in regions that are there already.
    WalkResult result = getOperation().walk([&](Block *block) {
      for (ArrayRef<ChainLink> chain : getTunableChains(*block)) {
        if (failed(chooseTemplates(chain, *machine, options)))
          return WalkResult::interrupt();
        for (const ChainLink &link : chain)
          if (link.needsWholeRows)
            reduced.insert(link.op);
      }
      for (auto op : block->getOps<TunableOpInterface>())
        recordDecision(op, *machine, options);
      if (alternatives > 0)
        for (auto op : block->getOps<TunableOpInterface>())
          reportAlternatives(op, *machine, options);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// What was chosen, by this pass or whoever wrote the attribute, and what
  /// else there was for the op alone.
  void recordDecision(TunableOpInterface op, const Machine &machine,
                      TemplateOptions options) {
    TemplateAttrInterface chosen = op.getChosenTemplate();
    if (!chosen)
      return;
    DecisionRecord record(op, getArgument(), "template");
    if (!record)
      return;
    auto print = [](Attribute params) {
      std::string text;
      llvm::raw_string_ostream(text) << params;
      return text;
    };
    constexpr int64_t kAlternatives = 4;
    options.alternatives = std::max(options.alternatives, kAlternatives);
    bool isForced = !options.forced.empty();
    options.forced = {};
    double cycles = chosen.getCycles(op, machine, options);
    SmallVector<TemplateCandidate> others = findTemplates(op, machine, options);
    StringRef why, whyNot;
    if (given.contains(op))
      why = "written in template_params";
    else if (isForced)
      why = "forced by an option";
    else if (!others.empty() && others.front().cycles < cycles - 0.5) {
      why = "takes less together with the other ops of its chain";
      whyNot = "takes less for this op alone";
    }
    record.choose(print(chosen), cycles, why);
    auto reject = [&](const TemplateCandidate &other) {
      if (whyNot.empty() || other.cycles >= cycles)
        record.reject(print(other.params), other.cycles);
      else
        record.reject(print(other.params), other.cycles, whyNot);
    };
    // Templates may agree on the same parameters.
    llvm::SmallPtrSet<Attribute, 8> seen;
    for (const TemplateCandidate &other : others)
      if (other.params != chosen && seen.insert(other.params).second)
        reject(other);
    if (reduced.contains(op)) {
      options.wholeRows = true;
      others = findTemplates(op, machine, options);
      if (!others.empty() && seen.insert(others.front().params).second &&
          others.front().params != chosen)
        record.reject(
            print(others.front().params), others.front().cycles,
            "the cheapest with whole rows, which are reduced later in "
            "the same loop");
      options.wholeRows = false;
    }
    for (const auto &[name, reason] : findRefusals(op, machine, options))
      record.reject(name, std::nullopt, reason);
    record.forcedBy("template_params on the op, or "
                    "--pipeline-options=force-templates=NAME");
  }

  /// What else there was for the op alone, cheapest first.
  void reportAlternatives(TunableOpInterface op, const Machine &machine,
                          TemplateOptions options) {
    TemplateAttrInterface chosen = op.getChosenTemplate();
    for (const TemplateCandidate &other : findTemplates(op, machine, options)) {
      std::string text;
      llvm::raw_string_ostream(text) << other.params;
      remark::analysis(
          op->getLoc(),
          remark::RemarkOpts::name("Template").category(getArgument()))
          << (other.params == chosen ? "chosen: " : "alternative: ") + text +
                 ", " + std::to_string(static_cast<int64_t>(other.cycles)) +
                 " cycles";
    }
  }

  /// Ops whose rows are reduced later.
  llvm::SmallPtrSet<Operation *, 4> reduced;
  /// Ops that had a template before.
  llvm::SmallPtrSet<Operation *, 4> given;
};
} // namespace

} // namespace gc::graph
