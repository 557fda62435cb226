// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedule trees in the assembly: isl's text as it is, except for line breaks,
// so that its quotes need no escapes.

#include "ScheduleSyntax.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gc::poly;

/// value := `{` (key `:` value),* `}` | `[` value,* `]` | string | integer
static ParseResult parseValue(OpAsmParser &parser, std::string &text) {
  std::string string;
  if (succeeded(parser.parseOptionalString(&string))) {
    text += '"' + string + '"';
    return success();
  }
  bool isFirst = true;
  if (succeeded(parser.parseOptionalLSquare())) {
    text += "[ ";
    while (failed(parser.parseOptionalRSquare())) {
      if (!isFirst && parser.parseComma())
        return failure();
      text += isFirst ? "" : ", ";
      isFirst = false;
      if (parseValue(parser, text))
        return failure();
    }
    text += " ]";
    return success();
  }
  if (succeeded(parser.parseOptionalLBrace())) {
    text += "{ ";
    while (failed(parser.parseOptionalRBrace())) {
      if (!isFirst && parser.parseComma())
        return failure();
      text += isFirst ? "" : ", ";
      isFirst = false;
      StringRef key;
      if (parser.parseKeyword(&key) || parser.parseColon())
        return failure();
      text += (key + ": ").str();
      if (parseValue(parser, text))
        return failure();
    }
    text += " }";
    return success();
  }
  int64_t number;
  OptionalParseResult result = parser.parseOptionalInteger(number);
  if (!result.has_value())
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a schedule tree: a string or a number, "
                            "or a list or a map of those");
  text += std::to_string(number);
  return *result;
}

ParseResult gc::poly::parseScheduleTree(OpAsmParser &parser,
                                        StringAttr &schedule) {
  std::string text;
  if (failed(parser.parseOptionalString(&text)) && parseValue(parser, text))
    return failure();
  schedule = parser.getBuilder().getStringAttr(text);
  return success();
}

namespace {
/// Breaks isl's text into lines. What is not such text remains as it is.
class Layout {
public:
  explicit Layout(StringRef text) : rest(text) {}

  /// Nothing if the text is not one value.
  std::optional<std::string> run() {
    if (!rest.ltrim().starts_with("{") || !addValue(1) || !rest.ltrim().empty())
      return std::nullopt;
    return std::move(lines);
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  void breakLine(unsigned depth) {
    lines += '\n' + std::string(2 * depth, ' ');
  }

  bool addValue(unsigned depth) {
    if (take("{"))
      return addList(depth, '{', '}', /*breaks=*/true);
    if (take("["))
      return addList(depth, '[', ']', rest.ltrim().starts_with("{"));
    if (take("\"")) {
      size_t end = rest.find('"');
      if (end == StringRef::npos || rest.take_front(end).contains('\\'))
        return false;
      lines += ("\"" + rest.take_front(end + 1)).str();
      rest = rest.drop_front(end + 1);
      return true;
    }
    StringRef number = rest.ltrim().take_while(llvm::isDigit);
    if (number.empty() || number.size() > 9)
      return false;
    lines += number.str();
    return take(number);
  }

  bool addList(unsigned depth, char open, char close, bool breaks) {
    lines += open;
    for (bool isFirst = true; !take(StringRef(&close, 1)); isFirst = false) {
      if (!isFirst && !take(","))
        return false;
      lines += isFirst ? "" : ",";
      if (breaks)
        breakLine(depth + 1);
      else
        lines += " ";
      if (open == '{') {
        rest = rest.ltrim();
        StringRef key = rest.take_while(
            [](char c) { return llvm::isAlpha(c) || c == '_'; });
        if (key.empty() || !take(key) || !take(":"))
          return false;
        lines += (key + ": ").str();
      }
      if (depth > maxDepth || !addValue(depth + 1))
        return false;
    }
    if (breaks)
      breakLine(depth);
    else
      lines += " ";
    lines += close;
    return true;
  }

  static constexpr unsigned maxDepth = 1000;
  StringRef rest;
  std::string lines;
};
} // namespace

std::string gc::poly::layOutSchedule(StringRef text) {
  return Layout(text).run().value_or("");
}

void gc::poly::printScheduleTree(OpAsmPrinter &printer, Operation *,
                                 StringAttr schedule) {
  std::string lines = layOutSchedule(schedule.getValue());
  if (lines.empty())
    printer << schedule;
  else
    printer << lines;
}
