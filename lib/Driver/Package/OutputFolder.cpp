// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutputFolder.h"
#include "Driver/Package.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace gc;

/// Lists the files of a folder that was written here.
static constexpr StringLiteral kManifest = "gc-package.json";

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}
static Error makeError(StringRef path, std::error_code code) {
  return makeError(path + ": " + code.message());
}

namespace {
/// The temporary folders of this process. Whoever changes one holds the mutex.
struct TemporaryFolders {
  std::mutex mutex;
  std::set<std::string> paths;
};
} // namespace

/// Not destroyed: another thread may be removing folders while the process
/// ends.
static TemporaryFolders &getTemporaryFolders() {
  static auto *folders = new TemporaryFolders;
  return *folders;
}

void gc::abandonPackages() {
  TemporaryFolders &folders = getTemporaryFolders();
  folders.mutex.lock();
  for (const std::string &path : folders.paths)
    sys::fs::remove_directories(path);
}

/// The files that the folder's manifest lists, the manifest included; none if
/// there is no manifest.
static std::vector<std::string> readManifest(StringRef folder) {
  SmallString<128> path(folder);
  sys::path::append(path, kManifest);
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return {};
  auto value = json::parse((*buffer)->getBuffer());
  if (!value) {
    consumeError(value.takeError());
    return {};
  }
  std::vector<std::string> files = {kManifest.str()};
  if (const json::Object *object = value->getAsObject())
    if (const json::Array *list = object->getArray("files"))
      for (const json::Value &file : *list)
        if (std::optional<StringRef> name = file.getAsString())
          files.push_back(name->str());
  return files;
}

/// An error that names a file of the folder that nobody listed.
static Error checkForeignFiles(StringRef folder) {
  std::vector<std::string> own = readManifest(folder);
  std::error_code code;
  for (sys::fs::directory_iterator
           next(folder, code, /*follow_symlinks=*/false),
       end;
       next != end && !code; next.increment(code)) {
    StringRef name = sys::path::filename(next->path());
    if (!is_contained(own, name) ||
        next->type() == sys::fs::file_type::directory_file)
      return makeError(folder + ": has the file '" + name +
                       "', which no earlier package wrote; name a new folder");
  }
  return code ? makeError(folder, code) : Error::success();
}

Expected<OutputFolder> OutputFolder::create(StringRef path) {
  OutputFolder folder;
  while (path.size() > 1 && path.ends_with("/"))
    path = path.drop_back();
  folder.path = path.str();
  sys::fs::file_status status;
  if (!sys::fs::status(path, status, /*follow=*/false)) {
    if (status.type() != sys::fs::file_type::directory_file)
      return makeError(path + ": is not a folder");
    if (Error error = checkForeignFiles(path))
      return std::move(error);
    folder.replaces = true;
  }
  StringRef parent = sys::path::parent_path(path);
  if (!sys::fs::is_directory(parent.empty() ? "." : parent))
    return makeError(path + ": the folder above does not exist");
  TemporaryFolders &folders = getTemporaryFolders();
  std::lock_guard lock(folders.mutex);
  std::string pattern = folder.path + ".XXXXXX";
  if (!mkdtemp(pattern.data()))
    return makeError(path, std::error_code(errno, std::generic_category()));
  folders.paths.insert(pattern);
  // mkdtemp makes a folder for its owner alone.
  mode_t mask = umask(0);
  umask(mask);
  if (std::error_code code =
          sys::fs::setPermissions(pattern, sys::fs::perms(0777 & ~mask))) {
    sys::fs::remove_directories(pattern);
    folders.paths.erase(pattern);
    return makeError(path, code);
  }
  folder.temporary = pattern;
  return std::move(folder);
}

OutputFolder::OutputFolder(OutputFolder &&other)
    : path(std::move(other.path)), temporary(std::move(other.temporary)),
      replaces(other.replaces), files(std::move(other.files)) {
  other.temporary.clear();
}

OutputFolder::~OutputFolder() {
  if (temporary.empty())
    return;
  TemporaryFolders &folders = getTemporaryFolders();
  std::lock_guard lock(folders.mutex);
  sys::fs::remove_directories(temporary);
  folders.paths.erase(temporary);
}

std::string OutputFolder::getPath(StringRef name) {
  if (!is_contained(files, name))
    files.push_back(name.str());
  SmallString<128> file(temporary);
  sys::path::append(file, name);
  return file.str().str();
}

Error OutputFolder::add(StringRef name, StringRef content) {
  std::lock_guard lock(getTemporaryFolders().mutex);
  std::string file = getPath(name);
  std::error_code code;
  raw_fd_ostream os(file, code, sys::fs::OF_None);
  if (!code) {
    os << content;
    os.close();
    code = os.error();
    os.clear_error();
  }
  return code ? makeError(path + "/" + name.str(), code) : Error::success();
}

Error OutputFolder::commit(function_ref<void(json::OStream &)> describe) {
  std::string manifest;
  {
    raw_string_ostream os(manifest);
    json::OStream json(os, /*IndentSize=*/2);
    std::vector<std::string> listed = files;
    json.object([&] {
      json.attributeArray("files", [&] {
        for (const std::string &file : listed)
          json.value(file);
      });
      describe(json);
    });
    os << "\n";
  }
  if (Error error = add(kManifest, manifest))
    return error;
  TemporaryFolders &folders = getTemporaryFolders();
  std::lock_guard lock(folders.mutex);
  if (!replaces) {
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      return makeError(path, std::error_code(errno, std::generic_category()));
    folders.paths.erase(temporary);
    temporary.clear();
    return Error::success();
  }
  // Afterwards the temporary name is that of the old folder, which goes.
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(),
                RENAME_EXCHANGE) == 0)
    return Error::success();
  std::string old = temporary + ".old";
  if (std::rename(path.c_str(), old.c_str()) != 0)
    return makeError(path, std::error_code(errno, std::generic_category()));
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    int number = errno;
    std::rename(old.c_str(), path.c_str());
    return makeError(path, std::error_code(number, std::generic_category()));
  }
  folders.paths.erase(temporary);
  folders.paths.insert(old);
  temporary = old;
  return Error::success();
}
