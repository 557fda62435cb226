// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Fingerprint.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

std::string gc::getFingerprint(llvm::StringRef text) {
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

std::string
gc::getFingerprint(FunctionOpInterface function,
                   llvm::ArrayRef<llvm::StringRef> argumentAttributes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    for (llvm::StringRef name : argumentAttributes)
      if (Attribute value = function.getArgAttr(i, name))
        os << i << ' ' << name << '=' << value << '\n';
  MLIRContext *context = function.getContext();
  FunctionOpInterface copy = function.clone();
  copy.removeArgAttrsAttr();
  copy.removeResAttrsAttr();
  copy->setAttrs(DictionaryAttr::get(
      context, {NamedAttribute(
                    StringAttr::get(context, SymbolTable::getSymbolAttrName()),
                    StringAttr::get(context, "f")),
                NamedAttribute(StringAttr::get(context, "function_type"),
                               TypeAttr::get(function.getFunctionType()))}));
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64).useLocalScope();
  copy->print(os, flags);
  copy->destroy();
  return getFingerprint(text);
}
