// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rules of kernel specs, each broken once, and their names.

#include "Machine/KernelSpec.h"
#include "Machine/KernelChoice.h"
#include "gtest/gtest.h"

#include <functional>

using namespace gc;

namespace {

KernelSpec int8Kernel() {
  KernelSpec spec = KernelSpec::getDense(DataType::u8, 4, 32, 64);
  spec.b = DataType::s8;
  spec.packB = 4;
  return spec;
}

TEST(KernelSpec, Dense) {
  KernelSpec spec = KernelSpec::getDense(DataType::f32, 4, 32, 64);
  EXPECT_EQ(spec.lda, 64);
  EXPECT_EQ(spec.ldb, 32);
  EXPECT_EQ(spec.ldc, 32);
  EXPECT_EQ(spec.strideA, 256);
  EXPECT_EQ(spec.strideB, 2048);
  EXPECT_TRUE(spec.isOfType(DataType::f32));
  EXPECT_TRUE(spec.isPlain());
  EXPECT_EQ(spec.findError(), "");
}

TEST(KernelSpec, SumsAreWide) {
  KernelSpec half = KernelSpec::getDense(DataType::bf16, 4, 32, 64);
  EXPECT_EQ(half.accumulator, DataType::f32);
  EXPECT_EQ(half.c, DataType::f32);
  EXPECT_FALSE(half.isOfType(DataType::bf16));
  // The result may be narrower than the sums.
  half.c = DataType::bf16;
  EXPECT_EQ(half.findError(), "");
  EXPECT_EQ(int8Kernel().accumulator, DataType::s32);
  EXPECT_EQ(int8Kernel().findError(), "");
}

TEST(KernelSpec, Sizes) {
  EXPECT_EQ(getBits(DataType::f32), 32);
  EXPECT_EQ(getBits(DataType::s32), 32);
  EXPECT_EQ(getBits(DataType::bf16), 16);
  EXPECT_EQ(getBits(DataType::f16), 16);
  EXPECT_EQ(getBytes(DataType::u8), 1);
  EXPECT_EQ(getBytes(DataType::s8), 1);
}

TEST(KernelSpec, TransposedOperandsHaveOtherRows) {
  KernelSpec spec = KernelSpec::getDense(DataType::f32, 4, 32, 64);
  spec.transposeA = spec.transposeB = true;
  EXPECT_EQ(spec.getRowsA(), 64);
  EXPECT_EQ(spec.getColumnsA(), 4);
  EXPECT_EQ(spec.getRowsB(), 32);
  EXPECT_EQ(spec.getColumnsB(), 64);
  // B's rows of 64 do not fit a distance of 32.
  EXPECT_EQ(spec.findError().take_front(4), "(C2)");
  spec.ldb = 64;
  EXPECT_EQ(spec.findError(), "");
}

TEST(KernelSpec, EveryRule) {
  auto broken = [](KernelSpec spec, std::function<void(KernelSpec &)> change) {
    EXPECT_EQ(spec.findError(), "");
    change(spec);
    return spec.findError().split(' ').first.str();
  };
  KernelSpec f32 = KernelSpec::getDense(DataType::f32, 4, 32, 64);
  KernelSpec int8 = int8Kernel();
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.m = 0; }), "(C1)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.k = -1; }), "(C1)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.lda = 0; }), "(C2)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.ldb = 31; }), "(C2)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.ldc = 31; }), "(C2)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.beta = 2; }), "(C3)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.a = DataType::bf16; }), "(C4)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.a = DataType::s32; }), "(C4)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.accumulator = DataType::f32; }),
            "(C5)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.packB = 2; }), "(C6)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.packB = 2; }), "(C6)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.packA = 4; }), "(C7)");
  EXPECT_EQ(broken(int8,
                   [](KernelSpec &s) {
                     s.transposeA = true;
                     s.packA = 4;
                     s.k = 62;
                   }),
            "(C8)");
  EXPECT_EQ(broken(int8, [](KernelSpec &s) { s.k = 62; }), "");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.batch = BatchForm::offset; }),
            "(C9)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.zeroPointB = 1; }), "(C10)");
  EXPECT_EQ(broken(f32, [](KernelSpec &s) { s.ldScaleB = 32; }), "(C11)");
  KernelSpec weights = f32;
  weights.b = DataType::s4;
  weights.packB = 8;
  weights.ldScaleB = 32;
  EXPECT_EQ(broken(weights, [](KernelSpec &s) { s.ldScaleB = 31; }), "(C11)");
  EXPECT_EQ(broken(weights,
                   [](KernelSpec &s) {
                     s.hasZeroPointsB = true;
                     s.zeroPointB = 1;
                   }),
            "(C12)");
  EXPECT_EQ(broken(weights, [](KernelSpec &s) { s.strideB = 129; }), "(C13)");
}

TEST(KernelSpec, WeightsInTheirOwnType) {
  KernelSpec weights = KernelSpec::getDense(DataType::f32, 1, 64, 128);
  EXPECT_FALSE(weights.widensB());
  weights.b = DataType::u4;
  weights.packB = 8;
  weights.ldScaleB = 64;
  weights.hasZeroPointsB = true;
  EXPECT_TRUE(weights.widensB());
  EXPECT_EQ(getRefusal(weights, KernelKind::vector), "");
  EXPECT_NE(getRefusal(weights, KernelKind::library), "");
  EXPECT_NE(weights.getName().find("_s64zp"), std::string::npos);
  weights.packB = 1;
  EXPECT_NE(getRefusal(weights, KernelKind::vector), "");
}

TEST(KernelSpec, MostRowsOfGeneratedKernels) {
  KernelSpec int8 = int8Kernel();
  EXPECT_EQ(getRefusal(int8, KernelKind::vector), "");
  int8.m = (1 << 16) + 1;
  EXPECT_EQ(getRefusal(int8, KernelKind::vector),
            "generated kernels of integers have at most 65536 rows");
}

TEST(KernelSpec, Names) {
  KernelSpec spec = KernelSpec::getDense(DataType::f32, 4, 32, 64);
  spec.beta = 1;
  EXPECT_EQ(spec.getName(), "f32_m4n32k64_lda64ldb32ldc32_sa256sb2048_beta1");
  EXPECT_EQ(spec.describe(),
            "f32 x f32 -> f32, sums in f32, m=4 n=32 k=64 lda=64 ldb=32 ldc=32 "
            "stride_a=256 stride_b=2048 beta=1");
  spec = int8Kernel();
  spec.c = DataType::u8;
  spec.batch = BatchForm::address;
  spec.strideA = spec.strideB = 0;
  EXPECT_EQ(spec.getName(),
            "u8s8_u8_s32_bp4_m4n32k64_lda64ldb32ldc32_address_beta0");
  EXPECT_EQ(spec.describe(),
            "u8 x s8 packed by 4 -> u8, sums in s32, m=4 n=32 k=64 lda=64 "
            "ldb=32 ldc=32 batch=address beta=0");
}

// Specs that differ in any field are different kernels.
TEST(KernelSpec, NamesAreUnique) {
  KernelSpec spec = KernelSpec::getDense(DataType::f32, 4, 32, 64);
  auto differs = [&](auto KernelSpec::*field, auto value) {
    KernelSpec other = spec;
    other.*field = value;
    EXPECT_NE(spec, other);
    EXPECT_NE(spec.getName(), other.getName()) << other.getName();
    EXPECT_NE(spec.describe(), other.describe()) << other.describe();
  };
  for (auto field :
       {&KernelSpec::m, &KernelSpec::n, &KernelSpec::k, &KernelSpec::lda,
        &KernelSpec::ldb, &KernelSpec::ldc, &KernelSpec::packA,
        &KernelSpec::packB, &KernelSpec::strideA, &KernelSpec::strideB,
        &KernelSpec::beta})
    differs(field, int64_t(7));
  for (auto field : {&KernelSpec::a, &KernelSpec::b, &KernelSpec::c,
                     &KernelSpec::accumulator})
    differs(field, DataType::bf16);
  for (auto field : {&KernelSpec::transposeA, &KernelSpec::transposeB})
    differs(field, true);
  differs(&KernelSpec::batch, BatchForm::offset);
}

} // namespace
