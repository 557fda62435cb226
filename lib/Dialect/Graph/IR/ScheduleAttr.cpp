// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseNumbers(AsmParser &parser,
                                SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// What most machines have is not printed.
static constexpr int64_t kUsualRegisters = 16;

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t vectorBytes = 0, registers = kUsualRegisters, vector = -1,
          transposed = -1, ahead = 0, unroll = 1, recompute = 0, interleave = 0,
          rowBytes = 0, maxRowBytes = 0;
  SmallVector<int64_t> dims, pieces, blockDims, blockSizes, kernels, forms,
      passes, fetchAhead, stream, prefetch;
  auto kernel = KernelImplementation::library;
  llvm::SmallSet<StringRef, 8> seen;
  auto parseDim = [&](int64_t &dim) -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(dim))
      return failure();
    return dim < 0 ? parser.emitError(loc, "expected a dimension")
                   : ParseResult(success());
  };
  // Fields that are not given are 0, which means nothing where it is given.
  auto parsePositive = [&](StringRef key, int64_t &value) -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(value))
      return failure();
    if (value > 0)
      return success();
    return parser.emitError(loc, "'")
           << key << "' must be positive, not " << value;
  };
  auto parseSizes = [&](SmallVectorImpl<int64_t> &dims,
                        SmallVectorImpl<int64_t> &sizes) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&]() -> ParseResult {
          return failure(parseDim(dims.emplace_back()) || parser.parseColon() ||
                         parser.parseInteger(sizes.emplace_back()));
        });
  };
  auto parseSizesOfKernel = [&](SmallVectorImpl<int64_t> &to) -> ParseResult {
    SmallVector<int64_t> sizes;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false))
      return failure();
    if (sizes.size() != 3)
      return parser.emitError(loc, "expected a kernel as m x n x k");
    llvm::append_range(to, sizes);
    return success();
  };
  auto parseKernel = [&] { return parseSizesOfKernel(kernels); };
  auto parseAhead = [&]() -> ParseResult {
    return failure(parseSizesOfKernel(fetchAhead) || parser.parseColon() ||
                   parser.parseInteger(fetchAhead.emplace_back()));
  };
  auto parseForm = [&]() -> ParseResult {
    StringRef name;
    if (parseSizesOfKernel(forms) || parser.parseColon())
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<gc::KernelForm> form = gc::findKernelForm(name);
    if (!form)
      return parser.emitError(loc, "expected fixed_point or amx, not '")
             << name << "'";
    forms.push_back(static_cast<int64_t>(*form));
    return success();
  };
  auto parsePass = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    int64_t index, vector, transposed = -1;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<AnchorKind> kind = symbolizeAnchorKind(name);
    if (!kind)
      return parser.emitError(loc, "expected 'pre' or 'post', not '")
             << name << "'";
    if (parser.parseInteger(index) || parser.parseColon() || parseDim(vector))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("transposed")) &&
        parseDim(transposed))
      return failure();
    passes.append({static_cast<int64_t>(*kind), index, vector, transposed});
    return success();
  };
  auto parseField = [&]() -> ParseResult {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(loc, "'") << key << "' is given twice";
    if (key == "vector_bytes")
      return parser.parseInteger(vectorBytes);
    if (key == "registers")
      return parser.parseInteger(registers);
    if (key == "vector")
      return parseDim(vector);
    if (key == "transposed")
      return parseDim(transposed);
    if (key == "partition")
      return parseSizes(dims, pieces);
    if (key == "block")
      return parseSizes(blockDims, blockSizes);
    if (key == "ahead")
      return parsePositive(key, ahead);
    if (key == "unroll")
      return parser.parseInteger(unroll);
    if (key == "recompute")
      return parser.parseInteger(recompute);
    if (key == "interleave")
      return parsePositive(key, interleave);
    if (key == "row_bytes")
      return parsePositive(key, rowBytes);
    if (key == "max_row_bytes")
      return parsePositive(key, maxRowBytes);
    if (key == "vector_kernels")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseKernel);
    if (key == "forms")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseForm);
    if (key == "passes")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parsePass);
    if (key == "fetch_ahead")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseAhead);
    if (key == "stream")
      return parseNumbers(parser, stream);
    if (key == "prefetch")
      return parseNumbers(parser, prefetch);
    if (key != "kernel")
      return parser.emitError(loc, "a schedule has no '") << key << "'";
    StringRef name;
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    auto found = symbolizeKernelImplementation(name);
    if (!found)
      return parser.emitError(loc, "kernel is library or vector, not '")
             << name << "'";
    kernel = *found;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  if (!seen.contains("vector_bytes")) {
    parser.emitError(parser.getNameLoc(), "a schedule needs 'vector_bytes'");
    return {};
  }
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                    parser.getContext(), vectorBytes, registers, vector,
                    transposed, ArrayRef<int64_t>(dims),
                    ArrayRef<int64_t>(pieces), ArrayRef<int64_t>(blockDims),
                    ArrayRef<int64_t>(blockSizes), ahead, unroll, recompute,
                    interleave, rowBytes, maxRowBytes, kernel,
                    ArrayRef<int64_t>(kernels), ArrayRef<int64_t>(forms),
                    ArrayRef<int64_t>(passes), ArrayRef<int64_t>(fetchAhead),
                    ArrayRef<int64_t>(stream), ArrayRef<int64_t>(prefetch));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<vector_bytes = " << getVectorBytes();
  if (getRegisters() != kUsualRegisters)
    printer << ", registers = " << getRegisters();
  if (getVectorDim() >= 0)
    printer << ", vector = " << getVectorDim();
  if (getTransposedDim() >= 0)
    printer << ", transposed = " << getTransposedDim();
  auto printSizes = [&](StringRef name, ArrayRef<int64_t> dims,
                        ArrayRef<int64_t> sizes) {
    if (dims.empty())
      return;
    printer << ", " << name << " = [";
    llvm::interleaveComma(
        llvm::zip_equal(dims, sizes), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " : " << std::get<1>(pair);
        });
    printer << "]";
  };
  printSizes("partition", getPartitionDims(), getPartitionPieces());
  printSizes("block", getBlockDims(), getBlockSizes());
  if (getAhead() > 0)
    printer << ", ahead = " << getAhead();
  if (getUnroll() > 1)
    printer << ", unroll = " << getUnroll();
  if (getRecompute() > 0)
    printer << ", recompute = " << getRecompute();
  if (getInterleave() > 0)
    printer << ", interleave = " << getInterleave();
  if (getRowBytes() > 0)
    printer << ", row_bytes = " << getRowBytes()
            << ", max_row_bytes = " << getMaxRowBytes();
  if (!getPasses().empty()) {
    printer << ", passes = [";
    llvm::interleaveComma(getAnchorDims(), printer,
                          [&](const AnchorDims &dims) {
                            printer << stringifyAnchorKind(dims.kind) << " "
                                    << dims.index << " : " << dims.vector;
                            if (dims.transposed >= 0)
                              printer << " transposed " << dims.transposed;
                          });
    printer << "]";
  }
  if (getKernel() != KernelImplementation::library)
    printer << ", kernel = " << stringifyKernelImplementation(getKernel());
  if (!getVectorKernels().empty()) {
    printer << ", vector_kernels = [";
    for (size_t i = 0; i < getVectorKernels().size(); i += 3) {
      printer << (i ? ", " : "");
      printer.printDimensionList(getVectorKernels().slice(i, 3));
    }
    printer << "]";
  }
  if (!getForms().empty()) {
    printer << ", forms = [";
    for (size_t i = 0; i < getForms().size(); i += 4) {
      printer << (i ? ", " : "");
      printer.printDimensionList(getForms().slice(i, 3));
      printer << " : "
              << gc::getName(static_cast<gc::KernelForm>(getForms()[i + 3]));
    }
    printer << "]";
  }
  if (!getFetchAhead().empty()) {
    printer << ", fetch_ahead = [";
    for (size_t i = 0; i < getFetchAhead().size(); i += 4) {
      printer << (i ? ", " : "");
      printer.printDimensionList(getFetchAhead().slice(i, 3));
      printer << " : " << getFetchAhead()[i + 3];
    }
    printer << "]";
  }
  if (!getStream().empty())
    printer << ", stream = [" << getStream() << "]";
  if (!getPrefetch().empty())
    printer << ", prefetch = [" << getPrefetch() << "]";
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static bool hasDuplicates(ArrayRef<int64_t> values) {
  llvm::SmallSet<int64_t, 8> seen;
  return llvm::any_of(
      values, [&](int64_t value) { return !seen.insert(value).second; });
}

/// The entry of a list of `width` numbers each that begins with the sizes m, n,
/// k; empty if there is none.
static ArrayRef<int64_t> findKernel(ArrayRef<int64_t> list, size_t width,
                                    ArrayRef<int64_t> sizes) {
  for (size_t i = 0; i < list.size(); i += width)
    if (list.slice(i, sizes.size()) == sizes)
      return list.slice(i, width);
  return {};
}

/// Whether kernels of the sizes m, n, k are vector code.
static bool isVectorCode(KernelImplementation kernel,
                         ArrayRef<int64_t> exceptions,
                         ArrayRef<int64_t> sizes) {
  return kernel == KernelImplementation::vector ||
         !findKernel(exceptions, /*width=*/3, sizes).empty();
}

LogicalResult ScheduleAttr::verify(
    function_ref<InFlightDiagnostic()> error, int64_t vectorBytes,
    int64_t registers, int64_t vectorDim, int64_t transposedDim,
    ArrayRef<int64_t> partitionDims, ArrayRef<int64_t> partitionPieces,
    ArrayRef<int64_t> blockDims, ArrayRef<int64_t> blockSizes, int64_t ahead,
    int64_t unroll, int64_t recompute, int64_t interleave, int64_t rowBytes,
    int64_t maxRowBytes, KernelImplementation kernel,
    ArrayRef<int64_t> vectorKernels, ArrayRef<int64_t> forms,
    ArrayRef<int64_t> passes, ArrayRef<int64_t> fetchAhead,
    ArrayRef<int64_t> stream, ArrayRef<int64_t> prefetch) {
  constexpr int64_t kLeastSquareBytes = 4 * kElementBytes;
  auto isPositive = [](int64_t value) { return value >= 1; };
  if (vectorBytes < kElementBytes || vectorBytes > kMostVectorBytes ||
      !llvm::isPowerOf2_64(vectorBytes))
    return error() << "(C1) vector_bytes = " << vectorBytes
                   << " is not a power of two from " << kElementBytes << " to "
                   << kMostVectorBytes;
  constexpr int64_t kFewestRegisters = 4, kMostRegisters = 1024;
  if (registers < kFewestRegisters || registers > kMostRegisters)
    return error() << "(C18) registers = " << registers << " is not "
                   << kFewestRegisters << " to " << kMostRegisters;
  if (partitionDims.size() != partitionPieces.size() ||
      hasDuplicates(partitionDims) ||
      !llvm::all_of(partitionPieces, isPositive))
    return error() << "(C2) a dimension of the partition is given twice, or in "
                      "pieces of less than 1";
  constexpr int64_t kMostTogether = 16;
  auto isBlock = [](int64_t size) {
    return size >= 1 && size <= kMostTogether;
  };
  if (blockDims.size() != blockSizes.size() || hasDuplicates(blockDims) ||
      !llvm::all_of(blockSizes, isBlock) ||
      llvm::is_contained(blockDims, vectorDim) ||
      llvm::is_contained(blockDims, transposedDim))
    return error() << "(C11) block = [" << blockDims
                   << "] has a dimension twice, or that of vectors or of a "
                      "transpose, or not 1 to "
                   << kMostTogether << " neighbours";
  if (ahead < 0 || ahead > kMostTogether)
    return error() << "(C12) ahead = " << ahead << " is not 1 to "
                   << kMostTogether << " rows";
  constexpr int64_t kMostInstructions = 1000;
  if (unroll < 1 || unroll > kMostTogether)
    return error() << "(C15) unroll = " << unroll << " is not 1 to "
                   << kMostTogether;
  if (recompute < 0 || recompute > kMostInstructions)
    return error() << "(C15) recompute = " << recompute << " is not 0 to "
                   << kMostInstructions << " instructions";
  if (interleave < 0 || interleave > kMostInstructions)
    return error() << "(C15) interleave = " << interleave << " is not 1 to "
                   << kMostInstructions << " instructions";
  constexpr int64_t kMostBytes = int64_t(1) << 30;
  std::pair<StringRef, int64_t> rowFields[] = {{"row_bytes", rowBytes},
                                               {"max_row_bytes", maxRowBytes}};
  for (auto [name, bytes] : rowFields)
    if (bytes < 0 || bytes > kMostBytes)
      return error() << "(C17) " << name << " = " << bytes << " is not 1 to "
                     << kMostBytes << " bytes";
  if ((rowBytes == 0) != (maxRowBytes == 0)) {
    bool hasFirst = rowBytes != 0;
    return error() << "(C17) " << rowFields[!hasFirst].first << " = "
                   << rowFields[!hasFirst].second << " is given without "
                   << rowFields[hasFirst].first;
  }
  if (rowBytes > maxRowBytes)
    return error() << "(C17) row_bytes = " << rowBytes
                   << " is larger than max_row_bytes = " << maxRowBytes;
  for (auto [dim, piece] : llvm::zip_equal(partitionDims, partitionPieces))
    for (auto [blocked, size] : llvm::zip_equal(blockDims, blockSizes))
      if (blocked == dim && piece % size != 0)
        return error() << "(C11) pieces of " << piece << " along dimension "
                       << dim << " are not blocks of " << size;
  if (transposedDim >= 0 && (vectorDim < 0 || transposedDim == vectorDim ||
                             vectorBytes < kLeastSquareBytes))
    return error() << "(C3) transposed = " << transposedDim
                   << " needs another dimension that vectors of at least "
                   << kLeastSquareBytes << " bytes lie along";
  if (!vectorKernels.empty() && (kernel != KernelImplementation::library ||
                                 !llvm::all_of(vectorKernels, isPositive)))
    return error() << "(C5) vector_kernels are exceptions to kernel = library, "
                      "of sizes of at least 1";
  for (size_t i = 0; i < passes.size(); i += 4) {
    ArrayRef<int64_t> pass = passes.slice(i, 4);
    if (pass[1] < 0 || pass[2] < 0 || pass[3] == pass[2])
      return error()
             << "(C13) the vectors of a pass and what is transposed lie "
                "along the same dimension, or a number is negative";
    if (pass[3] >= 0 && vectorBytes < kLeastSquareBytes)
      return error() << "(C13) a pass is transposed with vectors of less than "
                     << kLeastSquareBytes << " bytes";
    for (size_t j = 0; j < i; j += 4)
      if (passes.slice(j, 2) == pass.take_front(2))
        return error() << "(C13) passes has an anchor or an operand twice";
  }
  for (size_t i = 0; i < fetchAhead.size(); i += 4) {
    ArrayRef<int64_t> sizes = fetchAhead.slice(i, 3);
    int64_t bytes = fetchAhead[i + 3];
    if (bytes < 1 || bytes > kMostBytes || !llvm::all_of(sizes, isPositive) ||
        !isVectorCode(kernel, vectorKernels, sizes))
      return error() << "(C14) fetch_ahead is for vector kernels, with 1 to "
                     << kMostBytes << " bytes";
    if (!findKernel(fetchAhead.take_front(i), /*width=*/4, sizes).empty())
      return error() << "(C14) fetch_ahead has a kernel twice";
  }
  for (size_t i = 0; i < forms.size(); i += 4) {
    ArrayRef<int64_t> sizes = forms.slice(i, 3);
    if (forms[i + 3] == static_cast<int64_t>(gc::KernelForm::vector) ||
        !llvm::all_of(sizes, isPositive) ||
        !isVectorCode(kernel, vectorKernels, sizes) ||
        !findKernel(forms.take_front(i), /*width=*/4, sizes).empty())
      return error() << "(C16) forms is for generated kernels, each once, with "
                        "another form than vector";
  }
  return success();
}

LogicalResult
ScheduleAttr::verifyRegion(function_ref<InFlightDiagnostic()> error,
                           bool hasTunable, unsigned results,
                           unsigned operands) const {
  bool isOfTemplate = getKernel() != KernelImplementation::library ||
                      !getVectorKernels().empty() || !getPasses().empty() ||
                      !getForms().empty() || !getFetchAhead().empty() ||
                      !getPrefetch().empty();
  bool isOfPasses = getVectorDim() >= 0 || !getPartitionDims().empty() ||
                    !getBlockDims().empty() || getAhead() > 0;
  if (hasTunable ? isOfPasses : isOfTemplate)
    return error() << "(C4) the schedule is for a region "
                   << (hasTunable ? "without" : "with") << " a tunable op";
  auto check = [&](StringRef name, ArrayRef<int64_t> numbers, unsigned count,
                   StringRef of) -> LogicalResult {
    bool exist = llvm::all_of(
        numbers, [&](int64_t i) { return i >= 0 && i < int64_t(count); });
    if (exist && !hasDuplicates(numbers))
      return success();
    return error() << "(C6) " << name << " = [" << numbers
                   << "] does not number " << of << ", of which there are "
                   << count;
  };
  if (failed(check("stream", getStream(), results, "results")))
    return failure();
  for (const AnchorDims &dims : getAnchorDims())
    if (dims.kind == AnchorKind::pre && dims.index >= int64_t(operands))
      return error() << "(C13) passes = [pre " << dims.index
                     << "] does not number operands of the tunable op, of "
                        "which there are "
                     << operands;
  return check("prefetch", getPrefetch(), operands,
               "operands of the tunable op");
}

int64_t ScheduleAttr::getBlock(int64_t dim) const {
  for (auto [blocked, size] : llvm::zip_equal(getBlockDims(), getBlockSizes()))
    if (blocked == dim)
      return size;
  return 1;
}

bool ScheduleAttr::usesVectorCode(int64_t m, int64_t n, int64_t k) const {
  return isVectorCode(getKernel(), getVectorKernels(), {m, n, k});
}

gc::KernelForm ScheduleAttr::getForm(int64_t m, int64_t n, int64_t k) const {
  ArrayRef<int64_t> found = findKernel(getForms(), /*width=*/4, {m, n, k});
  return found.empty() ? gc::KernelForm::vector
                       : static_cast<gc::KernelForm>(found.back());
}

int64_t ScheduleAttr::getFetchAhead(int64_t m, int64_t n, int64_t k) const {
  ArrayRef<int64_t> found = findKernel(getFetchAhead(), /*width=*/4, {m, n, k});
  return found.empty() ? 0 : found.back();
}

SmallVector<ScheduleAttr::AnchorDims> ScheduleAttr::getAnchorDims() const {
  SmallVector<AnchorDims> result;
  ArrayRef<int64_t> passes = getPasses();
  for (size_t i = 0; i < passes.size(); i += 4)
    result.push_back({static_cast<AnchorKind>(passes[i]), passes[i + 1],
                      passes[i + 2], passes[i + 3]});
  return result;
}

ScheduleAttr::AnchorDims ScheduleAttr::getAnchorDims(AnchorKind kind,
                                                     int64_t index) const {
  for (const AnchorDims &dims : getAnchorDims())
    if (dims.kind == kind && dims.index == index)
      return dims;
  return {kind, index};
}

ScheduleAttr ScheduleAttr::getOfTemplate(
    MLIRContext *context, int64_t vectorBytes, int64_t registers,
    int64_t unroll, int64_t recompute, int64_t interleave, int64_t rowBytes,
    int64_t maxRowBytes, ArrayRef<AnchorDims> passes,
    KernelImplementation kernel, ArrayRef<int64_t> vectorKernels,
    ArrayRef<int64_t> forms, ArrayRef<int64_t> fetchAhead,
    ArrayRef<int64_t> stream, ArrayRef<int64_t> prefetch) {
  SmallVector<int64_t> numbers;
  for (const AnchorDims &dims : passes)
    numbers.append({static_cast<int64_t>(dims.kind), dims.index, dims.vector,
                    dims.transposed});
  return get(context, vectorBytes, registers, /*vectorDim=*/-1,
             /*transposedDim=*/-1,
             /*partitionDims=*/{}, /*partitionPieces=*/{}, /*blockDims=*/{},
             /*blockSizes=*/{}, /*ahead=*/0, unroll, recompute, interleave,
             rowBytes, maxRowBytes, kernel, vectorKernels, forms, numbers,
             fetchAhead, stream, prefetch);
}
