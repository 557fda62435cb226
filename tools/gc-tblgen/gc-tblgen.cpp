// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What mlir-tblgen does not generate: the table of operations, from the
// definitions of the ops themselves. Run by the build, not installed.

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

#include <map>

using namespace llvm;
using namespace mlir::tblgen;

namespace {

/// Writes the tables of one op and its row.
class OpRow {
public:
  OpRow(const Record &record, raw_ostream &os)
      : record(record), op(record), os(os) {}

  void emitParts() {
    emitAttrs();
    emitValues(
        "Operands", op.getNumOperands(), "variadicOperands",
        [&](int i) -> const NamedTypeConstraint & { return op.getOperand(i); });
    emitValues(
        "Results", op.getNumResults(), "variadicResults",
        [&](int i) -> const NamedTypeConstraint & { return op.getResult(i); });
  }

  void emitRow(raw_ostream &row) {
    std::string name = op.getCppClassName().str();
    row << formatv("    {{\"{0}\", \"{1}\", \"{2}\", k{3}Operands, "
                   "k{3}Results, k{3}Attrs, {4}},\n",
                   record.getValueAsString("onednnKind"), op.getOperationName(),
                   op.getSummary(), name,
                   record.getValueAsBit("anyAttrs") ? "true" : "false");
  }

private:
  bool isListed(StringRef field, StringRef name) {
    return is_contained(record.getValueAsListOfStrings(field), name);
  }

  /// The type of the format for an attribute, empty if it has none.
  static StringRef getAttrType(const Attribute &attr) {
    return StringSwitch<StringRef>(attr.getAttrDefName())
        .Case("BoolAttr", "Bool")
        .Case("I64Attr", "S64")
        .Case("DenseI64ArrayAttr", "S64List")
        .Case("F32Attr", "F32")
        .Case("DenseF32ArrayAttr", "F32List")
        .Case("StrAttr", "String")
        .Default("");
  }

  void emitAttrs() {
    std::string text;
    raw_string_ostream rows(text);
    for (const NamedAttribute &attr : op.getAttributes()) {
      if (isListed("extensionAttrs", attr.name))
        continue;
      StringRef type = getAttrType(attr.attr.getBaseAttr());
      if (type.empty())
        PrintFatalError(record.getLoc(),
                        "attribute '" + attr.name +
                            "' is of no type that oneDNN Graph has; is it one "
                            "of extensionAttrs?");
      bool required =
          !attr.attr.hasDefaultValue() || isListed("requiredAttrs", attr.name);
      std::string value;
      if (attr.attr.hasDefaultValue())
        value = attr.attr.getDefaultValue().str();
      rows << formatv("    {{\"{0}\", AttrType::{1}, AttrUse::{2}, {3}, "
                      "R\"({4})\"},\n",
                      attr.name, type, required ? "Required" : "Optional",
                      isListed("anyCaseAttrs", attr.name) ? "true" : "false",
                      value);
    }
    for (StringRef hint : record.getValueAsListOfStrings("hintAttrs"))
      rows << formatv("    {{\"{0}\", AttrType::String, AttrUse::Hint, false, "
                      "\"\"},\n",
                      hint);
    emitArray("AttrSpec", "Attrs", text);
  }

  template <typename Get>
  void emitValues(StringRef what, int count, StringRef names, Get get) {
    std::string text;
    raw_string_ostream rows(text);
    auto add = [&](StringRef name, const NamedTypeConstraint &value,
                   StringRef arity) {
      const Record &type = value.constraint.getDef();
      // Optional and variadic ones wrap the type.
      const Record *base = &type;
      if (type.getValue("baseType"))
        base = type.getValueAsDef("baseType");
      if (!base->getValue("elements"))
        PrintFatalError(record.getLoc(),
                        "'" + name + "' is not of a Graph_TensorOf");
      rows << formatv("    {{\"{0}\", \"{1}\", Arity::{2}},\n", name,
                      base->getValueAsString("elements"), arity);
    };
    for (int i = 0; i < count; ++i) {
      const NamedTypeConstraint &value = get(i);
      auto parts = record.getValueAsListOfStrings(names);
      if (value.isVariadic() && !parts.empty())
        for (StringRef part : parts)
          add(part, value, "Optional");
      else
        add(value.name, value,
            value.isVariadic()   ? "Any"
            : value.isOptional() ? "Optional"
                                 : "One");
    }
    emitArray("ValueSpec", what, text);
  }

  void emitArray(StringRef type, StringRef suffix, StringRef rows) {
    std::string name = ("k" + op.getCppClassName() + suffix).str();
    if (rows.empty())
      os << formatv("static constexpr llvm::ArrayRef<{0}> {1};\n", type, name);
    else
      os << formatv("static constexpr {0} {1}[] = {{\n{2}};\n", type, name,
                    rows);
  }

  const Record &record;
  Operator op;
  raw_ostream &os;
};

bool emitOpTable(raw_ostream &os, const RecordKeeper &records) {
  os << "// Generated from the definitions of the ops.\n\n";
  std::map<std::string, const Record *> sorted;
  for (const Record *record : records.getAllDerivedDefinitions("Graph_Op"))
    sorted[Operator(record).getOperationName()] = record;
  std::string rows;
  raw_string_ostream rowStream(rows);
  for (auto &[name, record] : sorted) {
    OpRow row(*record, os);
    row.emitParts();
    row.emitRow(rowStream);
  }
  os << "\nstatic constexpr OpSpec kOps[] = {\n" << rows << "};\n";
  return false;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "GC's generator of tables\n");
  return TableGenMain(argv[0], emitOpTable);
}
