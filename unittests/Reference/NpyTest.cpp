// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Npy.h"
#include "TestGraph.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace gc::reference;

namespace {
/// A directory that is gone with its files after the test.
class Npy : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npy", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string getPath(llvm::StringRef name) {
    llvm::SmallString<128> path = directory;
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  /// Writes a file with the given header dictionary (version 1) and data.
  std::string write(llvm::StringRef dictionary, llvm::StringRef data,
                    llvm::StringRef prefix = llvm::StringRef("\x93NUMPY\1\0",
                                                             8)) {
    std::string path = getPath("in.npy");
    std::error_code code;
    llvm::raw_fd_ostream out(path, code);
    EXPECT_FALSE(code);
    out << prefix << static_cast<char>(dictionary.size() & 255)
        << static_cast<char>(dictionary.size() >> 8) << dictionary << data;
    return path;
  }

  /// The message that reading this file gives, without its path.
  std::string getError(llvm::StringRef dictionary, llvm::StringRef data) {
    std::string path = write(dictionary, data), error;
    EXPECT_TRUE(failed(readNpy(path, error)));
    EXPECT_EQ(error.substr(0, path.size() + 2), path + ": ");
    return error.size() > path.size() + 2 ? error.substr(path.size() + 2) : "";
  }

  llvm::SmallString<128> directory;
};
} // namespace

TEST_F(Npy, RoundTrips) {
  struct {
    ElementType type;
    std::vector<double> values;
  } cases[] = {
      {ElementType::F32, {1.5, -0.1f, HUGE_VAL, 0, 1e-40f, 3}},
      {ElementType::F64, {1.5, -0.1, 3, 0, 1, 2}},
      {ElementType::F16, {1.5, -0.25, 65504, 0, 1, 2}},
      {ElementType::BF16, {1.5, -0.25, 0x1p100, 0, 1, 2}},
      {ElementType::S32, {-2147483648.0, 2147483647, 0, 1, 2, 3}},
      {ElementType::S8, {-128, 127, 0, 1, 2, 3}},
      {ElementType::U8, {255, 0, 1, 2, 3, 4}},
      {ElementType::Boolean, {1, 0, 1, 1, 0, 0}},
  };
  for (const auto &test : cases) {
    std::string path = getPath("x.npy"), error;
    Tensor tensor = makeTensor(test.type, {2, 3}, test.values);
    ASSERT_TRUE(succeeded(writeNpy(path, tensor, error))) << error;
    auto read = readNpy(path, error);
    ASSERT_TRUE(succeeded(read)) << error;
    EXPECT_EQ(read->getType(), test.type);
    EXPECT_EQ(read->getShape(), (llvm::ArrayRef<int64_t>{2, 3}));
    EXPECT_EQ(read->getValues(), test.values);
  }
}

TEST_F(Npy, WritesWhatNumpyWrites) {
  std::string path = getPath("x.npy"), error;
  ASSERT_TRUE(succeeded(writeNpy(path, makeTensor({2}, {1, -2}), error)));
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(file));
  std::string expected("\x93NUMPY\1\0\x76\0", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expected.resize(127, ' ');
  expected += "\n";
  expected += std::string("\0\0\x80\x3f\0\0\0\xc0", 8);
  EXPECT_EQ((*file)->getBuffer(), expected);
}

TEST_F(Npy, WritesStridedAndScalarTensors) {
  std::string path = getPath("x.npy"), error;
  Tensor view = makeTensor({2, 3}, {1, 2, 3, 4, 5, 6}).withView({3, 2}, {1, 3});
  ASSERT_TRUE(succeeded(writeNpy(path, view, error)));
  EXPECT_EQ(readNpy(path, error)->getValues(),
            (std::vector<double>{1, 4, 2, 5, 3, 6}));
  Tensor scalar = makeTensor(llvm::ArrayRef<int64_t>(), {7});
  ASSERT_TRUE(succeeded(writeNpy(path, scalar, error)));
  EXPECT_EQ(readNpy(path, error)->getRank(), 0);
  ASSERT_TRUE(succeeded(writeNpy(path, makeTensor({0, 4}, {}), error)));
  EXPECT_EQ(readNpy(path, error)->getNumElements(), 0);
}

TEST_F(Npy, ReadsFortranOrderAndOtherSpellings) {
  std::string error;
  auto read =
      readNpy(write("{\"shape\":(2,3),'fortran_order':True,'descr':'|u1'}  \n",
                    llvm::StringRef("\1\4\2\5\3\6", 6)),
              error);
  ASSERT_TRUE(succeeded(read)) << error;
  EXPECT_EQ(read->getValues(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  // bf16 as its bits.
  read =
      readNpy(write("{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}",
                    llvm::StringRef("\x80\x3f", 2)),
              error);
  ASSERT_TRUE(succeeded(read)) << error;
  EXPECT_EQ(read->getType(), ElementType::BF16);
  EXPECT_EQ(read->getValues(), std::vector<double>{1});
}

TEST_F(Npy, ReadsInt64AsInt32) {
  std::string error;
  llvm::StringLiteral header(
      "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 1)}");
  auto read =
      readNpy(write(header, llvm::StringRef("\xff\xff\xff\xff\xff\xff\xff\xff"
                                            "\xff\xff\xff\x7f\0\0\0\0",
                                            16)),
              error);
  ASSERT_TRUE(succeeded(read)) << error;
  EXPECT_EQ(read->getType(), ElementType::S32);
  EXPECT_EQ(read->getValues(), (std::vector<double>{-1, 2147483647}));
  EXPECT_TRUE(failed(readNpy(write(header, llvm::StringRef("\0\0\0\0\0\0\0\0"
                                                           "\0\0\0\x80\0\0\0\0",
                                                           16)),
                             error)));
  EXPECT_NE(error.find("does not fit in int32"), std::string::npos) << error;
}

TEST_F(Npy, ReadsVersion2) {
  // The length has four bytes; write() adds the lower two.
  std::string dictionary =
      "{'descr': '|i1', 'fortran_order': False, 'shape': ()}";
  std::string path = getPath("in.npy"), error;
  std::error_code code;
  {
    llvm::raw_fd_ostream out(path, code);
    out << llvm::StringRef("\x93NUMPY\2\0", 8)
        << static_cast<char>(dictionary.size()) << '\0' << '\0' << '\0'
        << dictionary << '\xff';
  }
  auto read = readNpy(path, error);
  ASSERT_TRUE(succeeded(read)) << error;
  EXPECT_EQ(read->get({}), -1);
}

TEST_F(Npy, BadFilesGiveOneClearError) {
  llvm::StringRef four("\0\0\0\0", 4);
  EXPECT_EQ(
      getError("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", four),
      "has 4 bytes of data where f32[2] takes 8");
  EXPECT_EQ(getError("{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                     "12345"),
            "has 5 bytes of data where f32[] takes 4");
  EXPECT_EQ(
      getError("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", four),
      "unsupported element type '<c8'");
  EXPECT_EQ(
      getError("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", four),
      "unsupported element type '>f4'");
  EXPECT_EQ(getError("{'descr': '<f4', 'fortran_order': False, 'shape': "
                     "(4294967296, 4294967296)}",
                     four),
            "the size of its shape overflows");
  for (const char *dictionary :
       {"", "{", "{}", "{'descr': '<f4'}", "garbage",
        "{'descr': '<f4', 'fortran_order': 3, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}"})
    EXPECT_EQ(getError(dictionary, four), "malformed header") << dictionary;
}

TEST_F(Npy, NoNpyFileAtAll) {
  std::string error, path = getPath("none.npy");
  EXPECT_TRUE(failed(readNpy(path, error)));
  EXPECT_EQ(error, path + ": No such file or directory");
  EXPECT_TRUE(failed(readNpy(directory, error)));
  EXPECT_EQ(error, directory.str().str() + ": not a regular file");
  path = write("", "", "PK\3\4 zip, not npy");
  EXPECT_TRUE(failed(readNpy(path, error)));
  EXPECT_EQ(error, path + ": not a .npy file");
  path = write("{'descr'", "", llvm::StringRef("\x93NUMPY\7\0", 8));
  EXPECT_TRUE(failed(readNpy(path, error)));
  EXPECT_EQ(error, path + ": unknown .npy version 7");
  // The header's length exceeds the file.
  path = write("", "", llvm::StringRef("\x93NUMPY\1\0\xff\xff", 10));
  EXPECT_TRUE(failed(readNpy(path, error)));
  EXPECT_EQ(error, path + ": ends within the header");
}

TEST_F(Npy, ReadsIntoATensorType) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2x2xf32, #graph.layout<strided, [1, 3]>>,
                    %b: tensor<2xsi4>) { return })");
  auto type = [&](unsigned i) {
    return mlir::cast<mlir::RankedTensorType>(
        graph.getFunction().getArgumentTypes()[i]);
  };
  std::string path = getPath("x.npy"), error;
  ASSERT_TRUE(
      succeeded(writeNpy(path, makeTensor({2, 2}, {1, 2, 3, 4}), error)));
  auto read = readNpy(path, type(0), error);
  ASSERT_TRUE(succeeded(read)) << error;
  EXPECT_EQ(read->getStrides(), (llvm::ArrayRef<int64_t>{1, 3}));
  EXPECT_EQ(read->getValues(), (std::vector<double>{1, 2, 3, 4}));

  EXPECT_TRUE(failed(readNpy(path, type(1), error)));
  EXPECT_EQ(error, path + ": holds f32[2, 2] where si4[2] is expected");
  ASSERT_TRUE(succeeded(
      writeNpy(path, makeTensor(ElementType::S4, {2}, {-8, 7}), error)));
  EXPECT_EQ(readNpy(path, type(1), error)->getValues(),
            (std::vector<double>{-8, 7}));
  ASSERT_TRUE(succeeded(
      writeNpy(path, makeTensor(ElementType::S8, {2}, {-8, 9}), error)));
  EXPECT_TRUE(failed(readNpy(path, type(1), error)));
  EXPECT_EQ(error, path + ": holds the value 9, which is not of type si4");
}

TEST_F(Npy, UnwritablePathIsAnError) {
  std::string error, path = getPath("missing/x.npy");
  EXPECT_TRUE(failed(writeNpy(path, makeTensor({1}, {1}), error)));
  EXPECT_EQ(error.substr(0, path.size()), path);
}
