// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes as sums of products of named dimensions.

#include "Dialect/Graph/IR/NamedDims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace gc::graph;

/// What no sum or product of sizes that matters reaches.
static constexpr int64_t kMost = int64_t(1) << 61;

/// Sums of more products, and products of more factors, are not sizes of
/// graphs; they take the largest number's place before they take up memory and
/// time.
static constexpr size_t kMostProducts = 256, kMostFactors = 16;

static int64_t addSaturating(int64_t a, int64_t b) {
  return std::clamp(a + b, -kMost, kMost);
}

static int64_t multiplySaturating(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return (a < 0) == (b < 0) ? kMost : -kMost;
  return std::clamp(product, -kMost, kMost);
}

SizeExpr::SizeExpr(int64_t constant) {
  add({}, std::clamp(constant, -kMost, kMost));
}

void SizeExpr::add(const Product &names, int64_t factor) {
  auto [term, isNew] = terms.try_emplace(names, 0);
  term->second = addSaturating(term->second, factor);
  if (term->second == 0)
    terms.erase(term);
}

SizeExpr SizeExpr::ofName(llvm::StringRef name) {
  SizeExpr result;
  result.add({name.str()}, 1);
  return result;
}

bool SizeExpr::isName(llvm::StringRef text) {
  auto starts = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !text.empty() && starts(text.front()) &&
         llvm::all_of(text, [&](char c) {
           return starts(c) || llvm::isDigit(c) || c == '.' || c == '$';
         });
}

std::optional<SizeExpr> SizeExpr::parse(llvm::StringRef text) {
  constexpr size_t kMostCharacters = 1024;
  if (text.size() > kMostCharacters)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> summands;
  text.split(summands, '+');
  SizeExpr sum;
  for (llvm::StringRef summand : summands) {
    llvm::SmallVector<llvm::StringRef> factors;
    summand.split(factors, '*');
    SizeExpr product(1);
    for (llvm::StringRef factor : factors) {
      factor = factor.trim();
      int64_t number;
      if (isName(factor))
        product = product * ofName(factor);
      else if (!factor.getAsInteger(10, number) && number >= 0)
        product = product * number;
      else
        return std::nullopt;
    }
    sum = sum + product;
  }
  return sum;
}

std::optional<int64_t> SizeExpr::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<std::string> SizeExpr::getName() const {
  if (terms.size() == 1 && terms.begin()->first.size() == 1 &&
      terms.begin()->second == 1)
    return terms.begin()->first.front();
  return std::nullopt;
}

std::vector<std::string> SizeExpr::getNames() const {
  std::vector<std::string> names;
  for (const auto &[product, factor] : terms)
    names.insert(names.end(), product.begin(), product.end());
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

SizeExpr SizeExpr::substitute(
    llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> getSize) const {
  SizeExpr result;
  for (const auto &[product, factor] : terms) {
    SizeExpr term(factor);
    for (const std::string &name : product) {
      std::optional<int64_t> size = getSize(name);
      term = term * (size ? SizeExpr(*size) : ofName(name));
    }
    result = result + term;
  }
  return result;
}

std::optional<std::string> SizeExpr::getSolvedName() const {
  std::optional<std::string> name;
  for (const auto &[product, factor] : terms) {
    if (product.empty())
      continue;
    if (product.size() > 1 || name || factor < 1)
      return std::nullopt;
    name = product.front();
  }
  return name;
}

std::optional<int64_t> SizeExpr::solve(llvm::StringRef name,
                                       int64_t size) const {
  if (getSolvedName() != name || size < 0 || size > kMost)
    return std::nullopt;
  int64_t factor = 1;
  for (const auto &[product, value] : terms) {
    if (product.empty())
      size = addSaturating(size, multiplySaturating(value, -1));
    else
      factor = value;
  }
  if (size < 0 || size % factor != 0)
    return std::nullopt;
  return size / factor;
}

std::optional<SizeExpr> SizeExpr::divide(const SizeExpr &by) const {
  if (by.terms.size() != 1)
    return std::nullopt;
  const auto &[divisor, number] = *by.terms.begin();
  SizeExpr result;
  for (const auto &[product, factor] : terms) {
    Product rest;
    std::set_difference(product.begin(), product.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(rest));
    if (factor % number != 0 || rest.size() + divisor.size() != product.size())
      return std::nullopt;
    result.add(rest, factor / number);
  }
  return result;
}

SizeExpr SizeExpr::operator+(const SizeExpr &other) const {
  SizeExpr result = *this;
  for (const auto &[product, factor] : other.terms)
    result.add(product, factor);
  return result.terms.size() > kMostProducts ? SizeExpr(kMost) : result;
}

SizeExpr SizeExpr::operator-(const SizeExpr &other) const {
  return *this + other * SizeExpr(-1);
}

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  if (terms.size() * other.terms.size() > kMostProducts)
    return kMost;
  SizeExpr result;
  for (const auto &[left, leftFactor] : terms)
    for (const auto &[right, rightFactor] : other.terms) {
      if (left.size() + right.size() > kMostFactors)
        return kMost;
      Product product;
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(product));
      result.add(product, multiplySaturating(leftFactor, rightFactor));
    }
  return result;
}

std::string SizeExpr::str() const {
  std::string text, constant;
  for (const auto &[product, factor] : terms) {
    if (product.empty()) {
      constant = std::to_string(factor);
      continue;
    }
    if (!text.empty())
      text += " + ";
    if (factor != 1)
      text += std::to_string(factor) + " * ";
    text += llvm::join(product, " * ");
  }
  if (text.empty() || constant.empty())
    return text.empty() && constant.empty() ? "0" : text + constant;
  return text + " + " + constant;
}
