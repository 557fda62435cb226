// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program can be compiled for and run on, behind one interface: tools
// and tests use this header and find targets by name in a registry. A target
// has its own options, as a typed structure.

#ifndef GC_DRIVER_TARGET_H
#define GC_DRIVER_TARGET_H

#include "Driver/Driver.h"
#include "Driver/Explain.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
class raw_pwrite_stream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace gc {

/// What a target may support besides compiling a program and running it once.
enum class Ability : unsigned {
  /// A number of threads.
  threads = 1 << 0,
  /// Repeated runs with their times.
  bench = 1 << 1,
  /// A file that shows what happened when.
  trace = 1 << 2,
  /// What the compiler makes of a program, as text or as an object file.
  emit = 1 << 3,
  /// Results that are worth comparing with the reference's.
  check = 1 << 4,
  /// The passes that a program goes through, as text.
  pipeline = 1 << 5,
  /// Where the time goes, what limits it, and by which decisions.
  explain = 1 << 6,
};

/// Options of one target; each derives its own.
struct TargetOptions {
  virtual ~TargetOptions();
};

/// An option of a target, as tools offer it on their command line.
struct TargetFlag {
  llvm::StringRef name;
  /// What its value is called in the help; empty if it takes none.
  llvm::StringRef value;
  llvm::StringRef description;
  /// Reads the value into the target's own options.
  llvm::Error (*set)(TargetOptions &options, llvm::StringRef value);
};

/// Requests that are the same for all targets; a target without the ability for
/// one is not asked.
struct RunOptions {
  /// What the program is called in reports and pictures.
  std::string name;
  /// Threads to plan for and to run with; 0 until they are chosen.
  int64_t threads = 0;
  bool bench = false;
  /// Uncounted warm-up runs of a benchmark, and the minimum total time in
  /// seconds of the others.
  int64_t warmup = 2;
  double minTime = 1;
  /// Where the trace goes; empty: none.
  std::string trace;
  /// Whether runs are to be explained.
  bool explain = false;
  /// What gc-tune has to be told to read the same graph for the same machine;
  /// empty if it cannot.
  std::string tuneArguments;
  /// The database of templates that it then writes, and what to type to use it
  /// besides what the caller has typed.
  std::string tunedDatabase, databaseArgument;
  /// Whether the caller gives inputs of its own or looks at results.
  bool needsValues = false;
  /// Where programs that are compiled one after the other, for several sizes,
  /// keep constants that they have in common; null: each has its own.
  std::shared_ptr<SharedConstants> constants;
  /// Whether the caller does not use the graph once it is compiled, so that it
  /// need not keep its large constants.
  bool isLastUse = false;
};

/// The function that a target runs.
struct Program {
  mlir::func::FuncOp function;
  /// The graph that says which inputs and results there are and that the
  /// reference evaluates; null if the program names none.
  mlir::func::FuncOp graph;
  /// Remarks on what was compiled in order to find it.
  std::vector<Remark> remarks;
};

/// One of several steps of a run, with the values that it read and wrote.
struct ProgramPart {
  std::string name;
  /// What it computes.
  mlir::func::FuncOp graph;
  std::vector<void *> inputs, outputs;
};

/// A compiled program, ready to run, with what is known about its runs.
class Executable {
public:
  virtual ~Executable();

  /// Remarks and warnings of the compiler.
  virtual llvm::ArrayRef<Remark> getRemarks() const { return {}; }

  /// Runs the program, as often as the options say. Buffers are one for each
  /// argument and result of the program's graph, laid out as their types say;
  /// null where the target computes no values. A program without a graph gets
  /// none.
  virtual llvm::Error run(const RunOptions &options,
                          llvm::ArrayRef<void *> inputs,
                          llvm::ArrayRef<void *> outputs) = 0;

  /// After a run: its steps, if there are several that can be checked alone.
  virtual std::vector<ProgramPart> getParts() const { return {}; }

  /// After a run with RunOptions::explain, of targets with that ability.
  virtual std::optional<Explanation> getExplanation() const {
    return std::nullopt;
  }

  /// Prints what is known about the compilation and the runs, for people.
  virtual void print(llvm::raw_ostream &os) const = 0;
  /// The same as members of an open JSON object.
  virtual void writeJson(llvm::json::OStream &json) const = 0;
};

class Target {
public:
  Target(llvm::StringRef name, llvm::StringRef description,
         llvm::ArrayRef<Ability> abilities);
  virtual ~Target();

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getDescription() const { return description; }
  bool has(Ability ability) const {
    return abilities & static_cast<unsigned>(ability);
  }

  /// New options with their defaults, and the flags that set them.
  virtual std::unique_ptr<TargetOptions> makeOptions() const;
  virtual llvm::ArrayRef<TargetFlag> getFlags() const { return {}; }
  /// Called once, when all flags are set: rejects contradictory options.
  virtual llvm::Error finishOptions(TargetOptions &options,
                                    const RunOptions &runOptions) const;

  /// Files that the target's own options ask for; empty names are none.
  virtual llvm::SmallVector<llvm::StringRef>
  getOutputs(const TargetOptions &options) const {
    return {};
  }

  /// Whether a graph may have ops of unknown kinds.
  virtual bool takesUnknownKinds(const TargetOptions &options) const {
    return false;
  }
  /// The program named `entry`; with an empty name the default one. The error
  /// lists what there is. The options are this target's own.
  virtual llvm::Expected<Program> find(mlir::ModuleOp module,
                                       llvm::StringRef entry,
                                       const TargetOptions &options) const;
  /// Chooses the number of threads if none was given: that of the machine the
  /// module is compiled for, and no more than the host has if it is to run
  /// here.
  virtual llvm::Error chooseThreads(mlir::ModuleOp module, bool runsHere,
                                    TargetOptions &options,
                                    RunOptions &runOptions) const;
  /// Whether running it computes values.
  virtual bool hasValues(const TargetOptions &options) const { return true; }

  /// Compiles and loads the program; only what depends on values is left for
  /// the first run. The options are this target's own.
  virtual llvm::Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &options,
          const RunOptions &runOptions) const = 0;

  /// Only for targets with the abilities `emit` and `pipeline`. An empty
  /// `entry` means the whole module. Remarks of the compiler are appended to
  /// `remarks`.
  virtual llvm::Error emit(mlir::ModuleOp module, llvm::StringRef entry,
                           const TargetOptions &options, EmitKind kind,
                           llvm::raw_pwrite_stream &os,
                           std::vector<Remark> &remarks) const;
  virtual std::string printPipeline(const TargetOptions &options) const;

private:
  std::string name, description;
  unsigned abilities = 0;
};

/// Targets by name.
class TargetRegistry {
public:
  /// The target's name must be unique.
  void add(std::unique_ptr<Target> target);
  /// In the order in which they were added.
  llvm::ArrayRef<std::unique_ptr<Target>> getTargets() const { return targets; }
  /// The error lists the available targets.
  llvm::Expected<const Target *> find(llvm::StringRef name) const;

private:
  std::vector<std::unique_ptr<Target>> targets;
};

/// Adds cpu, npu and reference.
void registerAllTargets(TargetRegistry &registry);

} // namespace gc

#endif // GC_DRIVER_TARGET_H
