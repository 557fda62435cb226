// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Options of the pipelines from text, with errors that say what is allowed.
// LLVM's parser prints errors instead of returning them.

#include "Transforms/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm;
using namespace gc;

namespace {

/// What one option takes.
struct Values {
  /// Empty: any text, or a number.
  SmallVector<StringRef> words;
  bool isFlag = false, isNumber = false, isList = false;
  /// The smallest number: 0, or -1 where that is the default and has a meaning
  /// of its own. The largest one.
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();
};

using Options = StringMap<Values>;

/// The options and their defaults, whose texts distinguish flags and numbers.
template <typename PipelineOptions>
Options getOptions(PipelineOptions &options) {
  std::string text;
  raw_string_ostream os(text);
  options.print(os);
  SmallVector<StringRef> tokens;
  StringRef(text).trim().trim("{}").split(tokens, ' ', /*MaxSplit=*/-1,
                                          /*KeepEmpty=*/false);
  Options result;
  for (StringRef token : tokens) {
    auto [name, value] = token.split('=');
    Values &values = result[name];
    int64_t number;
    values.isFlag = value == "true" || value == "false";
    values.isNumber = !value.getAsInteger(10, number);
    if (values.isNumber)
      values.least = std::min<int64_t>(0, number);
    if (values.isFlag)
      values.words = {"true", "false", "0", "1"};
  }
  if (auto threads = result.find("threads"); threads != result.end())
    threads->second.most = graph::kMostThreads;
  // Empty lists are not printed.
  options.forEachList(
      [&](auto &option) { result[option.ArgStr].isList = true; });
  options.forEachEnum([&](auto &option) {
    auto &parser = option.getParser();
    for (unsigned i = 0; i < parser.getNumOptions(); ++i)
      result[option.ArgStr].words.push_back(parser.getOption(i));
  });
  return result;
}

/// One option of the text, without what its value is enclosed in.
struct Setting {
  StringRef name;
  /// Nothing without a '='.
  std::optional<StringRef> value;
};

/// Drops a pair of braces or quotes around the text.
StringRef unwrap(StringRef text) {
  for (StringRef pair : {"{}", "\"\"", "''"})
    if (text.size() > 1 && text.front() == pair[0] && text.back() == pair[1])
      return text.drop_front().drop_back();
  return text;
}

/// The end of what begins with a brace or a quote; the text's end if it is not
/// closed.
size_t findClosing(StringRef text, size_t begin) {
  char open = text[begin];
  if (open != '{')
    return text.find(open, begin + 1);
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '{';
    depth -= text[i] == '}';
    if (depth == 0)
      return i;
  }
  return StringRef::npos;
}

/// Takes the next setting from the text, as MLIR's parser does: spaces separate
/// them, except within braces and quotes.
std::optional<Setting> takeSetting(StringRef &text) {
  text = text.ltrim();
  if (text.empty())
    return std::nullopt;
  size_t end = text.find_first_of(" =");
  Setting setting{text.take_front(end), std::nullopt};
  text = text.substr(setting.name.size());
  if (!text.consume_front("="))
    return setting;
  end = 0;
  while (end < text.size() && text[end] != ' ') {
    if (StringRef("{\"'").contains(text[end]))
      end = findClosing(text, end);
    end = end < text.size() ? end + 1 : text.size();
  }
  setting.value = unwrap(text.take_front(end));
  text = text.drop_front(end);
  return setting;
}

/// The error of one setting; empty if there is none.
std::string findFault(const Options &options, const Setting &setting) {
  StringRef name = setting.name, value = setting.value.value_or("");
  if (name.empty())
    return "an option has no name";
  auto option = options.find(name);
  if (option == options.end()) {
    SmallVector<StringRef> names(options.keys());
    sort(names);
    return ("no such option " + name + "; there are " + join(names, " ")).str();
  }
  const Values &values = option->second;
  int64_t number = 0;
  if (values.isNumber &&
      (value.getAsInteger(10, number) || number < values.least))
    return (name + "=" + value + ": not a number of " + Twine(values.least) +
            " or more")
        .str();
  if (values.isNumber && number > values.most)
    return (name + "=" + value + ": more than " + Twine(values.most)).str();
  SmallVector<StringRef> elements;
  if (values.isList && !value.trim().empty())
    value.split(elements, ',');
  if ((values.isList && !setting.value) ||
      any_of(elements,
             [](StringRef element) { return element.trim().empty(); }))
    return (name + "=" + value +
            ": not a list of names with commas between them")
        .str();
  bool isBare = values.isFlag && !setting.value;
  if (!values.words.empty() && !isBare && !is_contained(values.words, value))
    return (name + "=" + value + ": not one of " + join(values.words, " "))
        .str();
  return "";
}

template <typename PipelineOptions>
Expected<PipelineOptions> parse(StringRef text) {
  auto fail = [](const Twine &message) {
    return createStringError(inconvertibleErrorCode(),
                             "bad pipeline options: " + message);
  };
  PipelineOptions result;
  Options options = getOptions(result);
  text = text.trim();
  // As MLIR's parser has it, for which the brace belongs to the first name.
  if (text.starts_with("{"))
    return fail("braces are only for values, as in name={a,b}");
  StringRef rest = text;
  while (std::optional<Setting> setting = takeSetting(rest))
    if (std::string fault = findFault(options, *setting); !fault.empty())
      return fail(fault);
  std::string message;
  raw_string_ostream os(message);
  if (failed(result.parseFromString(text, os)))
    return fail(StringRef(message).trim());
  return result;
}

} // namespace

Expected<CpuPipelineOptions> CpuPipelineOptions::parse(StringRef text) {
  return ::parse<CpuPipelineOptions>(text);
}

Expected<NpuPipelineOptions> NpuPipelineOptions::parse(StringRef text) {
  return ::parse<NpuPipelineOptions>(text);
}
