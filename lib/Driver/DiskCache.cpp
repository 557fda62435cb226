// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DiskCache.h"
#include "ConstantData.h"
#include "Machine/MachineFile.h"
#include "Support/Fingerprint.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace gc;

/// A file: this line, the hash of the rest, eight bytes with the length of a
/// description in JSON, the description, the objects, the constants.
static constexpr StringLiteral kMagic = "GC code, form 3\n";
static constexpr StringLiteral kSuffix = ".gccode";
static constexpr int64_t kDefaultBytes = int64_t(1) << 30;

static std::array<uint8_t, 32> hash(StringRef text) {
  BLAKE3 hasher;
  hasher.update(text);
  std::array<uint8_t, 32> result;
  auto final = hasher.final<32>();
  llvm::copy(final, result.begin());
  return result;
}

/// Tells builds of the compiler apart: the file that this code is in.
static std::string getBuild() {
  static int anchor;
  Dl_info info;
  struct stat status;
  std::string text = "GC " GC_VERSION " LLVM " LLVM_VERSION_STRING;
  if (dladdr(&anchor, &info) && info.dli_fname &&
      (stat(info.dli_fname, &status) == 0 ||
       stat("/proc/self/exe", &status) == 0))
    text += " " + std::to_string(status.st_size) + " " +
            std::to_string(status.st_mtim.tv_sec) + "." +
            std::to_string(status.st_mtim.tv_nsec);
  return text;
}

std::optional<DiskCache> DiskCache::open(const CompileOptions &options) {
  DiskCache cache;
  cache.folder = options.cacheFolder;
  if (cache.folder.empty())
    cache.folder = sys::Process::GetEnv("GC_CACHE").value_or("");
  // What an explanation shows is not kept, nor are templates written again.
  if (cache.folder.empty() || options.explain ||
      !options.pipeline.exportTemplates.empty())
    return std::nullopt;
  int64_t bytes = options.cacheBytes;
  if (bytes <= 0 &&
      StringRef(sys::Process::GetEnv("GC_CACHE_BYTES").value_or(""))
          .getAsInteger(10, bytes))
    bytes = 0;
  cache.limit = bytes > 0 ? bytes : kDefaultBytes;
  return cache;
}

std::string DiskCache::makeKey(mlir::ModuleOp module, StringRef entry,
                               const Machine &machine,
                               const CompileOptions &options) {
  std::string text;
  raw_string_ostream os(text);
  os << getBuild() << "\nentry " << entry << "\ncpu "
     << options.processor.getName() << "\nfeatures "
     << printFeatures(options.processor.getFeatures()) << "\ntriple "
     << options.triple << "\nhost " << sys::getHostCPUName();
  std::vector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (feature.getValue())
      features.push_back(feature.getKey().str());
  llvm::sort(features);
  os << " " << join(features, ",") << "\npipeline " << printPipeline(options)
     << "\nload " << join(options.pipeline.features, ",") << "\nmachine ";
  writeMachine(machine, os);
  // Of a database it is what it says that counts.
  if (!options.pipeline.templateDatabase.empty())
    if (auto file = MemoryBuffer::getFile(options.pipeline.templateDatabase))
      os << "\ntemplates " << getFingerprint((*file)->getBuffer());
  os << "\nmodule ";
  if (failed(mlir::writeBytecodeToFile(module, os)))
    return "";
  return toHex(hash(text), /*LowerCase=*/true);
}

std::string DiskCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, key + kSuffix);
  return path.str().str();
}

/// The content of a file, if it belongs to this user: it will be executed.
static std::unique_ptr<MemoryBuffer> readOwnFile(StringRef path) {
  auto file = sys::fs::openNativeFileForRead(path);
  if (!file) {
    consumeError(file.takeError());
    return nullptr;
  }
  struct stat status;
  std::unique_ptr<MemoryBuffer> result;
  if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH))) {
    auto buffer = MemoryBuffer::getOpenFile(*file, path, status.st_size,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
    if (buffer)
      result = std::move(*buffer);
    // What was used last goes last.
    futimens(*file, nullptr);
  }
  sys::fs::closeFile(*file);
  return result;
}

/// Removes this many bytes from the front of `rest`, if it has them.
static std::optional<StringRef> take(StringRef &rest,
                                     std::optional<int64_t> bytes) {
  if (!bytes || *bytes < 0 || uint64_t(*bytes) > rest.size())
    return std::nullopt;
  StringRef front = rest.take_front(*bytes);
  rest = rest.drop_front(*bytes);
  return front;
}

std::optional<CachedCode> DiskCache::load(StringRef key) const {
  if (key.empty())
    return std::nullopt;
  std::unique_ptr<MemoryBuffer> file = readOwnFile(getPath(key));
  if (!file)
    return std::nullopt;
  StringRef rest = file->getBuffer();
  if (!rest.consume_front(kMagic) || rest.size() < 40)
    return std::nullopt;
  auto expected = hash(rest.drop_front(32));
  if (memcmp(expected.data(), rest.data(), expected.size()) != 0)
    return std::nullopt;
  rest = rest.drop_front(32);
  uint64_t length;
  memcpy(&length, rest.data(), sizeof length);
  rest = rest.drop_front(sizeof length);
  if (length > rest.size())
    return std::nullopt;
  auto parsed = json::parse(rest.take_front(length));
  rest = rest.drop_front(length);
  if (!parsed) {
    consumeError(parsed.takeError());
    return std::nullopt;
  }
  const json::Object *object = parsed->getAsObject();
  const json::Array *sizes = object ? object->getArray("objects") : nullptr;
  const json::Array *constants =
      object ? object->getArray("constants") : nullptr;
  if (!sizes || !constants || object->getString("key") != key)
    return std::nullopt;
  CachedCode code;
  for (const json::Value &value : *sizes) {
    std::optional<StringRef> bytes = take(rest, value.getAsInteger());
    if (!bytes)
      return std::nullopt;
    code.objects.push_back(MemoryBuffer::getMemBufferCopy(*bytes, key));
  }
  for (const json::Value &value : *constants) {
    const json::Object *from = value.getAsObject();
    std::optional<StringRef> symbol =
        from ? from->getString("symbol") : std::nullopt;
    std::optional<StringRef> bytes =
        symbol ? take(rest, from->getInteger("bytes")) : std::nullopt;
    if (!bytes)
      return std::nullopt;
    NamedData constant;
    constant.symbol = symbol->str();
    makeConstant(constant, bytes->size(),
                 ArrayRef(bytes->data(), bytes->size()));
    if (!constant.owner)
      return std::nullopt;
    constant.isFolded = from->getBoolean("folded").value_or(false);
    code.constants.push_back(std::move(constant));
  }
  code.fusedOps = object->getInteger("fused_ops").value_or(0);
  code.parallelRegions = object->getInteger("parallel_regions").value_or(0);
  code.predictedMs = object->getNumber("predicted_ms");
  auto text = [](const json::Object &from, StringRef field) {
    return from.getString(field).value_or("").str();
  };
  if (const json::Array *list = object->getArray("regions"))
    for (const json::Value &value : *list)
      if (const json::Object *from = value.getAsObject())
        code.regions.push_back({text(*from, "name"),
                                from->getInteger("flops").value_or(0),
                                from->getInteger("bytes").value_or(0),
                                from->getNumber("predicted_ms").value_or(0),
                                text(*from, "bound_by")});
  if (const json::Array *list = object->getArray("in_place"))
    for (const json::Value &value : *list)
      if (const json::Array *pair = value.getAsArray();
          pair && pair->size() == 2)
        code.inPlace.push_back({(*pair)[0].getAsInteger().value_or(-1),
                                (*pair)[1].getAsInteger().value_or(-1)});
  if (const json::Array *list = object->getArray("remarks"))
    for (const json::Value &value : *list)
      if (const json::Object *from = value.getAsObject())
        code.remarks.push_back({text(*from, "kind"), text(*from, "category"),
                                text(*from, "name"), text(*from, "function"),
                                text(*from, "message"), text(*from, "reason"),
                                text(*from, "suggestion"),
                                text(*from, "location")});
  return code;
}

static void describe(StringRef key, const CachedCode &code, raw_ostream &os) {
  json::OStream json(os);
  json.object([&] {
    json.attribute("key", key);
    json.attributeArray("objects", [&] {
      for (const auto &object : code.objects)
        json.value(int64_t(object->getBufferSize()));
    });
    json.attributeArray("constants", [&] {
      for (const NamedData &constant : code.constants)
        json.object([&] {
          json.attribute("symbol", constant.symbol);
          json.attribute("bytes", int64_t(constant.bytes.size()));
          json.attribute("folded", constant.isFolded);
        });
    });
    json.attribute("fused_ops", code.fusedOps);
    json.attribute("parallel_regions", code.parallelRegions);
    if (code.predictedMs)
      json.attribute("predicted_ms", *code.predictedMs);
    json.attributeArray("regions", [&] {
      for (const RegionInfo &region : code.regions)
        json.object([&] {
          json.attribute("name", json::fixUTF8(region.name));
          json.attribute("flops", region.flops);
          json.attribute("bytes", region.bytes);
          json.attribute("predicted_ms", region.predictedMs);
          json.attribute("bound_by", region.boundBy);
        });
    });
    json.attributeArray("in_place", [&] {
      for (auto [input, output] : code.inPlace)
        json.array([&, input = input, output = output] {
          json.value(input);
          json.value(output);
        });
    });
    json.attributeArray("remarks", [&] {
      for (const Remark &remark : code.remarks)
        json.object([&] {
          for (auto [field, text] :
               {std::pair("kind", &remark.kind),
                std::pair("category", &remark.category),
                std::pair("name", &remark.name),
                std::pair("function", &remark.function),
                std::pair("message", &remark.message),
                std::pair("reason", &remark.reason),
                std::pair("suggestion", &remark.suggestion),
                std::pair("location", &remark.location)})
            json.attribute(field, json::fixUTF8(*text));
        });
    });
  });
}

void DiskCache::store(StringRef key, const CachedCode &code) const {
  if (key.empty())
    return;
  std::string description;
  {
    raw_string_ostream os(description);
    describe(key, code, os);
  }
  std::string payload;
  uint64_t length = description.size();
  payload.append(reinterpret_cast<const char *>(&length), sizeof length);
  payload += description;
  for (const auto &object : code.objects)
    payload += object->getBuffer();
  for (const NamedData &constant : code.constants)
    payload += constant.bytes;
  auto sum = hash(payload);
  if (kMagic.size() + sum.size() + payload.size() > limit ||
      sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                  sys::fs::owner_all))
    return;
  // The file gets its name when it is complete, and nobody else can write it.
  auto file = sys::fs::TempFile::create(
      getPath(key) + ".%%%%%%%%", sys::fs::owner_read | sys::fs::owner_write);
  if (!file) {
    consumeError(file.takeError());
    return;
  }
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << kMagic
     << StringRef(reinterpret_cast<const char *>(sum.data()), sum.size())
     << payload;
  os.flush();
  bool failed = os.has_error();
  os.clear_error();
  consumeError(failed ? file->discard() : file->keep(getPath(key)));
  trim();
}

void DiskCache::trim() const {
  struct Entry {
    sys::TimePoint<> used;
    std::string path;
    uint64_t bytes;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code code;
  for (sys::fs::directory_iterator next(folder, code), end;
       next != end && !code; next.increment(code)) {
    sys::fs::file_status status;
    // Files of processes that were killed while they wrote count as well.
    if (!StringRef(next->path()).contains(kSuffix) ||
        sys::fs::status(next->path(), status))
      continue;
    entries.push_back(
        {status.getLastModificationTime(), next->path(), status.getSize()});
    total += status.getSize();
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Entry &entry : entries) {
    if (total <= limit)
      return;
    // Another process may have removed it already.
    sys::fs::remove(entry.path);
    total -= entry.bytes;
  }
}
