// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/TunedFile.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace gc;

std::string TunedFile::explainMismatch(StringRef fingerprint) const {
  if (!isOwnVersion())
    return formatv("the file's version is not {0}, the one of this compiler",
                   ownVersion);
  if (machine != fingerprint)
    return formatv("it is for the machine {0}, but this one is {1}", machine,
                   fingerprint);
  return "";
}

std::string TunedFile::print(StringRef list, json::Array entries) const {
  json::Object object{{"version", ownVersion}, {"machine", machine}};
  object[list] = std::move(entries);
  return formatv("{0:2}\n", json::Value(std::move(object))).str();
}

bool TunedFile::read(
    StringRef text, StringRef list, JsonReader &reader,
    function_ref<bool(const json::Value &, size_t)> readEntry) {
  Expected<json::Value> root = parseJson(text);
  if (!root)
    return reader.fail(toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object)
    return reader.fail("the file is not a JSON object");
  if (!object->get("version"))
    return reader.fail("the file has no 'version'");
  std::optional<int64_t> given = object->getInteger("version");
  if (!given)
    return reader.fail("the file's version is not a number");
  version = *given;
  if (!isOwnVersion())
    return true;
  if (!reader.checkKeys(*object, {"version", "machine", list}, {},
                        "the file") ||
      !reader.getText(*object, "machine", machine, "the file"))
    return false;
  const json::Array *entries = object->getArray(list);
  if (!entries)
    return reader.fail("'" + list + "' is not an array");
  return all_of(enumerate(*entries), [&](const auto &entry) {
    return readEntry(entry.value(), entry.index());
  });
}

LogicalResult gc::writeText(mlir::ModuleOp module, StringRef file,
                            StringRef text, StringRef what) {
  std::string message;
  auto output = mlir::openOutputFile(file, &message);
  if (!output)
    return module.emitError(what) << " cannot be written: " << message;
  output->os() << text;
  output->os().flush();
  if (output->os().has_error()) {
    message = output->os().error().message();
    output->os().clear_error();
    return module.emitError(what)
           << " cannot be written to '" << file << "': " << message;
  }
  output->keep();
  return success();
}
