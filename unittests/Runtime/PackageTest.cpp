// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Packages on the standalone runtime: loading, weights, plain threads.

#include "Runtime/Package.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::atomic<int64_t> LastTeam;

/// y = x + w, where w is 4 int32; folded buffer 0 is a copy of w.
int32_t fold(void *const *Args, void *, const gc_team *Team) {
  if (Team->thread == 0)
    std::memcpy(Args[1], Args[0], 16);
  return GC_OK;
}
int32_t compute(void *const *Args, void *, const gc_team *Team) {
  if (Team->thread == 0) {
    LastTeam = Team->size;
    for (int I = 0; I < 4; ++I)
      static_cast<int32_t *>(Args[2])[I] = static_cast<int32_t *>(Args[0])[I] +
                                           static_cast<int32_t *>(Args[3])[I];
  }
  gc_barrier_wait(Team);
  return GC_OK;
}

const uint32_t FoldInputs[] = {1};
const uint64_t FoldedBytes[] = {16};
const uint64_t Shape[] = {4};
const gc_weight RawWeight = {"w", "I32", 1, Shape, 16, 1, 0};
const uint64_t FoldedShape[] = {16};
const gc_weight FoldedWeight = {"folded.0", "U8", 1, FoldedShape, 16, 0, 1};

struct PackageTest : testing::Test {
  PackageTest() {
    Module.abi_version = GC_ABI_VERSION;
    Module.num_inputs = 2;
    Module.num_outputs = 1;
    Module.num_fold_inputs = 1;
    Module.num_folded = 1;
    Module.name = "sum";
    Module.fold_inputs = FoldInputs;
    Module.folded_bytes = FoldedBytes;
    Module.fold = fold;
    Module.compute = compute;
    Package.version = GC_PACKAGE_VERSION;
    Package.module = &Module;
    Package.threads = 2;
    Path = testing::TempDir() + "weights-" + std::to_string(getpid());
  }
  ~PackageTest() override {
    gc_package_unload(&Loaded);
    unlink(Path.c_str());
  }

  void setWeight(const gc_weight &Weight) {
    Package.weights = &Weight;
    Package.num_weights = 1;
  }
  void write(const std::string &Bytes) {
    std::FILE *File = std::fopen(Path.c_str(), "wb");
    std::fwrite(Bytes.data(), 1, Bytes.size(), File);
    std::fclose(File);
  }
  std::string makeFile(std::string Header, uint64_t Shift = 0) {
    Header.resize((Header.size() + 8 + 63) / 64 * 64 - 8 + Shift, ' ');
    uint64_t Length = Header.size();
    std::string Bytes(reinterpret_cast<const char *>(&Length), 8);
    Bytes += Header;
    Bytes.append(reinterpret_cast<const char *>(W), sizeof W);
    return Bytes;
  }
  gc_status load() { return gc_package_load(&Package, &Loaded, Path.c_str()); }
  gc_status execute(int64_t Threads = 0) {
    void *Inputs[] = {X, Package.num_weights ? nullptr : W};
    void *Outputs[] = {Y};
    std::memset(Y, 0, sizeof Y);
    return gc_package_execute(&Package, &Loaded, nullptr, Threads, Inputs,
                              Outputs, nullptr);
  }
  void expectSum() {
    for (int I = 0; I < 4; ++I)
      EXPECT_EQ(Y[I], X[I] + W[I]);
  }
  void expectError(const char *Part) {
    EXPECT_NE(std::strstr(gc_last_error(), Part), nullptr) << gc_last_error();
  }

  gc_module Module = {};
  gc_package Package = {};
  gc_loaded *Loaded = nullptr;
  std::string Path;
  int32_t X[4] = {1, 2, 3, 4}, W[4] = {10, 20, 30, 40}, Y[4];
};

const char GoodHeader[] =
    R"({"__metadata__":{"a":"b"}, "w":{"dtype":"I32","shape":[4],)"
    R"("data_offsets":[0,16]}}  )";

TEST_F(PackageTest, LoadsItselfAndAgain) {
  ASSERT_EQ(execute(), GC_OK);
  expectSum();
  EXPECT_EQ(LastTeam, 2);
  gc_package_unload(&Loaded);
  EXPECT_EQ(Loaded, nullptr);
  ASSERT_EQ(gc_package_load(&Package, &Loaded, nullptr), GC_OK);
  EXPECT_EQ(gc_package_load(&Package, &Loaded, nullptr), GC_INVALID_ARGUMENT);
  expectError("'sum' is loaded already");
  ASSERT_EQ(execute(), GC_OK);
  expectSum();
}

TEST_F(PackageTest, ThePoolGrows) {
  for (int64_t Threads : {1, 3, 2, 5, 1}) {
    ASSERT_EQ(execute(Threads), GC_OK);
    EXPECT_EQ(LastTeam, Threads);
  }
}

TEST_F(PackageTest, SeveralHostThreads) {
  std::vector<std::thread> Threads;
  std::atomic<int> Failures{0};
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&] {
      int32_t Result[4];
      void *Inputs[] = {X, W}, *Outputs[] = {Result};
      for (int Run = 0; Run < 100; ++Run)
        if (gc_package_execute(&Package, &Loaded, nullptr, 1 + Run % 4, Inputs,
                               Outputs, nullptr) != GC_OK ||
            Result[3] != 44)
          ++Failures;
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Failures, 0);
}

TEST_F(PackageTest, AChildProcessHasItsOwnThreads) {
  ASSERT_EQ(execute(3), GC_OK);
  pid_t Child = fork();
  if (Child == 0)
    _exit(execute(3) == GC_OK && Y[0] == 11 && LastTeam == 3 ? 0 : 1);
  int Status = 1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

TEST_F(PackageTest, RefusesOtherVersionsAndProcessors) {
  Package.version = 7;
  EXPECT_EQ(execute(), GC_UNSUPPORTED);
  expectError("the package has version 7, this runtime has 1");
  Package.version = GC_PACKAGE_VERSION;
  Module.abi_version = 1;
  EXPECT_EQ(execute(), GC_UNSUPPORTED);
  expectError("ABI version 1");
  Module.abi_version = GC_ABI_VERSION;
  Module.target_features = "+sse2,+avx1024";
  EXPECT_EQ(load(), GC_UNSUPPORTED);
  expectError("'avx1024', which this host does not have");
}

TEST_F(PackageTest, WeightsComeFromTheFile) {
  setWeight(RawWeight);
  EXPECT_EQ(execute(), GC_INVALID_ARGUMENT);
  expectError("the weights of 'sum' are in a file: call sum_load first");
  EXPECT_EQ(load(), GC_INVALID_ARGUMENT);
  expectError("No such file");
  write(makeFile(GoodHeader));
  ASSERT_EQ(load(), GC_OK) << gc_last_error();
  ASSERT_EQ(execute(), GC_OK);
  expectSum();
}

TEST_F(PackageTest, FoldedBuffersComeFromTheFileOrTheCode) {
  setWeight(FoldedWeight);
  write(makeFile(R"({"folded.0":{"dtype":"U8","shape":[16],)"
                 R"("data_offsets":[0,16]}})"));
  ASSERT_EQ(load(), GC_OK) << gc_last_error();
  ASSERT_EQ(execute(), GC_OK);
  expectSum();
  gc_package_unload(&Loaded);
  const void *Folded[] = {W};
  Package.num_weights = 0;
  Package.folded = Folded;
  Module.fold = [](void *const *, void *, const gc_team *) -> int32_t {
    return GC_INVALID_ARGUMENT;
  };
  ASSERT_EQ(execute(), GC_OK) << gc_last_error();
  expectSum();
}

TEST_F(PackageTest, RefusesOtherFiles) {
  setWeight(RawWeight);
  for (const char *Header :
       {R"({"v":{"dtype":"I32","shape":[4],"data_offsets":[0,16]}})",
        R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
        R"({"w":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}})",
        R"({"w":{"dtype":"I32","shape":[4],"data_offsets":[0,12]}})",
        R"({"w":{"dtype":"I32","shape":[4],"data_offsets":[8,24]}})",
        R"({"w":{"dtype":"I32","shape":[4],"data_offsets":[16,0]}})",
        R"({"w":{"dtype":"I32","shape":[4]}})", R"({"w":3})", R"([])", ""}) {
    write(makeFile(Header));
    EXPECT_EQ(load(), GC_INVALID_ARGUMENT) << Header;
    expectError(Path.c_str());
  }
}

TEST_F(PackageTest, RefusesDataThatIsNotAligned) {
  setWeight(RawWeight);
  write(makeFile(GoodHeader, /*Shift=*/2));
  EXPECT_EQ(load(), GC_INVALID_ARGUMENT);
  expectError("tensor 'w' is not at a multiple of 4 bytes");
}

/// Damaged files give a status, whatever is wrong with them.
TEST_F(PackageTest, SurvivesDamagedFiles) {
  setWeight(RawWeight);
  std::string Good = makeFile(GoodHeader);
  std::mt19937 Random(1);
  for (int I = 0; I < 3000; ++I) {
    std::string Bad = Good;
    if (I % 3 == 0)
      Bad.resize(Random() % Bad.size());
    for (unsigned Changes = 1 + Random() % 3; Changes && !Bad.empty();
         --Changes)
      Bad[Random() % Bad.size()] = char(Random());
    write(Bad);
    if (load() == GC_OK) {
      EXPECT_EQ(execute(), GC_OK);
      gc_package_unload(&Loaded);
    }
  }
}

} // namespace
