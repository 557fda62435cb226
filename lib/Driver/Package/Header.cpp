// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

namespace {

class HeaderWriter {
public:
  HeaderWriter(const PackageInterface &package, raw_ostream &os)
      : package(package), name(package.name),
        prefix(StringRef(package.name).upper()), os(os) {}

  void write();

private:
  void writeSizes();
  void writeTensor(const PackageTensor &tensor, StringRef kind);
  void writeFunctions();
  void writeParameters(bool first);

  const PackageInterface &package;
  StringRef name;
  std::string prefix;
  raw_ostream &os;
};

/// Text in a comment of C, on one line.
std::string inComment(StringRef text) {
  std::string result;
  for (char c : text)
    result += isPrint(c) ? c : '?';
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result[at + 1] = '?';
  for (size_t at; (at = result.find("/*")) != std::string::npos;)
    result[at + 1] = '?';
  return result;
}

std::string inString(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  for (unsigned char c : text)
    if (c == '"' || c == '\\' || !isPrint(c) || c == '?')
      os << '\\' << char('0' + c / 64) << char('0' + c / 8 % 8)
         << char('0' + c % 8);
    else
      os << char(c);
  return result;
}

void HeaderWriter::writeTensor(const PackageTensor &tensor, StringRef kind) {
  os << "\n/* " << kind << " " << inComment(tensor.name) << ": "
     << tensor.describe();
  if (tensor.isConstant)
    os << ", the same in every call";
  os << " */\n";
  std::string macro = prefix + "_" + StringRef(tensor.identifier).upper();
  os << "#define " << macro << "_NAME \"" << inString(tensor.name) << "\"\n"
     << "#define " << macro << "_TYPE \"" << tensor.type << "\"\n"
     << "#define " << macro << "_RANK " << tensor.shape.size() << "\n";
  auto writeList = [&](StringRef what, ArrayRef<int64_t> values) {
    os << "#define " << macro << "_" << what << " {";
    interleaveComma(values, os);
    os << "}\n";
  };
  if (!tensor.shape.empty())
    writeList("SHAPE", tensor.shape);
  if (!tensor.strides.empty())
    writeList("STRIDES", tensor.strides);
  os << "#define " << macro << "_BYTES " << tensor.bytes << "\n";
}

void HeaderWriter::writeSizes() {
  int64_t inputs = count_if(package.inputs, [](const PackageTensor &input) {
    return !input.isInFile;
  });
  os << "#define " << prefix << "_COMPILER_VERSION \"" GC_VERSION "\"\n"
     << "/* Threads that the work was divided among. */\n"
     << "#define " << prefix << "_THREADS " << package.threads << "\n"
     << "/* Instruction sets that the code uses. */\n"
     << "#define " << prefix << "_FEATURES \""
     << inString(printFeatures(package.features)) << "\"\n"
     << "/* Memory for temporaries of one call on a number of threads, and "
        "its\n"
     << " * alignment. */\n"
     << "#define " << prefix << "_ARENA_BYTES(threads) ("
     << package.arenaSharedBytes << " + " << package.arenaThreadBytes
     << " * (threads))\n"
     << "#define " << prefix << "_ARENA_ALIGNMENT " << package.arenaAlignment
     << "\n"
     << "/* Memory for constants in the form in which the code reads them. */\n"
     << "#define " << prefix << "_CONSTANT_BYTES " << package.constantBytes
     << "\n"
     << "#define " << prefix << "_NUM_INPUTS " << inputs << "\n"
     << "#define " << prefix << "_NUM_OUTPUTS " << package.outputs.size()
     << "\n";
  if (package.hasFile())
    os << "/* The file of weights. */\n#define " << prefix << "_WEIGHTS \""
       << name << ".safetensors\"\n";
  for (const PackageTensor &input : package.inputs)
    if (!input.isInFile)
      writeTensor(input, "Input");
  for (const PackageTensor &output : package.outputs)
    writeTensor(output, "Output");
}

void HeaderWriter::writeParameters(bool first) {
  auto separate = [&] {
    os << (first ? "\n    " : ",\n    ");
    first = false;
  };
  for (const PackageTensor &input : package.inputs)
    if (!input.isInFile) {
      separate();
      os << "const " << input.cType << " *" << input.identifier;
    }
  for (const PackageTensor &output : package.outputs) {
    separate();
    os << output.cType << " *" << output.identifier;
  }
  os << (first ? "void);\n" : ");\n");
}

void HeaderWriter::writeFunctions() {
  bool hasConstants = any_of(package.inputs, [](const PackageTensor &input) {
    return input.isConstant && !input.isInFile;
  });
  os << "/* What all functions return. */\n"
     << "enum {\n"
     << "  " << prefix << "_OK = 0,\n"
     << "  " << prefix << "_INVALID_ARGUMENT = 1,\n"
     << "  " << prefix << "_OUT_OF_MEMORY = 2,\n"
     << "  /* another version of the runtime, or another processor */\n"
     << "  " << prefix << "_UNSUPPORTED = 3,\n"
     << "  " << prefix << "_RUNTIME_ERROR = 4\n"
     << "};\n\n"
     << "/* Why the last call of this thread failed. */\n"
     << "const char *" << name << "_error(void);\n\n";
  if (package.hasFile())
    os << "/* Checks the processor and maps the file of weights; to be called "
          "once,\n"
       << " * before anything else. */\n"
       << "int32_t " << name << "_load(const char *weights);\n\n";
  else
    os << "/* Checks the processor and prepares the code. The first execution "
          "does so\n"
       << " * where a program does not. */\n"
       << "int32_t " << name << "_load(void);\n\n";
  os << "/* Executes the graph on the runtime's plain threads. Several threads "
        "may call\n"
     << " * it at the same time. After the first call nothing is allocated.";
  if (hasConstants)
    os << "\n * Inputs that are the same in every call are recognised by their "
          "addresses:\n"
       << " * call " << name << "_unload when their content has changed.";
  os << " */\nint32_t " << name << "(";
  writeParameters(/*first=*/true);
  os << "\n/* The same on threads of the caller's, and with its memory. "
        "executor: see\n"
     << " * Runtime/Runtime.h; NULL for plain threads. threads: 0 for "
     << prefix << "_THREADS.\n"
     << " * arena: " << prefix << "_ARENA_BYTES(threads) bytes, or NULL. */\n"
     << "struct gc_executor;\n"
     << "int32_t " << name << "_with(\n"
     << "    const struct gc_executor *executor, int64_t threads, void *arena";
  writeParameters(/*first=*/false);
  os << "\n/* Frees everything; no call may be in progress. The next call "
        "loads "
        "again. */\n"
     << "void " << name << "_unload(void);\n\n"
     << "/* The graph as Runtime/Runtime.h describes it, for programs that use "
        "the\n"
     << " * runtime directly. */\n"
     << "struct gc_module;\n"
     << "extern const struct gc_module " << name << "_module;\n";
}

void HeaderWriter::write() {
  os << "/* The graph " << inComment(package.source)
     << ", compiled by gc-compile " << GC_VERSION << "\n * for "
     << inComment(package.machine) << " and " << package.threads
     << (package.threads == 1 ? " thread" : " threads") << ". */\n\n"
     << "#ifndef GC_PACKAGE_" << prefix << "_H\n#define GC_PACKAGE_" << prefix
     << "_H\n\n#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  writeSizes();
  os << "\n";
  writeFunctions();
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* GC_PACKAGE_" << prefix
     << "_H */\n";
}

} // namespace

std::string gc::writePackageHeader(const PackageInterface &package) {
  std::string text;
  raw_string_ostream os(text);
  HeaderWriter(package, os).write();
  return text;
}
