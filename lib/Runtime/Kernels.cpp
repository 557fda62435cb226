// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Error.h"
#include "Runtime/Runtime.h"

#include <climits>
#include <cstddef>
#include <cstring>
#include <libxsmm.h>
#include <string>

using namespace gc::runtime;

namespace {

using Spec = gc_kernel_spec;

struct TypeInfo {
  const char *Name;
  int64_t Bytes;
};

/// By gc_dtype.
constexpr TypeInfo Types[] = {
    {"f32", 4}, {"bf16", 2},    {"f16", 2},     {"s8", 1},      {"u8", 1},
    {"s32", 4}, {"boolean", 1}, {"f8_e5m2", 1}, {"f8_e4m3", 1}, {"u64", 8}};

TypeInfo typeInfo(int64_t Type) {
  bool IsKnown =
      Type >= 0 && Type < static_cast<int64_t>(sizeof Types / sizeof *Types);
  return IsKnown ? Types[Type] : TypeInfo{"unknown type", 1};
}

/// Why no kernel of any type can be made, or nullptr.
const char *refusal(const Spec &S) {
  if (S.m < 1 || S.n < 1 || S.k < 1)
    return "sizes must be positive";
  if (S.beta != 0 && S.beta != 1)
    return "beta must be 0 or 1";
  if (S.pack_a < 1 || S.pack_b < 1)
    return "packing must be positive";
  if (S.batch_form < GC_BATCH_STRIDE || S.batch_form > GC_BATCH_ADDRESS)
    return "the form of its batch is unknown";
  if (S.stride_a < 0 || S.stride_b < 0)
    return "batch strides must not be negative";
  int64_t ColumnsA = S.transpose_a ? S.m : S.k;
  int64_t ColumnsB = S.transpose_b ? S.k : S.n;
  if (S.lda < ColumnsA || S.ldb < ColumnsB || S.ldc < S.n)
    return "a leading dimension is smaller than a row";
  return nullptr;
}

/// libxsmm puts byte offsets into 32-bit immediates without looking whether
/// they fit.
const char *outOfReach(const Spec &S) {
  auto Overflows = [](int64_t Rows, int64_t Ld, int64_t Type) {
    int64_t Bytes;
    return __builtin_mul_overflow(Rows, Ld, &Bytes) ||
           __builtin_mul_overflow(Bytes, typeInfo(Type).Bytes, &Bytes) ||
           Bytes > INT_MAX;
  };
  if (Overflows(1, S.stride_a, S.a_type) ||
      Overflows(1, S.stride_b, S.b_type) ||
      Overflows(S.transpose_a ? S.k : S.m, S.lda, S.a_type) ||
      Overflows(S.transpose_b ? S.n : S.k, S.ldb, S.b_type) ||
      Overflows(S.m, S.ldc, S.c_type))
    return "the matrices span more than 2 GiB";
  return nullptr;
}

/// A kernel, or nullptr and the reason why there is none.
struct Answer {
  void *Kernel;
  const char *Reason;
};

/// Column-major: C^T[n,m] += B^T[n,k] * A^T[k,m].
Answer dispatchF32(const Spec &S) {
  if (S.pack_a != 1 || S.pack_b != 1)
    return {nullptr, "f32 is not packed"};
  if (S.transpose_a || S.transpose_b)
    return {nullptr, "transposed operands are not served"};
  if (S.zero_point_a || S.zero_point_b || S.ld_scale_b || S.has_zero_points_b)
    return {nullptr, "f32 has neither zero points nor scales"};
  if (const char *Reason = outOfReach(S))
    return {nullptr, Reason};
  auto Int = [](int64_t V) { return static_cast<libxsmm_blasint>(V); };
  libxsmm_blasint M = Int(S.m), N = Int(S.n), K = Int(S.k), Lda = Int(S.lda),
                  Ldb = Int(S.ldb), Ldc = Int(S.ldc);
  float Alpha = 1.0f, Beta = static_cast<float>(S.beta);
  int Flags = LIBXSMM_GEMM_FLAG_NONE, Prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  constexpr const char *Missing = "libxsmm has none on this processor";
  switch (S.batch_form) {
  case GC_BATCH_OFFSET:
    return {reinterpret_cast<void *>(libxsmm_smmdispatch_reducebatch_offs(
                N, M, K, &Ldb, &Lda, &Ldc, &Alpha, &Beta, &Flags, &Prefetch)),
            Missing};
  case GC_BATCH_ADDRESS:
    return {reinterpret_cast<void *>(libxsmm_smmdispatch_reducebatch_addr(
                N, M, K, &Ldb, &Lda, &Ldc, &Alpha, &Beta, &Flags, &Prefetch)),
            Missing};
  default:
    return {reinterpret_cast<void *>(libxsmm_smmdispatch_reducebatch_strd(
                N, M, K, Int(S.stride_b * typeInfo(S.b_type).Bytes),
                Int(S.stride_a * typeInfo(S.a_type).Bytes), &Ldb, &Lda, &Ldc,
                &Alpha, &Beta, &Flags, &Prefetch)),
            Missing};
  }
}

/// The kernels of one combination of types.
struct Family {
  int64_t A, B, C, Accumulator;
  Answer (*Dispatch)(const Spec &);

  bool serves(const Spec &S) const {
    return S.a_type == A && S.b_type == B && S.c_type == C &&
           S.accumulator_type == Accumulator;
  }
};

constexpr Family Families[] = {
    {GC_F32, GC_F32, GC_F32, GC_F32, dispatchF32},
};

Answer dispatch(const Spec &S) {
  if (const char *Reason = refusal(S))
    return {nullptr, Reason};
  for (const Family &F : Families)
    if (F.serves(S))
      return F.Dispatch(S);
  return {nullptr, nullptr};
}

std::string describeTypes(int64_t A, int64_t B, int64_t C, int64_t Sum) {
  return std::string(typeInfo(A).Name) + " x " + typeInfo(B).Name + " -> " +
         typeInfo(C).Name + ", sums in " + typeInfo(Sum).Name;
}

std::string describe(const Spec &S) {
  std::string Text =
      describeTypes(S.a_type, S.b_type, S.c_type, S.accumulator_type);
  auto Add = [&](const char *Name, int64_t Value) {
    Text += std::string(" ") + Name + "=" + std::to_string(Value);
  };
  auto AddUnless = [&](int64_t Standard, const char *Name, int64_t Value) {
    if (Value != Standard)
      Add(Name, Value);
  };
  Text += ",";
  Add("m", S.m);
  Add("n", S.n);
  Add("k", S.k);
  Add("lda", S.lda);
  Add("ldb", S.ldb);
  Add("ldc", S.ldc);
  AddUnless(1, "pack_a", S.pack_a);
  AddUnless(1, "pack_b", S.pack_b);
  AddUnless(0, "transpose_a", S.transpose_a);
  AddUnless(0, "transpose_b", S.transpose_b);
  if (S.batch_form == GC_BATCH_STRIDE) {
    Add("stride_a", S.stride_a);
    Add("stride_b", S.stride_b);
  } else {
    Text += S.batch_form == GC_BATCH_OFFSET    ? " batch=offset"
            : S.batch_form == GC_BATCH_ADDRESS ? " batch=address"
                                               : " batch=unknown";
  }
  Add("beta", S.beta);
  AddUnless(0, "zero_point_a", S.zero_point_a);
  AddUnless(0, "zero_point_b", S.zero_point_b);
  AddUnless(0, "ld_scale_b", S.ld_scale_b);
  AddUnless(0, "has_zero_points_b", S.has_zero_points_b);
  return Text;
}

std::string describeFamilies() {
  std::string Text = "types that are served: ";
  for (const Family &F : Families)
    Text += (&F == Families ? "" : "; ") +
            describeTypes(F.A, F.B, F.C, F.Accumulator);
  return Text;
}

} // namespace

void *gc_brgemm_dispatch(const gc_kernel_spec *spec) {
  if (!spec || spec->version < 1 || spec->version > GC_KERNEL_SPEC_VERSION) {
    fail(GC_INVALID_ARGUMENT,
         "gc_brgemm_dispatch: %s, this runtime knows version %d",
         spec
             ? ("the spec has version " + std::to_string(spec->version)).c_str()
             : "no spec",
         GC_KERNEL_SPEC_VERSION);
    return nullptr;
  }
  // A spec of version 1 ends before what version 2 added.
  Spec S = {};
  std::memcpy(&S, spec,
              spec->version == 1 ? offsetof(Spec, zero_point_a) : sizeof(S));
  Spec Given = S;
  // With a single row there is no second one for the distance to lead to.
  if (!S.transpose_a && S.m == 1)
    S.lda = S.k;
  if (!S.transpose_b && S.k == 1)
    S.ldb = S.n;
  if (S.m == 1)
    S.ldc = S.n;
  Answer Found = dispatch(S);
  if (!Found.Kernel)
    fail(GC_UNSUPPORTED, "no batch-reduce GEMM kernel for %s: %s",
         describe(Given).c_str(),
         Found.Reason ? Found.Reason : describeFamilies().c_str());
  return Found.Kernel;
}
