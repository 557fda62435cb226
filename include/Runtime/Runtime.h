/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The run-time side of a compiled graph: what generated code calls, and what a
 * program needs to load, fold and execute it. A plain C interface that does not
 * depend on the compiler, so that an object file or a shared library made ahead
 * of time needs only this library.
 *
 * The shape of an execution: one fork, every thread of the team enters the
 * module's `compute` once, threads meet at barriers between parallel loops. Any
 * team of one or more is correct. Once the instance is warm, gc_execute neither
 * locks, hashes nor allocates. Nothing here prints, exits or throws; a function
 * that fails says why in gc_last_error. */

#ifndef GC_RUNTIME_RUNTIME_H
#define GC_RUNTIME_RUNTIME_H

#include <stdint.h>

#if defined(__GNUC__)
#define GC_API __attribute__((visibility("default")))
#else
#define GC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of gc_module, gc_team and the functions generated code calls. */
#define GC_ABI_VERSION 2

typedef enum gc_status {
  GC_OK = 0,
  GC_INVALID_ARGUMENT = 1,
  GC_OUT_OF_MEMORY = 2,
  GC_UNSUPPORTED = 3,
  GC_RUNTIME_ERROR = 4
} gc_status;

/* Element types of buffers and kernels. */
typedef enum gc_dtype {
  GC_F32 = 0,
  GC_BF16 = 1,
  GC_F16 = 2,
  GC_S8 = 3,
  GC_U8 = 4,
  GC_S32 = 5,
  GC_BOOLEAN = 6,
  GC_F8_E5M2 = 7,
  GC_F8_E4M3 = 8,
  GC_U64 = 9
} gc_dtype;

/* Message of the failure that the last call of this thread into the runtime
 * reported; to be read right after it. Never NULL. */
GC_API const char *gc_last_error(void);

/* Memory for inputs and outputs, aligned to `alignment` bytes (a power of two,
 * or 0) and to a cache line; on huge pages if it is large and the system has
 * them, which saves compiled code up to a tenth of its time. Not initialized;
 * with the environment variable GC_POISON=1 it is filled with NaN, like all
 * memory of the runtime (arenas, folded constants): a debugging aid. NULL (and
 * gc_last_error) when memory is short. Any other memory can be used too. */
GC_API void *gc_allocate(uint64_t bytes, uint64_t alignment);
/* Frees memory from gc_allocate; NULL is allowed. */
GC_API void gc_deallocate(void *memory);

/*===-- Teams and executors ----------------------------------------------===*/

/* What one thread of a running team knows; one object per thread. Generated
 * code reads `thread` and `size` at these offsets and passes the rest on. */
typedef struct gc_team {
  int64_t thread; /* index of this thread, 0 <= thread < size */
  int64_t size;   /* threads that take part */
  void *barrier;  /* shared by the team */
  void *trace;    /* of this thread; NULL when not tracing */
} gc_team;

/* Waits until every thread of the team has called it; what they wrote before is
 * visible after. Spins, then yields, then sleeps. Returns immediately for a
 * team of one. Every thread of the team must make the same sequence of calls.
 */
GC_API void gc_barrier_wait(const gc_team *team);

/* The work of one thread of a team: thread in [0, size). */
typedef void (*gc_task)(void *arg, int64_t thread, int64_t size);

/* Where threads come from. An embedding application may supply its own. */
typedef struct gc_executor {
  void *context;
  /* Threads a run uses by default; at least 1. */
  int64_t (*threads)(void *context);
  /* Calls task(arg, i, size) once for every i in [0, size), all of them at the
   * same time (they meet at barriers), with one `size` in [1, threads] for the
   * whole team, and returns when all have returned. */
  gc_status (*run)(void *context, int64_t threads, gc_task task, void *arg);
} gc_executor;

/* The default: an OpenMP parallel region per run. The team may be smaller than
 * requested (nested regions, thread limits). Lives as long as the process. */
GC_API const gc_executor *gc_openmp_executor(void);

/* A pool of plain threads, `threads` including the caller of run; waiting
 * workers spin a while, then sleep. run may be called from several host threads
 * and from inside a task: a caller that finds the pool busy gets a team of one.
 * NULL (and gc_last_error) when threads < 1 or threads cannot be created. */
GC_API gc_executor *gc_thread_pool_create(int64_t threads);
/* Ends the worker threads. No run may be in flight. NULL is allowed. */
GC_API void gc_thread_pool_destroy(gc_executor *pool);

/* Forks made by fold and compute calls in this process so far, over all
 * instances; an execution with constants folded adds exactly one. */
GC_API int64_t gc_fork_count(void);

/*===-- Modules ----------------------------------------------------------===*/

/* What the compiler emits, as one constant object in the compiled code. `fold`
 * and `compute` are entered by every thread of a team, and return a gc_status.
 * A failure must leave no thread waiting at a barrier: all threads of a team
 * fail alike, or pass the same barriers. */
typedef struct gc_module {
  uint32_t abi_version; /* GC_ABI_VERSION of the compiler */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_fold_inputs;
  uint32_t num_folded;
  uint32_t num_regions;
  const char *name;
  /* Instruction sets the code needs: LLVM feature names, comma separated
   * ("+avx2,+fma"). Entries that begin with '-' are ignored. NULL or "": none
   */
  const char *target_features;
  const uint32_t *fold_inputs;  /* which inputs `fold` reads */
  const uint64_t *folded_bytes; /* sizes of the folded buffers */
  uint64_t arena_shared_bytes;
  uint64_t arena_thread_bytes;
  uint64_t arena_alignment;        /* a power of two; 0 means 64 */
  const char *const *region_names; /* of the parallel regions, for traces */
  /* Resolves kernel handles; may be called more than once. May be NULL. */
  int32_t (*init)(void);
  /* args: the fold inputs, then the folded buffers. NULL if num_folded is 0. */
  int32_t (*fold)(void *const *args, void *arena, const gc_team *team);
  /* args: inputs, outputs, folded buffers. */
  int32_t (*compute)(void *const *args, void *arena, const gc_team *team);
} gc_module;

/* Bytes of the arena that `threads` threads need: the shared part, then one
 * part per thread, each rounded up to the alignment. UINT64_MAX when that does
 * not fit in 64 bits; values of threads below 1 count as 1. */
GC_API uint64_t gc_arena_bytes(const gc_module *module, int64_t threads);

typedef struct gc_trace gc_trace;

/* A loaded module with its folded constants. */
typedef struct gc_instance gc_instance;

/* Checks the ABI version and the host's instruction sets (GC_UNSUPPORTED, with
 * the missing feature named), then runs the module's init (its status, with the
 * missing kernel named). The module must outlive the instance. */
GC_API gc_status gc_instance_create(const gc_module *module, gc_instance **out);
/* No execution may be in flight. NULL is allowed. */
GC_API void gc_instance_destroy(gc_instance *instance);

/* Folded constants are kept in sets. A set belongs to a version of the constant
 * inputs, which the caller counts, and to their addresses: an execution with
 * the same version and addresses uses it, whatever was folded in between. For
 * example, two sets of weights that are used alternately are versions 1 and 2;
 * new content at the same addresses is a new version.
 *
 * Version 0 means that there is none: the runtime identifies constants only by
 * their addresses, uses what was folded last if those are the same, and must be
 * told when the content changes (gc_instance_invalidate). Negative versions are
 * invalid. The functions without a version use version 0. */

/* Folds the constants now, whatever was folded before. fold_args: the
 * num_fold_inputs constant inputs, in the order of module->fold_inputs.
 * executor NULL: OpenMP. threads < 1: the executor's default. After a failure
 * the instance stays usable and the next execution folds again. This and the
 * following functions may be called by threads that an executor needs for a
 * fold of the instance: they do not wait for folds on executors of the
 * application. Of two folds that run at the same time, the one that began later
 * is kept. */
GC_API gc_status gc_instance_fold(gc_instance *instance,
                                  const gc_executor *executor, int64_t threads,
                                  void *const *fold_args);

GC_API gc_status gc_instance_fold_version(gc_instance *instance,
                                          const gc_executor *executor,
                                          int64_t threads,
                                          void *const *fold_args,
                                          int64_t version);

/* Says that constant inputs have new content at the same addresses: the next
 * execution of any version folds again, and so does one after a fold that is
 * running now. Executions in flight finish with the old constants. */
GC_API gc_status gc_instance_invalidate(gc_instance *instance);

/* A module without constant inputs (num_fold_inputs is 0) folds only what it
 * holds itself, which does not change: it folds once for all versions, and
 * gc_instance_fold and gc_instance_invalidate do nothing after that.
 *
 * Calls folded(context) once such a module has folded and no thread reads, or
 * will read, what only its fold function reads: that may be freed then. One of
 * the threads that execute makes the call, before its execution returns; others
 * may be executing. There is no call if the module has constant inputs, or
 * before a fold succeeds. Must be called before the first fold and
 * execution. */
GC_API gc_status gc_instance_set_folded(gc_instance *instance,
                                        void (*folded)(void *context),
                                        void *context);

/* How many sets of folded constants are kept, at least 1 (default: 2). Beyond
 * that, the least recently used one is dropped. Its memory is freed as soon as
 * no execution reads it, at the latest by the next fold. */
GC_API gc_status gc_instance_set_capacity(gc_instance *instance, int64_t sets);

/* Bytes of all folded constants in memory now. */
GC_API uint64_t gc_instance_constant_bytes(const gc_instance *instance);

/* Folded constants that are the same in several instances, such as those of one
 * graph compiled for several batch sizes, are kept once: what an instance has
 * folded is compared with what the others have, and freed if they have the
 * same. NULL (and gc_last_error) when memory is short. */
typedef struct gc_constant_pool gc_constant_pool;
GC_API gc_constant_pool *gc_constant_pool_create(void);
/* Constants that instances use stay as long as the instances. NULL is
 * allowed. */
GC_API void gc_constant_pool_destroy(gc_constant_pool *pool);
/* Bytes of all folded constants in it, each counted once. */
GC_API uint64_t gc_constant_pool_bytes(const gc_constant_pool *pool);
/* Must be called before the first fold and execution of the instance. */
GC_API gc_status gc_instance_set_constant_pool(gc_instance *instance,
                                               gc_constant_pool *pool);

/* Runs the module once. inputs and outputs: one pointer each, aligned to their
 * element. Folds the constants if there is no set for them. Several host
 * threads may execute one instance at the same time.
 *
 * executor NULL: OpenMP. threads < 1: the executor's default. arena NULL: one
 * is taken from the instance; else gc_arena_bytes(module, threads) bytes
 * aligned to arena_alignment, used by this execution alone. trace NULL: no
 * tracing. */
GC_API gc_status gc_execute(gc_instance *instance, const gc_executor *executor,
                            int64_t threads, void *const *inputs,
                            void *const *outputs, void *arena, gc_trace *trace);
GC_API gc_status gc_execute_version(gc_instance *instance,
                                    const gc_executor *executor,
                                    int64_t threads, void *const *inputs,
                                    void *const *outputs, void *arena,
                                    gc_trace *trace, int64_t version);

/* Executes a module whose instance is kept in *slot, which is NULL before the
 * first call: for code in which another compiler embeds graphs. Uses the
 * default executor. Several host threads may call it at the same time. The
 * instance stays until the owner of the slot destroys it. */
GC_API gc_status gc_execute_module(const gc_module *module, gc_instance **slot,
                                   void *const *inputs, void *const *outputs);

/* Successful folds so far, and the wall time of the last in milliseconds. */
GC_API int64_t gc_instance_fold_count(const gc_instance *instance);
GC_API double gc_instance_fold_ms(const gc_instance *instance);

/*===-- Kernels ----------------------------------------------------------===*/

#define GC_KERNEL_SPEC_VERSION 2

/* How a kernel finds the blocks of its batch. */
typedef enum gc_batch_form {
  GC_BATCH_STRIDE = 0, /* stride_a and stride_b elements apart */
  GC_BATCH_OFFSET = 1, /* at byte offsets from the first block */
  GC_BATCH_ADDRESS = 2 /* at addresses */
} gc_batch_form;

/* A batch-reduce GEMM kernel on row-major blocks:
 *   C[m,n] = beta * C[m,n] + sum over i < batch of A_i[m,k] * B_i[k,n]
 * Leading dimensions and strides are in elements. A transposed operand is
 * stored as its transpose. In a packed one (VNNI), pack_a or pack_b neighbours
 * along k are adjacent: B is ceil(k / pack_b) rows of n groups; a row of groups
 * takes pack_b * ldb elements. beta is 0 (C is not read) or 1. Zero points are
 * subtracted from the elements of A and B. If B is narrower than A, it may have
 * f32 scales and zero points, one row for each block of the batch. All fields
 * are int64_t, so that generated code can hold a spec as an array. */
typedef struct gc_kernel_spec {
  int64_t version; /* GC_KERNEL_SPEC_VERSION */
  /* gc_dtype of the operands and of the sums, which C is converted from and
   * to. */
  int64_t a_type, b_type, c_type, accumulator_type;
  int64_t pack_a, pack_b;           /* 1: not packed */
  int64_t transpose_a, transpose_b; /* 0 or 1 */
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t batch_form;         /* gc_batch_form */
  int64_t stride_a, stride_b; /* GC_BATCH_STRIDE; else 0 */
  int64_t beta;
  /* Since version 2; 0 in a spec of version 1, which ends before them. */
  int64_t zero_point_a, zero_point_b;
  int64_t ld_scale_b;        /* elements between rows of scales; 0: no scales */
  int64_t has_zero_points_b; /* 0 or 1: besides scales, rows of zero points */
} gc_kernel_spec;

/* A kernel for a spec:
 *   void kernel(const void *B, const void *A, void *C,
 *               const unsigned long long *batch)
 * with *batch >= 1 (B first: libxsmm is column-major). With GC_BATCH_OFFSET two
 * more arguments follow, arrays of *batch byte offsets of B's, then of A's
 * blocks; with GC_BATCH_ADDRESS B and A are arrays of *batch addresses. NULL,
 * with gc_last_error naming the whole spec, when there is no kernel: only f32
 * without packing, transposition and zero points is supported so far. A kernel
 * touches nothing outside the matrices. Takes a lock and may allocate: call it
 * at load time. */
GC_API void *gc_brgemm_dispatch(const gc_kernel_spec *spec);

/* GFLOP/s (GOP/s) that one thread reaches over a window of `seconds`: the best
 * of several in-cache libxsmm batch-reduce GEMMs of that gc_dtype in the best
 * of several windows. Windows are 2 ms to 250 ms long; `seconds` outside this
 * range are clamped. If the clock frequency varies, short windows are faster
 * than long ones: the shortest give the physical limit, and those as long as a
 * run give what can be sustained. Takes 0.4 s, and up to 0.8 s more for long
 * windows. 0 for types that the host has no instructions for. */
GC_API double gc_peak_gflops(int64_t dtype, double seconds);

/* The same for work of the caller: run(argument) performs `flops` operations
 * per call, preferably a million or more. */
GC_API double gc_measure_gflops(void (*run)(void *), void *argument,
                                double flops, double seconds);

/* Whether the host (processor and operating system) has an x86 instruction set,
 * by its LLVM feature name: "avx2", "fma", "avx512f" ... Unknown names: 0. */
GC_API int gc_host_has_feature(const char *name);

/* Everything generated code may call, for a JIT to resolve names with. */
typedef struct gc_symbol {
  const char *name;
  void *address;
} gc_symbol;
GC_API const gc_symbol *gc_runtime_symbols(int64_t *count);

/*===-- Trace ------------------------------------------------------------===*/

/* Records up to max_events_per_thread events for each of max_threads team
 * indices; newer events replace older ones. NULL (and gc_last_error) when a
 * number is below 1 or memory is short. */
GC_API gc_trace *gc_trace_create(int64_t max_threads,
                                 int64_t max_events_per_thread);
/* No execution may be using it. NULL is allowed. */
GC_API void gc_trace_destroy(gc_trace *trace);

/* Called by code that was compiled with tracing, in pairs, on the thread that
 * owns `team`; pairs may nest, up to 16 deep. Takes no lock. */
GC_API void gc_trace_begin(const gc_team *team, int64_t region);
GC_API void gc_trace_end(const gc_team *team, int64_t region);

/* The time of a region in the recorded executions, in milliseconds: from the
 * first thread that began it to the last one that ended it. It is the time that
 * one execution in ten does not exceed, because time taken by other programs on
 * the machine is not the region's. Folds are not counted. Negative if no
 * execution is recorded. No execution may be using the trace. */
GC_API double gc_trace_region_ms(const gc_trace *trace, int64_t region);

/* Writes Chrome/Perfetto JSON: a track per thread, an "X" event per region in
 * the category "fold" or "compute", one event "fold" and one "execute #i" for
 * each fold and execution. module (may be NULL) names the regions. The file
 * appears complete or not at all. No execution may be using the trace. */
GC_API gc_status gc_trace_write(const gc_trace *trace, const gc_module *module,
                                const char *path);

#ifdef __cplusplus
}
#endif

#endif /* GC_RUNTIME_RUNTIME_H */
