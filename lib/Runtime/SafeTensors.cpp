// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SafeTensors.h"
#include "Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gc::runtime;

namespace {

/// The part of JSON that headers consist of. Every read checks the end.
class HeaderReader {
public:
  HeaderReader(const char *Begin, const char *End) : Next(Begin), End(End) {}

  bool accept(char C) {
    skipBlanks();
    if (Next == End || *Next != C)
      return false;
    ++Next;
    return true;
  }
  bool readString(std::string &Text) {
    Text.clear();
    if (!accept('"'))
      return false;
    while (Next != End && *Next != '"') {
      if (*Next != '\\') {
        Text += *Next++;
        continue;
      }
      if (++Next == End || !readEscape(Text))
        return false;
    }
    return accept('"');
  }
  bool readNumber(uint64_t &Number) {
    skipBlanks();
    const char *Begin = Next;
    Number = 0;
    for (; Next != End && *Next >= '0' && *Next <= '9'; ++Next)
      if (__builtin_mul_overflow(Number, uint64_t(10), &Number) ||
          __builtin_add_overflow(Number, uint64_t(*Next - '0'), &Number))
        return false;
    return Next != Begin;
  }
  bool readNumbers(std::vector<uint64_t> &Numbers) {
    Numbers.clear();
    if (!accept('['))
      return false;
    if (accept(']'))
      return true;
    do {
      Numbers.emplace_back();
      if (!readNumber(Numbers.back()))
        return false;
    } while (accept(','));
    return accept(']');
  }
  /// An object of strings: what __metadata__ is.
  bool skipStrings() {
    if (!accept('{'))
      return false;
    if (accept('}'))
      return true;
    std::string Text;
    do {
      if (!readString(Text) || !accept(':') || !readString(Text))
        return false;
    } while (accept(','));
    return accept('}');
  }
  bool atEnd() {
    skipBlanks();
    return Next == End;
  }

private:
  void skipBlanks() {
    while (Next != End &&
           (*Next == ' ' || *Next == '\n' || *Next == '\t' || *Next == '\r'))
      ++Next;
  }
  bool readEscape(std::string &Text) {
    static const char Codes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char C = *Next++;
    for (const char *Code = Codes; *Code; Code += 2)
      if (C == *Code) {
        Text += Code[1];
        return true;
      }
    // \u00XX: other characters come as UTF-8.
    if (C != 'u' || End - Next < 4)
      return false;
    unsigned Value = 0;
    for (int I = 0; I < 4; ++I, ++Next) {
      const char *Digits = "0123456789abcdef";
      const char *Digit = std::strchr(Digits, *Next | 0x20);
      if (!*Next || !Digit)
        return false;
      Value = Value * 16 + unsigned(Digit - Digits);
    }
    if (Value > 0x7f)
      return false;
    Text += char(Value);
    return true;
  }

  const char *Next, *End;
};

} // namespace

SafeTensors::~SafeTensors() {
  if (Mapping)
    munmap(Mapping, Bytes);
}

gc_status SafeTensors::open(const char *File) {
  Path = File;
  int Descriptor = ::open(File, O_RDONLY | O_CLOEXEC);
  if (Descriptor < 0)
    return fail(GC_INVALID_ARGUMENT, "%s: %s", File, std::strerror(errno));
  struct stat Status;
  bool IsFile = fstat(Descriptor, &Status) == 0 && S_ISREG(Status.st_mode);
  void *Address = MAP_FAILED;
  if (IsFile && Status.st_size > 0)
    Address = mmap(nullptr, size_t(Status.st_size), PROT_READ, MAP_PRIVATE,
                   Descriptor, 0);
  close(Descriptor);
  if (Address == MAP_FAILED)
    return fail(GC_INVALID_ARGUMENT, "%s: cannot be mapped into memory", File);
  Mapping = Address;
  Bytes = uint64_t(Status.st_size);
  uint64_t Length = 0;
  if (Bytes >= sizeof Length)
    std::memcpy(&Length, Mapping, sizeof Length);
  if (Bytes < sizeof Length || Length > Bytes - sizeof Length ||
      parseHeader(Length) != GC_OK)
    return fail(GC_INVALID_ARGUMENT, "%s: is not a safetensors file", File);
  return GC_OK;
}

gc_status SafeTensors::parseHeader(uint64_t Length) {
  const char *Text = static_cast<const char *>(Mapping) + sizeof Length;
  DataOffset = sizeof Length + Length;
  HeaderReader Reader(Text, Text + Length);
  if (!Reader.accept('{'))
    return GC_INVALID_ARGUMENT;
  bool More = !Reader.accept('}');
  while (More) {
    Entry New;
    if (!Reader.readString(New.Name) || !Reader.accept(':'))
      return GC_INVALID_ARGUMENT;
    if (New.Name == "__metadata__") {
      if (!Reader.skipStrings())
        return GC_INVALID_ARGUMENT;
    } else {
      std::vector<uint64_t> Range;
      if (!Reader.accept('{'))
        return GC_INVALID_ARGUMENT;
      do {
        std::string Key;
        if (!Reader.readString(Key) || !Reader.accept(':'))
          return GC_INVALID_ARGUMENT;
        bool Read = Key == "dtype"          ? Reader.readString(New.Type)
                    : Key == "shape"        ? Reader.readNumbers(New.Shape)
                    : Key == "data_offsets" ? Reader.readNumbers(Range)
                                            : false;
        if (!Read)
          return GC_INVALID_ARGUMENT;
      } while (Reader.accept(','));
      if (!Reader.accept('}') || Range.size() != 2 || Range[0] > Range[1] ||
          Range[1] > Bytes - DataOffset)
        return GC_INVALID_ARGUMENT;
      New.Begin = Range[0];
      New.End = Range[1];
      Entries.push_back(std::move(New));
    }
    More = Reader.accept(',');
    if (!More && !Reader.accept('}'))
      return GC_INVALID_ARGUMENT;
  }
  return Reader.atEnd() ? GC_OK : GC_INVALID_ARGUMENT;
}

gc_status SafeTensors::find(const gc_weight &Weight, const void *&Data) const {
  for (const Entry &E : Entries) {
    if (E.Name != Weight.name)
      continue;
    bool SameShape = E.Shape.size() == Weight.rank;
    for (uint64_t I = 0; SameShape && I < Weight.rank; ++I)
      SameShape = E.Shape[I] == Weight.shape[I];
    if (!SameShape || E.Type != Weight.type || E.End - E.Begin != Weight.bytes)
      return fail(GC_INVALID_ARGUMENT,
                  "%s: tensor '%s' has another type or shape than the one the "
                  "code was compiled for",
                  Path.c_str(), Weight.name);
    // As the compiled code reads it: whole elements, and folded buffers as the
    // runtime itself would allocate them.
    uint64_t Elements = 1;
    for (uint64_t Size : E.Shape)
      Elements *= Size;
    uint64_t Alignment = Weight.is_folded ? 64
                         : Elements       ? Weight.bytes / Elements
                                          : 1;
    uint64_t Offset = DataOffset + E.Begin;
    if (Alignment > 1 && Offset % Alignment != 0)
      return fail(GC_INVALID_ARGUMENT,
                  "%s: tensor '%s' is not at a multiple of %llu bytes",
                  Path.c_str(), Weight.name,
                  static_cast<unsigned long long>(Alignment));
    Data = static_cast<const char *>(Mapping) + Offset;
    return GC_OK;
  }
  return fail(GC_INVALID_ARGUMENT, "%s: there is no tensor '%s'", Path.c_str(),
              Weight.name);
}
