// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of a package, as LLVM IR: each puts its parameters into arrays
// and calls the runtime (Runtime/Package.h).

#include "Interface.h"
#include "Runtime/Package.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

static_assert(sizeof(gc_weight) == 48 && sizeof(gc_package) == 40,
              "the types below are those of Package.h");

namespace {

class FunctionWriter {
public:
  FunctionWriter(const PackageInterface &package, raw_ostream &os)
      : package(package), name(package.name), os(os) {}

  void write();

private:
  void writeString(const Twine &symbol, StringRef text);
  void writeWeights();
  void writeExecute(StringRef suffix, bool withOptions);

  const PackageInterface &package;
  StringRef name;
  raw_ostream &os;
};

void FunctionWriter::writeString(const Twine &symbol, StringRef text) {
  os << "@" << symbol << " = private constant [" << text.size() + 1
     << " x i8] c\"";
  printEscapedString(text, os);
  os << "\\00\"\n";
}

void FunctionWriter::writeWeights() {
  ArrayRef<PackageWeight> weights = package.weights;
  for (auto [i, weight] : enumerate(weights)) {
    writeString("weight_name_" + Twine(i), weight.name);
    writeString("weight_type_" + Twine(i), weight.fileType);
    os << "@weight_shape_" << i << " = private constant ["
       << weight.shape.size() << " x i64] [";
    interleaveComma(weight.shape, os,
                    [&](int64_t size) { os << "i64 " << size; });
    os << "]\n";
  }
  os << "%weight = type { ptr, ptr, i64, ptr, i64, i32, i32 }\n"
     << "@weights = private constant [" << weights.size() << " x %weight] [";
  interleaveComma(enumerate(weights), os, [&](const auto &entry) {
    const PackageWeight &weight = entry.value();
    size_t i = entry.index();
    os << "\n  %weight { ptr @weight_name_" << i << ", ptr @weight_type_" << i
       << ", i64 " << weight.shape.size() << ", ptr @weight_shape_" << i
       << ", i64 " << weight.data.size() << ", i32 " << weight.index << ", i32 "
       << int(weight.isFolded) << " }";
  });
  os << "]\n";
}

void FunctionWriter::writeExecute(StringRef suffix, bool withOptions) {
  os << "define i32 @" << name << suffix << "(";
  std::string separator;
  if (withOptions) {
    os << "ptr %executor, i64 %threads, ptr %arena";
    separator = ", ";
  }
  for (auto [i, input] : enumerate(package.inputs))
    if (!input.isInFile) {
      os << separator << "ptr %in" << i;
      separator = ", ";
    }
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    os << separator << "ptr %out" << i;
    separator = ", ";
  }
  os << ") {\n";
  size_t inputs = package.inputs.size(), outputs = package.outputs.size();
  os << "  %ins = alloca [" << std::max<size_t>(inputs, 1) << " x ptr]\n"
     << "  %outs = alloca [" << std::max<size_t>(outputs, 1) << " x ptr]\n";
  // The runtime fills in what comes from the file.
  auto store = [&](StringRef array, size_t size, size_t i, bool isLater) {
    os << "  %" << array << "at" << i << " = getelementptr [" << size
       << " x ptr], ptr %" << array << "s, i64 0, i64 " << i << "\n"
       << "  store ptr "
       << (isLater ? std::string("null") : ("%" + array + Twine(i)).str())
       << ", ptr %" << array << "at" << i << "\n";
  };
  for (size_t i = 0; i < inputs; ++i)
    store("in", inputs, i, package.inputs[i].isInFile);
  for (size_t i = 0; i < outputs; ++i)
    store("out", outputs, i, /*isLater=*/false);
  os << "  %status = call i32 @gc_package_execute(ptr @" << name
     << "_package, ptr @loaded, "
     << (withOptions ? "ptr %executor, i64 %threads, " : "ptr null, i64 0, ")
     << "ptr %ins, ptr %outs, " << (withOptions ? "ptr %arena" : "ptr null")
     << ")\n"
     << "  ret i32 %status\n}\n";
}

void FunctionWriter::write() {
  os << "@loaded = internal global ptr null\n"
     << "@" << name << "_module = external constant i8\n";
  if (package.hasFile())
    writeWeights();
  if (!package.folded.empty()) {
    for (auto [i, data] : enumerate(package.folded))
      os << "@folded_data_" << i << " = external constant [" << data.size()
         << " x i8]\n";
    os << "@folded = private constant [" << package.folded.size()
       << " x ptr] [";
    interleaveComma(seq<size_t>(0, package.folded.size()), os,
                    [&](size_t i) { os << "ptr @folded_data_" << i; });
    os << "]\n";
  }
  os << "@" << name
     << "_package = internal constant { i32, i32, ptr, i64, ptr, "
     << "ptr } { i32 " << GC_PACKAGE_VERSION << ", i32 "
     << package.weights.size() << ", ptr @" << name << "_module, i64 "
     << package.threads << ", ptr " << (package.hasFile() ? "@weights" : "null")
     << ", ptr " << (package.folded.empty() ? "null" : "@folded") << " }\n"
     << "declare i32 @gc_package_load(ptr, ptr, ptr)\n"
     << "declare i32 @gc_package_execute(ptr, ptr, ptr, i64, ptr, ptr, ptr)\n"
     << "declare void @gc_package_unload(ptr)\n"
     << "declare ptr @gc_last_error()\n";
  writeExecute("", /*withOptions=*/false);
  writeExecute("_with", /*withOptions=*/true);
  os << "define i32 @" << name << "_load("
     << (package.hasFile() ? "ptr %weights" : "") << ") {\n"
     << "  %status = call i32 @gc_package_load(ptr @" << name
     << "_package, ptr @loaded, ptr "
     << (package.hasFile() ? "%weights" : "null") << ")\n"
     << "  ret i32 %status\n}\n"
     << "define void @" << name << "_unload() {\n"
     << "  call void @gc_package_unload(ptr @loaded)\n  ret void\n}\n"
     << "define ptr @" << name << "_error() {\n"
     << "  %message = call ptr @gc_last_error()\n  ret ptr %message\n}\n";
}

} // namespace

std::string gc::writePackageFunctions(const PackageInterface &package) {
  std::string text;
  raw_string_ostream os(text);
  FunctionWriter(package, os).write();
  return text;
}
