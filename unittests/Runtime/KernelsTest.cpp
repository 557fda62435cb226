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

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

struct Case {
  int64_t M, N, K, Lda, Ldb, Ldc, Batch, Beta;
  /// false: batch elements are one after another; true: they are column slices
  /// of one wide matrix A and row slices of one B, as in an unblocked layout.
  bool Interleaved = false;

  std::string name() const {
    return "m=" + std::to_string(M) + " n=" + std::to_string(N) +
           " k=" + std::to_string(K) + " lda=" + std::to_string(Lda) +
           " ldb=" + std::to_string(Ldb) + " ldc=" + std::to_string(Ldc) +
           " batch=" + std::to_string(Batch) + " beta=" + std::to_string(Beta);
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

    auto Run = reinterpret_cast<Kernel>(
        gc_brgemm_dispatch(GC_F32, T.M, T.N, T.K, T.Lda, T.Ldb, T.Ldc,
                           StrideA * 4, StrideB * 4, T.Beta));
    ASSERT_NE(Run, nullptr) << gc_last_error();
    unsigned long long Count = T.Batch;
    Run(B.data(), A.data(), C.data(), &Count);

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
  static constexpr float Marker = -1234.5f;
  const Case T;
  const int64_t StrideA, StrideB; // elements
  GuardedBuffer A, B, C;
};

float uniform() {
  static std::mt19937 Engine(7);
  return std::uniform_real_distribution<float>(-1, 1)(Engine);
}

void checkOrdinary(const Case &T) {
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

TEST(Kernels, SingleRowsNeedNoLeadingDimension) {
  EXPECT_NE(gc_brgemm_dispatch(GC_F32, 1, 8, 4, 0, 8, 0, 0, 0, 0), nullptr);
  EXPECT_NE(gc_brgemm_dispatch(GC_F32, 2, 8, 1, 1, 0, 8, 0, 0, 0), nullptr);
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
  for (int64_t Type : {GC_BF16, GC_F16, GC_S8, GC_U8, GC_S32, GC_BOOLEAN})
    Refused(gc_brgemm_dispatch(Type, 8, 8, 8, 8, 8, 8, 0, 0, 0), "m=8 n=8 k=8");
  Refused(gc_brgemm_dispatch(99, 8, 8, 8, 8, 8, 8, 0, 0, 0), "unknown type");
  Refused(gc_brgemm_dispatch(GC_F32, 0, 8, 8, 8, 8, 8, 0, 0, 0), "m=0");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, -1, 8, 8, 8, 0, 0, 0), "k=-1");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 7, 8, 8, 0, 0, 0), "lda=7");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 8, 7, 8, 0, 0, 0), "ldb=7");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 8, 8, 7, 0, 0, 0), "ldc=7");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 8, 8, 8, -4, 0, 0), "strides");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 8, 8, 8, 0, 0, 2), "beta");
  // libxsmm would wrap these offsets in 32 bits.
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 1 << 28, 8, 8, 0, 0, 0), "2 GiB");
  Refused(gc_brgemm_dispatch(GC_F32, 8, 8, 8, 8, 8, 8, int64_t(1) << 31, 0, 0),
          "2 GiB");
  Refused(gc_brgemm_dispatch(GC_F32, INT64_MAX, 8, INT64_MAX, INT64_MAX, 8, 8,
                             0, 0, 0),
          "2 GiB");
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
