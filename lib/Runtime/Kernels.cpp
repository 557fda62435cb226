// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Error.h"

#include <climits>
#include <libxsmm.h>

using namespace gc::runtime;

namespace {

struct Shape {
  int64_t M, N, K, Lda, Ldb, Ldc, StrideA, StrideB, Beta;
};

/// Why libxsmm cannot be trusted with a shape, or nullptr. Its generator puts
/// byte offsets into 32-bit immediates without checking whether they fit.
const char *refusal(const Shape &S) {
  auto Overflows = [](int64_t Rows, int64_t Ld) {
    int64_t Bytes;
    return __builtin_mul_overflow(Rows, Ld, &Bytes) ||
           __builtin_mul_overflow(Bytes, int64_t(sizeof(float)), &Bytes) ||
           Bytes > INT_MAX;
  };
  if (S.M < 1 || S.N < 1 || S.K < 1)
    return "sizes must be positive";
  if (S.Beta != 0 && S.Beta != 1)
    return "beta must be 0 or 1";
  if (S.Lda < S.K || S.Ldb < S.N || S.Ldc < S.N)
    return "a leading dimension is smaller than a row";
  if (S.StrideA < 0 || S.StrideB < 0)
    return "batch strides must not be negative";
  if (S.StrideA > INT_MAX || S.StrideB > INT_MAX || Overflows(S.M, S.Lda) ||
      Overflows(S.K, S.Ldb) || Overflows(S.M, S.Ldc))
    return "the matrices span more than 2 GiB";
  return nullptr;
}

void *refuse(const Shape &S, const char *Type, const char *Reason) {
  auto LL = [](int64_t V) { return static_cast<long long>(V); };
  fail(GC_UNSUPPORTED,
       "no batch-reduce GEMM kernel for %s m=%lld n=%lld k=%lld lda=%lld "
       "ldb=%lld ldc=%lld stride_a=%lld stride_b=%lld beta=%lld: %s",
       Type, LL(S.M), LL(S.N), LL(S.K), LL(S.Lda), LL(S.Ldb), LL(S.Ldc),
       LL(S.StrideA), LL(S.StrideB), LL(S.Beta), Reason);
  return nullptr;
}

const char *typeName(int64_t Type) {
  static const char *const Names[] = {"f32", "bf16", "f16",    "s8",
                                      "u8",  "s32",  "boolean"};
  return Type >= 0 && Type < 7 ? Names[Type] : "unknown type";
}

} // namespace

void *gc_brgemm_dispatch(int64_t dtype, int64_t m, int64_t n, int64_t k,
                         int64_t lda, int64_t ldb, int64_t ldc,
                         int64_t stride_a, int64_t stride_b, int64_t beta) {
  Shape S = {m, n, k, lda, ldb, ldc, stride_a, stride_b, beta};
  if (dtype != GC_F32)
    return refuse(S, typeName(dtype), "only f32 is supported");
  // With a single row the stride is not used.
  if (m == 1) {
    S.Lda = k;
    S.Ldc = n;
  }
  if (k == 1)
    S.Ldb = n;
  if (const char *Reason = refusal(S))
    return refuse(S, "f32", Reason);

  // Column-major: C^T[n,m] += B^T[n,k] * A^T[k,m].
  libxsmm_blasint Ldb = static_cast<libxsmm_blasint>(S.Ldb);
  libxsmm_blasint Lda = static_cast<libxsmm_blasint>(S.Lda);
  libxsmm_blasint Ldc = static_cast<libxsmm_blasint>(S.Ldc);
  float Alpha = 1.0f, Beta = static_cast<float>(beta);
  int Flags = LIBXSMM_GEMM_FLAG_NONE, Prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  auto Kernel = libxsmm_smmdispatch_reducebatch_strd(
      static_cast<libxsmm_blasint>(n), static_cast<libxsmm_blasint>(m),
      static_cast<libxsmm_blasint>(k), static_cast<libxsmm_blasint>(stride_b),
      static_cast<libxsmm_blasint>(stride_a), &Ldb, &Lda, &Ldc, &Alpha, &Beta,
      &Flags, &Prefetch);
  if (!Kernel)
    return refuse(S, "f32", "libxsmm has none on this processor");
  return reinterpret_cast<void *>(Kernel);
}
