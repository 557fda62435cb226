// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-fuzz-onnx: damaged ONNX models.
//
// A mutant has other bytes than one of the given models, or other fields: then
// it can still be read, and what it says is wrong. It must be imported, or give
// one error, in little more memory than it has bytes. Exit codes: 0 all good, 1
// not all, 2 bad usage.

#include "Isolate.h"
#include "Random.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <onnx/onnx_pb.h>

#include <sys/resource.h>

using namespace llvm;
using namespace gc;
using namespace gc::fuzz;

namespace {

struct Options {
  cl::OptionCategory category{"gc-fuzz-onnx options"};
  cl::list<std::string> models{cl::Positional, cl::desc("<models>"),
                               cl::OneOrMore, cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::value_desc("name=size|name=min..max"),
                             cl::desc("As of gc-translate"), cl::cat(category)};
  cl::opt<bool> partition{"partition", cl::desc("As of gc-translate"),
                          cl::cat(category)};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the mutants")};
  cl::opt<int64_t> count{"count", cl::init(100), cl::cat(category),
                         cl::desc("Number of mutants")};
  cl::opt<int64_t> first{"first", cl::init(0), cl::cat(category),
                         cl::desc("Index of the first mutant")};
  cl::opt<int64_t> jobs{"jobs", cl::init(2), cl::cat(category),
                        cl::desc("Processes at a time")};
  cl::opt<int64_t> batch{"batch", cl::init(200), cl::cat(category),
                         cl::desc("Mutants of one process")};
  cl::opt<int64_t> timeLimit{"time-limit", cl::init(20), cl::cat(category),
                             cl::desc("Seconds for one mutant")};
  cl::opt<std::string> save{"save", cl::value_desc("file"), cl::cat(category),
                            cl::desc("Write the first mutant instead")};
};

/// Memory besides twice the file that an import may take.
constexpr int64_t kBytesBesides = 64 << 20;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Changes the fields of a message.
class FieldMutator {
public:
  FieldMutator(Random &random, Message &root) : random(random) {
    collect(root);
  }

  /// One field of one of the messages.
  void mutate() {
    Message &message = *messages[random.below(messages.size())];
    const Reflection &fields = *message.GetReflection();
    std::vector<const FieldDescriptor *> set;
    fields.ListFields(message, &set);
    const auto *descriptor = message.GetDescriptor();
    const FieldDescriptor *field =
        set.empty() || random.percent(10)
            ? descriptor->field(random.below(descriptor->field_count()))
            : set[random.below(set.size())];
    if (field->is_repeated())
      mutateList(message, fields, *field);
    else if (random.percent(10))
      fields.ClearField(&message, field);
    else
      mutateOne(message, fields, *field);
  }

private:
  void collect(Message &message) {
    // The first ones of large models are enough.
    constexpr size_t kMost = 10000;
    if (messages.size() >= kMost)
      return;
    messages.push_back(&message);
    const Reflection &fields = *message.GetReflection();
    std::vector<const FieldDescriptor *> set;
    fields.ListFields(message, &set);
    for (const FieldDescriptor *field : set) {
      bool isMessage = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (field->type() == FieldDescriptor::TYPE_STRING)
        for (int i = 0, e = field->is_repeated()
                                ? fields.FieldSize(message, field)
                                : 1;
             i < e; ++i)
          texts.push_back(field->is_repeated()
                              ? fields.GetRepeatedString(message, field, i)
                              : fields.GetString(message, field));
      if (isMessage && field->is_repeated())
        for (int i = 0, e = fields.FieldSize(message, field); i < e; ++i)
          collect(*fields.MutableRepeatedMessage(&message, field, i));
      else if (isMessage)
        collect(*fields.MutableMessage(&message, field));
    }
  }

  int64_t getNumber(int64_t old) {
    switch (random.below(4)) {
    case 0:
      return random.between(-3, 40);
    case 1:
      return old + random.between(-2, 2);
    case 2:
      return random.pick<int64_t>({INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN,
                                   int64_t(1) << 31, int64_t(1) << 40});
    default:
      return static_cast<int64_t>(random.next() >> random.below(64));
    }
  }
  double getReal() {
    return random.pick<double>({0, -1, 1e-300, 1e300, NAN, INFINITY, 0.5, 3});
  }
  std::string getText(std::string old) {
    if (random.percent(60) && !texts.empty())
      return texts[random.below(texts.size())];
    if (old.empty() || random.percent(20))
      return random.percent(50) ? "" : "../../x";
    old[random.below(old.size())] = static_cast<char>(random.next());
    return random.percent(50) ? old : old.substr(0, random.below(old.size()));
  }

  void mutateList(Message &message, const Reflection &fields,
                  const FieldDescriptor &field) {
    int size = fields.FieldSize(message, &field);
    if (size > 0 && random.percent(40)) {
      fields.SwapElements(&message, &field, random.below(size), size - 1);
      if (random.percent(70))
        fields.RemoveLast(&message, &field);
      return;
    }
    using F = FieldDescriptor;
    int64_t at = size ? random.below(size) : 0;
    bool isNew = size == 0 || random.percent(30);
    switch (field.cpp_type()) {
    case F::CPPTYPE_INT64: {
      int64_t number =
          getNumber(size ? fields.GetRepeatedInt64(message, &field, at) : 0);
      isNew ? fields.AddInt64(&message, &field, number)
            : fields.SetRepeatedInt64(&message, &field, at, number);
      return;
    }
    case F::CPPTYPE_INT32: {
      auto number = static_cast<int32_t>(getNumber(0));
      isNew ? fields.AddInt32(&message, &field, number)
            : fields.SetRepeatedInt32(&message, &field, at, number);
      return;
    }
    case F::CPPTYPE_FLOAT: {
      auto number = static_cast<float>(getReal());
      isNew ? fields.AddFloat(&message, &field, number)
            : fields.SetRepeatedFloat(&message, &field, at, number);
      return;
    }
    case F::CPPTYPE_STRING: {
      std::string text =
          getText(size ? fields.GetRepeatedString(message, &field, at) : "");
      isNew ? fields.AddString(&message, &field, text)
            : fields.SetRepeatedString(&message, &field, at, text);
      return;
    }
    case F::CPPTYPE_MESSAGE: {
      // One of the same type from anywhere.
      std::vector<const Message *> same;
      for (const Message *other : messages)
        if (other->GetDescriptor() == field.message_type())
          same.push_back(other);
      if (same.empty())
        return;
      // It may be one that holds this one.
      std::unique_ptr<Message> copy(same[0]->New());
      copy->CopyFrom(*same[random.below(same.size())]);
      Message *place =
          isNew ? fields.AddMessage(&message, &field)
                : fields.MutableRepeatedMessage(&message, &field, at);
      place->CopyFrom(*copy);
      return;
    }
    default:
      if (size > 0)
        fields.RemoveLast(&message, &field);
    }
  }

  void mutateOne(Message &message, const Reflection &fields,
                 const FieldDescriptor &field) {
    using F = FieldDescriptor;
    switch (field.cpp_type()) {
    case F::CPPTYPE_INT64:
      return fields.SetInt64(&message, &field,
                             getNumber(fields.GetInt64(message, &field)));
    case F::CPPTYPE_INT32:
      return fields.SetInt32(
          &message, &field,
          static_cast<int32_t>(getNumber(fields.GetInt32(message, &field))));
    case F::CPPTYPE_ENUM:
      return fields.SetEnumValue(&message, &field, random.between(0, 30));
    case F::CPPTYPE_FLOAT:
      return fields.SetFloat(&message, &field, static_cast<float>(getReal()));
    case F::CPPTYPE_STRING:
      return fields.SetString(&message, &field,
                              getText(fields.GetString(message, &field)));
    default:
      fields.ClearField(&message, &field);
    }
  }

  Random &random;
  std::vector<Message *> messages;
  std::vector<std::string> texts;
};

class OnnxFuzzer {
public:
  OnnxFuzzer(const Options &options, mlir::MLIRContext *context)
      : options(options), context(context) {}

  /// False, with a message, if a model cannot be read.
  bool addSeeds();
  int run();
  int save();

private:
  struct Seed {
    std::string path, bytes;
    ::onnx::ModelProto model;
  };

  /// The bytes of a mutant, and the seed that it was made of.
  std::pair<const Seed *, std::string> make(int64_t index) const;
  static void mutateBytes(Random &random, std::string &bytes);
  /// What is bad about a mutant; empty if nothing is.
  std::string check(int64_t index, bool &imported) const;
  Outcome checkBatch(int64_t begin, int64_t end) const;

  const Options &options;
  mlir::MLIRContext *context;
  OnnxOptions onnx;
  std::vector<Seed> seeds;
};

} // namespace

bool OnnxFuzzer::addSeeds() {
  onnx.partition = options.partition;
  for (const std::string &dim : options.dims)
    if (Error error = onnx.addDim(dim)) {
      errs() << "gc-fuzz-onnx: error: --dim: " << toString(std::move(error))
             << "\n";
      return false;
    }
  for (const std::string &path : options.models) {
    auto file = MemoryBuffer::getFile(path);
    Seed seed{path, file ? (*file)->getBuffer().str() : "", {}};
    if (!file || !seed.model.ParseFromString(seed.bytes)) {
      errs() << "gc-fuzz-onnx: error: " << path << ": "
             << (file ? "is not an ONNX model" : file.getError().message())
             << "\n";
      return false;
    }
    seeds.push_back(std::move(seed));
  }
  return true;
}

void OnnxFuzzer::mutateBytes(Random &random, std::string &bytes) {
  size_t at = bytes.empty() ? 0 : random.below(bytes.size());
  size_t size = random.pick<size_t>({1, 1, 2, 8});
  switch (random.below(4)) {
  case 0:
    for (size_t i = at; i < std::min(at + size, bytes.size()); ++i)
      bytes[i] = static_cast<char>(random.next());
    return;
  case 1:
    bytes.erase(at, size);
    return;
  case 2:
    bytes.insert(at, bytes.substr(at, 4 * size));
    return;
  default:
    // A length or a number of ten bytes.
    bytes.insert(at, std::string(9, '\xff') + "\x01");
  }
}

std::pair<const OnnxFuzzer::Seed *, std::string>
OnnxFuzzer::make(int64_t index) const {
  Random random(options.seed, index);
  const Seed &seed = seeds[random.below(seeds.size())];
  int64_t changes = random.pick<int64_t>({1, 1, 1, 2, 4, 8});
  // Few changed bytes leave a file that can be read.
  if (random.percent(25)) {
    std::string bytes = seed.bytes;
    for (int64_t i = 0; i < changes; ++i)
      mutateBytes(random, bytes);
    return {&seed, bytes};
  }
  ::onnx::ModelProto model = seed.model;
  for (int64_t i = 0; i < changes; ++i)
    FieldMutator(random, model).mutate();
  return {&seed, model.SerializeAsString()};
}

static int64_t getPeakBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) << 10;
}

std::string OnnxFuzzer::check(int64_t index, bool &imported) const {
  auto [seed, bytes] = make(index);
  int64_t errors = 0;
  std::string first;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            ++errors == 1)
          first = diagnostic.str();
        return mlir::success();
      });
  // The context may keep constants longer than the bytes live.
  auto buffer = MemoryBuffer::getMemBufferCopy(bytes, seed->path);
  int64_t before = getPeakBytes();
  auto module = importOnnx(std::move(buffer), context, onnx);
  int64_t taken = getPeakBytes() - before;
  imported = bool(module);
  if (imported && errors > 0)
    return "is imported with an error: " + first;
  if (!imported && (errors != 1 || first.empty()))
    return formatv("{0} errors instead of one: {1}", errors, first);
  if (taken > 2 * int64_t(bytes.size()) + kBytesBesides)
    return formatv("{0} bytes of a file take {1} MiB", bytes.size(),
                   taken >> 20);
  return "";
}

Outcome OnnxFuzzer::checkBatch(int64_t begin, int64_t end) const {
  Outcome outcome;
  for (int64_t index = begin; index < end; ++index) {
    bool imported = false;
    std::string bad = check(index, imported);
    outcome.features.ops += imported;
    if (bad.empty())
      continue;
    outcome.status = Status::mismatch;
    outcome.message += formatv("mutant {0}: {1}\n", index, bad);
  }
  return outcome;
}

int OnnxFuzzer::save() {
  std::string bytes = make(options.first).second;
  if (Error error = writeToOutput(options.save, [&](raw_ostream &os) {
        os << bytes;
        return Error::success();
      })) {
    errs() << "gc-fuzz-onnx: error: " << options.save << ": "
           << toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}

int OnnxFuzzer::run() {
  auto [imported, bad] = runBatches(
      {options.first, options.count, options.batch, options.jobs,
       options.timeLimit},
      [&](int64_t begin, int64_t end) { return checkBatch(begin, end); },
      [](int64_t) { return std::string(); });
  outs() << formatv("{0} models, {1} mutants: {2} are imported, {3} are "
                    "refused, {4} are bad\n",
                    seeds.size(), options.count.getValue(), imported,
                    options.count - imported - bad, bad);
  return bad ? 1 : 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Imports damaged ONNX models.\n",
                                   &errs()))
    return 2;
  if (options.jobs < 1 || options.timeLimit < 1 || options.batch < 1 ||
      options.count < 0) {
    errs() << "gc-fuzz-onnx: error: --jobs, --batch and --time-limit must be "
              "at least 1, --count at least 0\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  OnnxFuzzer fuzzer(options, &context);
  if (!fuzzer.addSeeds())
    return 2;
  return options.save.empty() ? fuzzer.run() : fuzzer.save();
}
