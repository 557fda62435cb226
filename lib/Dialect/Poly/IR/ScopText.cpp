// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScopText.h"
#include "llvm/ADT/StringExtras.h"
#include <isl/stream.h>

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Reads one object by `read` and checks that the text ends there.
template <typename Owner, typename Raw>
static FailureOr<Owner> readAll(const isl::Ctx &ctx, StringRef text,
                                Raw *(*read)(isl_stream *), StringRef kind,
                                EmitError emitError) {
  std::string buffer = text.str();
  isl_stream *stream = isl_stream_new_str(ctx.get(), buffer.c_str());
  Owner object(read(stream));
  // A tree's last token may be the end of its block, which is not text.
  bool isAll = object && isl_stream_is_empty(stream);
  isl_stream_free(stream);
  if (!object)
    return emitError() << "isl does not read '" << text << "' as " << kind
                       << ": " << ctx.lastError();
  if (!isAll)
    return emitError() << "there is text after the end of " << kind << " in '"
                       << text << "'";
  return object;
}

FailureOr<isl::Set> gc::poly::readSet(const isl::Ctx &ctx, StringRef text,
                                      EmitError emitError) {
  return readAll<isl::Set>(ctx, text, isl_stream_read_set, "a set", emitError);
}

FailureOr<isl::Map> gc::poly::readMap(const isl::Ctx &ctx, StringRef text,
                                      EmitError emitError) {
  return readAll<isl::Map>(ctx, text, isl_stream_read_map, "a map", emitError);
}

/// What follows the outermost pair of brackets of a set or a map, which isl
/// leaves unread in the strings of a tree.
static StringRef getRest(StringRef object) {
  int64_t depth = 0;
  for (auto [i, c] : llvm::enumerate(object)) {
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (depth == 0 && !llvm::isSpace(c))
      return object.substr(i + 1).trim();
  }
  return StringRef();
}

FailureOr<isl::Schedule> gc::poly::readSchedule(const isl::Ctx &ctx,
                                                StringRef text,
                                                EmitError emitError) {
  SmallVector<StringRef> pieces;
  text.split(pieces, '"');
  // Every other piece is between quotes; marks are any text.
  for (size_t i = 1; i < pieces.size(); i += 2) {
    if (!pieces[i].trim().starts_with("{") &&
        !pieces[i].trim().starts_with("["))
      continue;
    StringRef rest = getRest(pieces[i]);
    if (rest.starts_with("->"))
      return emitError() << "'" << pieces[i] << "' in the tree depends on "
                         << "parameters, which are not supported";
    if (!rest.empty())
      return emitError()
             << "there is text after the end of '"
             << pieces[i].take_front(rest.data() - pieces[i].data()).rtrim()
             << "' in the tree: '" << rest << "'";
  }
  return readAll<isl::Schedule>(ctx, text, isl_stream_read_schedule,
                                "a schedule", emitError);
}

FailureOr<isl::Set> gc::poly::readDomain(const isl::Ctx &ctx, Operation *op,
                                         StringRef text, StringRef name) {
  FailureOr<isl::Set> domain =
      readSet(ctx, text, [&] { return op->emitOpError("(C1) domain: "); });
  if (failed(domain))
    return failure();
  if (isl::tupleName(*domain) != name)
    return op->emitOpError()
           << "(C1) domain '" << text << "' has points named '"
           << isl::tupleName(*domain) << "'";
  if (isl_set_dim(domain->get(), isl_dim_param) != 0)
    return op->emitOpError()
           << "(C1) domain '" << text << "' depends on parameters";
  if (isl_set_is_empty(domain->get()) != isl_bool_false)
    return op->emitOpError() << "(C1) domain '" << text << "' is empty";
  if (isl_set_is_bounded(domain->get()) != isl_bool_true)
    return op->emitOpError() << "(C1) domain '" << text << "' is not bounded";
  return domain;
}
