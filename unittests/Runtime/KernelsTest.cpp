// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GuardedBuffer.h"
#include "Runtime/Runtime.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using Kernel = void (*)(const void *, const void *, void *,
                        const unsigned long long *);
using OffsetKernel = void (*)(const void *, const void *, void *,
                              const unsigned long long *,
                              const unsigned long long *,
                              const unsigned long long *);

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

/// A kernel in f32, with strides in elements.
gc_kernel_spec makeSpec(int64_t M, int64_t N, int64_t K, int64_t Lda,
                        int64_t Ldb, int64_t Ldc, int64_t StrideA,
                        int64_t StrideB, int64_t Beta) {
  return {GC_KERNEL_SPEC_VERSION,
          GC_F32,
          GC_F32,
          GC_F32,
          GC_F32,
          /*pack_a=*/1,
          /*pack_b=*/1,
          /*transpose_a=*/0,
          /*transpose_b=*/0,
          M,
          N,
          K,
          Lda,
          Ldb,
          Ldc,
          GC_BATCH_STRIDE,
          StrideA,
          StrideB,
          Beta,
          0,
          0,
          0,
          0};
}

void *dispatch(const gc_kernel_spec &Spec) { return gc_brgemm_dispatch(&Spec); }

struct Case {
  int64_t M, N, K, Lda, Ldb, Ldc, Batch, Beta;
  /// false: batch elements are one after another; true: they are column slices
  /// of one wide matrix A and row slices of one B, as in an unblocked layout.
  bool Interleaved = false;
  gc_batch_form Form = GC_BATCH_STRIDE;

  std::string name() const {
    return "m=" + std::to_string(M) + " n=" + std::to_string(N) +
           " k=" + std::to_string(K) + " lda=" + std::to_string(Lda) +
           " ldb=" + std::to_string(Ldb) + " ldc=" + std::to_string(Ldc) +
           " batch=" + std::to_string(Batch) + " beta=" + std::to_string(Beta) +
           " form=" + std::to_string(Form);
  }
};

/// Elements from the first to the last of a matrix, no padding after it.
int64_t span(int64_t Rows, int64_t Columns, int64_t Ld) {
  return (Rows - 1) * Ld + Columns;
}

/// Runs one kernel and a loop in double precision. Operands end at an
/// inaccessible page, and everything between rows is NaN in A and B, so that
/// reading outside the matrices faults or shows; C keeps what is between its
/// rows.
class Check {
public:
  explicit Check(const Case &T)
      : T(T), StrideA(T.Interleaved ? T.K : span(T.M, T.K, T.Lda)),
        StrideB(T.Interleaved ? T.K * T.Ldb : span(T.K, T.N, T.Ldb)),
        A((T.Batch - 1) * StrideA + span(T.M, T.K, T.Lda)),
        B((T.Batch - 1) * StrideB + span(T.K, T.N, T.Ldb)),
        C(span(T.M, T.N, T.Ldc)) {
    for (int64_t I = 0; I < A.size(); ++I)
      A[I] = NaN;
    for (int64_t I = 0; I < B.size(); ++I)
      B[I] = NaN;
    for (int64_t I = 0; I < C.size(); ++I)
      C[I] = Marker;
  }

  float &a(int64_t I, int64_t Row, int64_t P) {
    return A[I * StrideA + Row * T.Lda + P];
  }
  float &b(int64_t I, int64_t P, int64_t Column) {
    return B[I * StrideB + P * T.Ldb + Column];
  }
  float &c(int64_t Row, int64_t Column) { return C[Row * T.Ldc + Column]; }

  template <typename Fa, typename Fb, typename Fc>
  Check &fill(Fa MakeA, Fb MakeB, Fc MakeC) {
    for (int64_t I = 0; I < T.Batch; ++I)
      for (int64_t P = 0; P < T.K; ++P) {
        for (int64_t Row = 0; Row < T.M; ++Row)
          a(I, Row, P) = MakeA();
        for (int64_t Column = 0; Column < T.N; ++Column)
          b(I, P, Column) = MakeB();
      }
    for (int64_t Row = 0; Row < T.M; ++Row)
      for (int64_t Column = 0; Column < T.N; ++Column)
        c(Row, Column) = MakeC();
    return *this;
  }

  /// Each result within the bound of an f32 sum in any order, and of the same
  /// class (NaN, signed infinity) as the wide sum.
  void run() {
    std::vector<double> Expected(T.M * T.N), Bound(T.M * T.N);
    for (int64_t Row = 0; Row < T.M; ++Row)
      for (int64_t Column = 0; Column < T.N; ++Column) {
        double Sum = T.Beta ? c(Row, Column) : 0, Size = std::fabs(Sum);
        for (int64_t I = 0; I < T.Batch; ++I)
          for (int64_t P = 0; P < T.K; ++P) {
            double Product = double(a(I, Row, P)) * b(I, P, Column);
            Sum += Product;
            Size += std::fabs(Product);
          }
        Expected[Row * T.N + Column] = Sum;
        Bound[Row * T.N + Column] =
            (T.K * T.Batch + 2) * (FLT_EPSILON / 2) * Size + FLT_TRUE_MIN / 2;
      }

    runKernel();
    if (testing::Test::HasFatalFailure())
      return;

    for (int64_t I = 0; I < C.size(); ++I) {
      int64_t Row = I / T.Ldc, Column = I % T.Ldc;
      if (Column >= T.N) {
        ASSERT_EQ(C[I], Marker) << T.name() << ": wrote between rows";
        continue;
      }
      double Want = Expected[Row * T.N + Column];
      // A sum beyond the largest float rounds to infinity.
      if (std::fabs(Want) > FLT_MAX)
        Want = std::copysign(Inf, Want);
      if (std::isnan(Want))
        ASSERT_TRUE(std::isnan(C[I]))
            << T.name() << " at " << Row << "," << Column << ": " << C[I];
      else if (std::isinf(Want))
        ASSERT_EQ(C[I], Want) << T.name() << " at " << Row << "," << Column;
      else
        ASSERT_NEAR(C[I], Want, Bound[Row * T.N + Column])
            << T.name() << " at " << Row << "," << Column;
    }
  }

private:
  /// The lists of the other forms name the blocks from the last to the first,
  /// which gives the same sum.
  void runKernel() {
    gc_kernel_spec Spec =
        makeSpec(T.M, T.N, T.K, T.Lda, T.Ldb, T.Ldc, StrideA, StrideB, T.Beta);
    Spec.batch_form = T.Form;
    if (T.Form != GC_BATCH_STRIDE)
      Spec.stride_a = Spec.stride_b = 0;
    void *Found = gc_brgemm_dispatch(&Spec);
    ASSERT_NE(Found, nullptr) << gc_last_error();
    unsigned long long Count = T.Batch;
    std::vector<unsigned long long> OffsetsA, OffsetsB;
    std::vector<const void *> AddressesA, AddressesB;
    for (int64_t I = T.Batch; I-- > 0;) {
      OffsetsA.push_back(I * StrideA * sizeof(float));
      OffsetsB.push_back(I * StrideB * sizeof(float));
      AddressesA.push_back(A.data() + I * StrideA);
      AddressesB.push_back(B.data() + I * StrideB);
    }
    if (T.Form == GC_BATCH_STRIDE)
      reinterpret_cast<Kernel>(Found)(B.data(), A.data(), C.data(), &Count);
    else if (T.Form == GC_BATCH_OFFSET)
      reinterpret_cast<OffsetKernel>(Found)(B.data(), A.data(), C.data(),
                                            &Count, OffsetsB.data(),
                                            OffsetsA.data());
    else
      reinterpret_cast<Kernel>(Found)(AddressesB.data(), AddressesA.data(),
                                      C.data(), &Count);
  }

  static constexpr float Marker = -1234.5f;
  const Case T;
  const int64_t StrideA, StrideB; // elements
  GuardedBuffer A, B, C;
};

float uniform() {
  static std::mt19937 Engine(7);
  return std::uniform_real_distribution<float>(-1, 1)(Engine);
}

void checkOrdinary(Case T) {
  // With beta 0 the old C must not count, NaN or not.
  Check(T)
      .fill(uniform, uniform, [&] { return T.Beta ? uniform() : NaN; })
      .run();
}

Case dense(int64_t M, int64_t N, int64_t K, int64_t Batch, int64_t Beta) {
  return {M, N, K, K, N, N, Batch, Beta};
}

TEST(Kernels, EveryTailOfEveryDimension) {
  // Register tiles are 3 rows by 32 columns (AVX2) or 6 by 64 (AVX-512), with
  // narrower ones for tails; K is unrolled below 24 and by 4 above.
  for (int64_t M : {1, 2, 3, 4, 5, 6, 7, 29, 30, 31, 32})
    for (int64_t N : {1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,  17, 24,
                      31, 32, 33, 47, 48, 49, 63, 64, 65, 100, 127, 129})
      for (int64_t K : {1, 2, 3, 4, 17, 23, 24, 25, 64, 67})
        checkOrdinary(dense(M, N, K, 1 + (M + N + K) % 3, (M + K) % 2));
}

TEST(Kernels, LongK) {
  for (int64_t K : {127, 128, 255, 256, 479, 512, 1000, 1024, 4097})
    for (int64_t Beta : {0, 1}) {
      checkOrdinary(dense(6, 32, K, 1, Beta));
      checkOrdinary(dense(5, 37, K, 2, Beta));
      checkOrdinary(dense(1, 1, K, 1, Beta));
    }
}

TEST(Kernels, LongBatch) {
  for (int64_t Batch : {2, 3, 8, 33, 100})
    for (int64_t Beta : {0, 1}) {
      checkOrdinary(dense(32, 32, 32, Batch, Beta));
      checkOrdinary(dense(13, 41, 7, Batch, Beta));
    }
}

TEST(Kernels, VectorsAndScalars) {
  for (int64_t Size : {1, 2, 31, 512})
    for (int64_t Batch : {1, 3})
      for (int64_t Beta : {0, 1}) {
        checkOrdinary(dense(1, Size, 64, Batch, Beta));
        checkOrdinary(dense(Size, 1, 64, Batch, Beta));
        checkOrdinary(dense(Size, Size, 1, Batch, Beta));
      }
}

TEST(Kernels, LeadingDimensions) {
  for (int64_t Beta : {0, 1})
    for (int64_t Extra : {1, 5, 32, 1000}) {
      checkOrdinary({7, 37, 19, 19 + Extra, 37, 37, 2, Beta});
      checkOrdinary({7, 37, 19, 19, 37 + Extra, 37, 2, Beta});
      checkOrdinary({7, 37, 19, 19, 37, 37 + Extra, 2, Beta});
      checkOrdinary({30, 64, 33, 33 + Extra, 64 + Extra, 64 + Extra, 3, Beta});
    }
}

TEST(Kernels, BatchAsSlicesOfWideMatrices) {
  for (int64_t Beta : {0, 1}) {
    checkOrdinary({32, 48, 16, 16 * 4, 48, 48, 4, Beta, true});
    checkOrdinary({9, 13, 5, 5 * 3 + 2, 20, 13, 3, Beta, true});
  }
}

TEST(Kernels, BatchByOffsetAndByAddress) {
  for (gc_batch_form Form : {GC_BATCH_OFFSET, GC_BATCH_ADDRESS})
    for (int64_t Beta : {0, 1})
      for (int64_t Batch : {1, 2, 5, 33}) {
        for (Case T :
             {dense(6, 64, 32, Batch, Beta), dense(13, 41, 7, Batch, Beta),
              dense(1, 17, 64, Batch, Beta),
              Case{9, 13, 5, 5 * Batch + 2, 20, 13, Batch, Beta, true}}) {
          T.Form = Form;
          checkOrdinary(T);
        }
      }
}

TEST(Kernels, SingleRowsNeedNoLeadingDimension) {
  EXPECT_NE(dispatch(makeSpec(1, 8, 4, 0, 8, 0, 0, 0, 0)), nullptr);
  EXPECT_NE(dispatch(makeSpec(2, 8, 1, 1, 0, 8, 0, 0, 0)), nullptr);
}

/// Forms that between them use every register tile and both loops over K.
std::vector<Case> forms() {
  std::vector<Case> All;
  for (int64_t Beta : {0, 1}) {
    All.push_back(dense(6, 32, 64, 2, Beta));
    All.push_back(dense(4, 63, 25, 1, Beta));
    All.push_back(dense(7, 77, 5, 3, Beta));
    All.push_back(dense(1, 1, 1, 1, Beta));
    All.push_back({5, 45, 30, 33, 50, 47, 2, Beta});
  }
  for (size_t I = 0, E = All.size(); I < E; ++I)
    for (gc_batch_form Form : {GC_BATCH_OFFSET, GC_BATCH_ADDRESS}) {
      All.push_back(All[I]);
      All.back().Form = Form;
    }
  return All;
}

TEST(Kernels, NaNAndInfinityStayInTheirRowsAndColumns) {
  for (const Case &T : forms())
    for (float Special : {NaN, Inf, -Inf}) {
      auto Positive = [] { return 1.5f + uniform(); };
      Check InA(T), InB(T), InC(T);
      InA.fill(Positive, Positive, Positive);
      InA.a(T.Batch - 1, T.M / 2, T.K - 1) = Special;
      InA.run();
      InB.fill(Positive, Positive, Positive);
      InB.b(0, T.K / 2, T.N - 1) = Special;
      InB.run();
      InC.fill(Positive, Positive, Positive);
      InC.c(T.M - 1, T.N / 2) = Special;
      InC.run();
    }
}

TEST(Kernels, InfinityTimesZeroAndOppositeInfinitiesAreNaN) {
  for (const Case &T : forms()) {
    Check Times(T);
    Times.fill([] { return 0.0f; }, uniform, [] { return 0.0f; });
    Times.b(0, 0, 0) = Inf;
    Times.run();
    if (T.K * T.Batch < 2)
      continue;
    Check Minus(T);
    Minus.fill([] { return 1.0f; }, uniform, [] { return 0.0f; });
    Minus.b(0, 0, 0) = Inf;
    Minus.b(T.Batch - 1, T.K - 1, 0) = -Inf;
    Minus.run();
  }
}

TEST(Kernels, DenormalsAreKept) {
  // Sums of multiples of the smallest denormal are exact in f32.
  for (const Case &T : forms())
    Check(T)
        .fill([] { return 3 * FLT_TRUE_MIN; }, [] { return 1.0f; },
              [] { return FLT_TRUE_MIN; })
        .run();
  // Denormal products of normal factors.
  for (const Case &T : forms())
    Check(T)
        .fill([] { return 0x1p-70f; }, [] { return 0x1p-70f; },
              [] { return 0.0f; })
        .run();
}

TEST(Kernels, HugeValuesOverflowToInfinityOnlyWhenTheSumDoes) {
  for (const Case &T : forms()) {
    // The largest sum that fits, then one far beyond.
    double Terms = double(T.K) * T.Batch + T.Beta;
    float Fits = std::nextafter(float(0.999 * FLT_MAX / Terms), 0.0f);
    Check(T)
        .fill([&] { return Fits; }, [] { return 1.0f; }, [&] { return Fits; })
        .run();
    Check(T)
        .fill([] { return -FLT_MAX; }, [] { return 2.0f; }, [] { return 0.0f; })
        .run();
  }
}

TEST(Kernels, RefusalsNameTheShape) {
  auto Refused = [](void *Kernel, const char *Part) {
    EXPECT_EQ(Kernel, nullptr);
    EXPECT_NE(std::strstr(gc_last_error(), Part), nullptr) << gc_last_error();
  };
  Refused(dispatch(makeSpec(0, 8, 8, 8, 8, 8, 0, 0, 0)), "m=0");
  Refused(dispatch(makeSpec(8, 8, -1, 8, 8, 8, 0, 0, 0)), "k=-1");
  Refused(dispatch(makeSpec(8, 8, 8, 7, 8, 8, 0, 0, 0)), "lda=7");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 7, 8, 0, 0, 0)), "ldb=7");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 8, 7, 0, 0, 0)), "ldc=7");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 8, 8, -1, 0, 0)), "strides");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 8, 8, 0, 0, 2)), "beta");
  // libxsmm would wrap these offsets in 32 bits.
  Refused(dispatch(makeSpec(8, 8, 8, 1 << 28, 8, 8, 0, 0, 0)), "2 GiB");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 8, 8, int64_t(1) << 29, 0, 0)),
          "2 GiB");
  Refused(dispatch(makeSpec(INT64_MAX, 8, INT64_MAX, INT64_MAX, 8, 8, 0, 0, 0)),
          "2 GiB");
  Refused(dispatch(makeSpec(8, 8, 8, 8, 8, 8, INT64_MAX, 0, 0)), "2 GiB");
}

TEST(Kernels, RefusalsNameTheWholeSpec) {
  gc_kernel_spec Spec = makeSpec(8, 16, 32, 33, 17, 18, 300, 600, 1);
  Spec.a_type = GC_U8;
  Spec.b_type = GC_S8;
  Spec.c_type = GC_BF16;
  Spec.accumulator_type = GC_S32;
  Spec.pack_b = 4;
  EXPECT_EQ(dispatch(Spec), nullptr);
  EXPECT_STREQ(gc_last_error(),
               "no batch-reduce GEMM kernel for u8 x s8 -> bf16, sums in s32, "
               "m=8 n=16 k=32 lda=33 ldb=17 ldc=18 pack_b=4 stride_a=300 "
               "stride_b=600 beta=1: types that are served: f32 x f32 -> f32, "
               "sums in f32");
  Spec = makeSpec(8, 16, 32, 33, 33, 18, 0, 0, 0);
  Spec.transpose_b = 1;
  Spec.batch_form = GC_BATCH_OFFSET;
  EXPECT_EQ(dispatch(Spec), nullptr);
  EXPECT_STREQ(gc_last_error(),
               "no batch-reduce GEMM kernel for f32 x f32 -> f32, sums in f32, "
               "m=8 n=16 k=32 lda=33 ldb=33 ldc=18 transpose_b=1 batch=offset "
               "beta=0: transposed operands are not served");
}

TEST(Kernels, EveryOtherCombinationOfTypesIsRefused) {
  auto Refused = [](int64_t gc_kernel_spec::*Field, int64_t Value,
                    const char *Part) {
    gc_kernel_spec Spec = makeSpec(8, 8, 8, 8, 8, 8, 0, 0, 0);
    Spec.*Field = Value;
    EXPECT_EQ(dispatch(Spec), nullptr);
    EXPECT_NE(std::strstr(gc_last_error(), Part), nullptr) << gc_last_error();
  };
  for (int64_t Type : {GC_BF16, GC_F16, GC_S8, GC_U8, GC_S32, GC_BOOLEAN})
    for (auto Field :
         {&gc_kernel_spec::a_type, &gc_kernel_spec::b_type,
          &gc_kernel_spec::c_type, &gc_kernel_spec::accumulator_type})
      Refused(Field, Type, "m=8 n=8 k=8");
  Refused(&gc_kernel_spec::a_type, 99, "unknown type");
  Refused(&gc_kernel_spec::a_type, -1, "unknown type");
  Refused(&gc_kernel_spec::pack_a, 0, "packing");
  Refused(&gc_kernel_spec::pack_b, 2, "not packed");
  Refused(&gc_kernel_spec::transpose_a, 1, "transposed");
  Refused(&gc_kernel_spec::batch_form, 3, "form of its batch");
  Refused(&gc_kernel_spec::zero_point_a, 1, "zero_point_a=1: f32 has neither");
  Refused(&gc_kernel_spec::zero_point_b, -3, "zero_point_b=-3: f32 has");
  Refused(&gc_kernel_spec::ld_scale_b, 8, "ld_scale_b=8: f32 has neither");
  Refused(&gc_kernel_spec::has_zero_points_b, 1, "has_zero_points_b=1: f32");
}

TEST(Kernels, SpecsOfOtherVersionsAreRefused) {
  gc_kernel_spec Spec = makeSpec(8, 8, 8, 8, 8, 8, 0, 0, 0);
  Spec.version = GC_KERNEL_SPEC_VERSION + 1;
  EXPECT_EQ(dispatch(Spec), nullptr);
  EXPECT_NE(std::strstr(gc_last_error(), "the spec has version 3"), nullptr)
      << gc_last_error();
  Spec.version = 0;
  EXPECT_EQ(dispatch(Spec), nullptr);
  // What version 2 added is not read in a spec of version 1.
  Spec.version = 1;
  Spec.zero_point_a = Spec.has_zero_points_b = 99;
  EXPECT_NE(dispatch(Spec), nullptr) << gc_last_error();
  EXPECT_EQ(gc_brgemm_dispatch(nullptr), nullptr);
  EXPECT_NE(std::strstr(gc_last_error(), "no spec"), nullptr);
}

TEST(Kernels, PeakIsPositiveWhereTheHostHasTheType) {
  EXPECT_GT(gc_peak_gflops(GC_F32, 0), 0);
  EXPECT_EQ(gc_peak_gflops(GC_BF16, 0) > 0,
            gc_host_has_feature("avx512bf16") != 0);
  EXPECT_EQ(gc_peak_gflops(GC_U8, 0) > 0,
            gc_host_has_feature("avx512vnni") != 0);
  EXPECT_EQ(gc_peak_gflops(GC_BOOLEAN, 0), 0);
}

TEST(Kernels, PeakTakesAnyLengthOfItsWindow) {
  for (double Seconds : {-1.0, 0.01, HUGE_VAL, double(NAN)})
    EXPECT_GT(gc_peak_gflops(GC_F32, Seconds), 0) << Seconds;
}

TEST(Kernels, WorkOfTheCallerIsMeasured) {
  int64_t Calls = 0;
  auto Run = [](void *Argument) { ++*static_cast<int64_t *>(Argument); };
  EXPECT_GT(gc_measure_gflops(Run, &Calls, 1e6, 0), 0);
  EXPECT_GT(Calls, 0);
  EXPECT_EQ(gc_measure_gflops(nullptr, nullptr, 1e6, 0), 0);
  EXPECT_EQ(gc_measure_gflops(Run, &Calls, 0, 0), 0);
  EXPECT_EQ(gc_measure_gflops(Run, &Calls, double(NAN), 0), 0);
}

} // namespace
