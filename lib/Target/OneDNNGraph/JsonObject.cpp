// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JsonObject.h"

#include <cmath>

using namespace mlir;
using namespace gc::onednn;
namespace json = llvm::json;

// A number is turned into T or, where it does not fit, into nothing.

static std::optional<uint64_t> toId(const json::Value &value) {
  return value.getAsUINT64();
}

static std::optional<int64_t> toInteger(const json::Value &value) {
  return value.getAsInteger();
}

static std::optional<float> toFloat(const json::Value &value) {
  std::optional<double> number = value.getAsNumber();
  if (!number)
    return std::nullopt;
  float result = static_cast<float>(*number);
  // Numbers beyond all doubles are infinite.
  return std::isfinite(result) || std::isinf(*number) ? std::optional(result)
                                                      : std::nullopt;
}

static std::optional<bool> toBool(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return flag;
  std::optional<int64_t> number = value.getAsInteger();
  if (number && (*number == 0 || *number == 1))
    return *number == 1;
  return std::nullopt;
}

const json::Value *JsonObject::get(StringRef key) const {
  const json::Value *value = object.get(key);
  if (!value)
    error() << "there is no '" << key << "'";
  return value;
}

/// Field `key` converted by `convert`; `expected` says what it must be.
template <typename Convert>
static auto getScalar(const JsonObject &object, StringRef key,
                      StringRef expected, Convert convert)
    -> FailureOr<std::decay_t<decltype(*convert(*object.get(key)))>> {
  const json::Value *value = object.get(key);
  if (!value)
    return failure();
  auto result = convert(*value);
  if (!result)
    return object.error() << "'" << key << "' is not " << expected;
  return *result;
}

/// Field `key`, a list whose elements are converted by `convert`.
template <typename Convert>
static auto getList(const JsonObject &object, StringRef key, StringRef expected,
                    Convert convert)
    -> FailureOr<
        SmallVector<std::decay_t<decltype(*convert(*object.get(key)))>>> {
  FailureOr<const json::Array *> array = object.getArray(key);
  if (failed(array))
    return failure();
  SmallVector<std::decay_t<decltype(*convert(*object.get(key)))>> result;
  for (const json::Value &value : **array) {
    auto element = convert(value);
    if (!element)
      return object.error()
             << "'" << key << "' has an element that is not " << expected;
    result.push_back(*element);
  }
  return result;
}

static constexpr StringLiteral kId = "an unsigned 64-bit integer";
static constexpr StringLiteral kInteger = "a signed 64-bit integer";
static constexpr StringLiteral kFloat = "a finite 32-bit number";

FailureOr<StringRef> JsonObject::getString(StringRef key) const {
  return getScalar(*this, key, "a string", [](const json::Value &value) {
    return value.getAsString();
  });
}

FailureOr<uint64_t> JsonObject::getId(StringRef key) const {
  return getScalar(*this, key, kId, toId);
}

FailureOr<int64_t> JsonObject::getInteger(StringRef key) const {
  return getScalar(*this, key, kInteger, toInteger);
}

FailureOr<bool> JsonObject::getBool(StringRef key) const {
  return getScalar(*this, key, "0 or 1", toBool);
}

FailureOr<float> JsonObject::getFloat(StringRef key) const {
  return getScalar(*this, key, kFloat, toFloat);
}

FailureOr<const json::Array *> JsonObject::getArray(StringRef key) const {
  const json::Value *value = get(key);
  if (!value)
    return failure();
  if (const json::Array *array = value->getAsArray())
    return array;
  return error() << "'" << key << "' is not a list";
}

FailureOr<const json::Object *> JsonObject::getObject(StringRef key) const {
  const json::Value *value = get(key);
  if (!value)
    return failure();
  if (const json::Object *nested = value->getAsObject())
    return nested;
  return error() << "'" << key << "' is not an object";
}

FailureOr<SmallVector<uint64_t>> JsonObject::getIds(StringRef key) const {
  return getList(*this, key, kId, toId);
}

FailureOr<SmallVector<int64_t>> JsonObject::getIntegers(StringRef key) const {
  return getList(*this, key, kInteger, toInteger);
}

FailureOr<SmallVector<float>> JsonObject::getFloats(StringRef key) const {
  return getList(*this, key, kFloat, toFloat);
}
