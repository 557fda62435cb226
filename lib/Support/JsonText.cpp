// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gc;

/// Whether the parser would recurse too deeply for the text.
static bool isDeep(StringRef text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString && c == '\\')
      ++i;
    else if (c == '"')
      isString = !isString;
    else if (!isString && (c == '[' || c == '{') && ++depth > kDeepest)
      return true;
    else if (!isString && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

Expected<json::Value> gc::parseJson(StringRef text) {
  if (isDeep(text))
    return createStringError(inconvertibleErrorCode(),
                             "brackets are nested too deeply");
  Expected<json::Value> root = json::parse(text);
  if (!root)
    return createStringError(inconvertibleErrorCode(),
                             "not valid JSON: " + toString(root.takeError()));
  return root;
}

std::string gc::quote(StringRef text) {
  std::string result = "'";
  raw_string_ostream os(result);
  printEscapedString(text.take_front(40), os);
  os << (text.size() > 40 ? "...'" : "'");
  return result;
}

bool JsonReader::fail(const Twine &text) {
  if (message.empty())
    message = text.str();
  return false;
}

bool JsonReader::checkKeys(const json::Object &object,
                           ArrayRef<StringRef> needed,
                           ArrayRef<StringRef> others, const Twine &where) {
  for (StringRef key : needed)
    if (!object.get(key))
      return fail(where + " has no '" + key + "'");
  for (const auto &entry : object)
    if (!is_contained(needed, StringRef(entry.first)) &&
        !is_contained(others, StringRef(entry.first)))
      return fail(where + " has an unknown key " + quote(entry.first));
  return true;
}

bool JsonReader::getText(const json::Object &object, StringRef key,
                         std::string &text, const Twine &where) {
  const json::Value *value = object.get(key);
  if (!value)
    return true;
  std::optional<StringRef> given = value->getAsString();
  if (!given)
    return fail(where + ": '" + key + "' is not a string");
  text = given->str();
  return true;
}

bool JsonReader::getCount(const json::Object &object, StringRef key,
                          int64_t &number, const Twine &where) {
  const json::Value *value = object.get(key);
  if (!value)
    return true;
  number = value->getAsInteger().value_or(0);
  if (number < 1)
    return fail(where + ": '" + key + "' is not a positive integer");
  return true;
}
