/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The C interface of the compiler: read a graph, compile it for this machine,
 * run it on buffers of the caller, and ask what the compiler did. Plain C, no
 * types of MLIR or C++. The library is libgc_c; it contains the runtime, whose
 * own interface (Runtime/Runtime.h: element types, thread pools, peak speed)
 * can be used alongside this one.
 *
 * Errors: a function that can fail returns a gc_error, NULL on success, which
 * the caller destroys. On an error, no result is written. Nothing here prints,
 * exits or throws, whatever the graph and the options are.
 *
 * Threads: different objects may be used by different threads at the same time.
 * One graph may be compiled and emitted, and one compiled graph executed and
 * queried, by several threads at the same time; compilations of one graph run
 * one after another.
 *
 * Strings: UTF-8, owned by the object they come from, never NULL unless stated.
 *
 * Versions: functions and enumerators are only ever added, structures only grow
 * at their end; `struct_size` tells the library which of them the caller was
 * compiled with. */

#ifndef GC_CAPI_GRAPHCOMPILER_H
#define GC_CAPI_GRAPHCOMPILER_H

#include "Runtime/Runtime.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one with each addition to this interface. */
#define GC_CAPI_VERSION 4

/* The version of the library in use, at least the header's. */
GC_API uint32_t gc_capi_version(void);
/* Version of the project, "0.1.0". */
GC_API const char *gc_version_string(void);

/*===-- Errors and buffers -----------------------------------------------===*/

typedef struct gc_error gc_error;

/* What went wrong: the file, the op and the reason, as far as they apply. */
GC_API const char *gc_error_message(const gc_error *error);
/* GC_INVALID_ARGUMENT: the graph, the options or the arguments are at fault;
 * GC_UNSUPPORTED, GC_OUT_OF_MEMORY, GC_RUNTIME_ERROR: as in the runtime. */
GC_API gc_status gc_error_status(const gc_error *error);
/* NULL is allowed. */
GC_API void gc_error_destroy(gc_error *error);

/* Bytes that the library created; text is followed by a zero byte that is not
 * counted. */
typedef struct gc_buffer gc_buffer;
GC_API const char *gc_buffer_data(const gc_buffer *buffer);
GC_API size_t gc_buffer_size(const gc_buffer *buffer);
/* NULL is allowed. */
GC_API void gc_buffer_destroy(gc_buffer *buffer);

/*===-- Graphs -----------------------------------------------------------===*/

typedef struct gc_graph gc_graph;

typedef enum gc_graph_format {
  GC_FORMAT_AUTOMATIC = 0,   /* JSON if it starts like an object, else MLIR */
  GC_FORMAT_MLIR = 1,        /* text or bytecode */
  GC_FORMAT_ONEDNN_GRAPH = 2 /* oneDNN Graph JSON */
} gc_graph_format;

/* Reads a file: .mlir, .mlirbc, .json (oneDNN Graph), or .onnx. */
GC_API gc_error *gc_graph_read_file(const char *path, gc_graph **graph);
/* Reads an ONNX model with `count` settings for what it leaves open:
 * "dim=NAME=SIZE", the size of a dimension that it names; "dim=NAME=MIN..MAX",
 * the bounds of one that varies, and "size=NAME=SIZE", which fixes the size of
 * such a dimension (both since version 4); "shape=INPUT=2x3x4";
 * "value=INPUT=1,2", the numbers of an input that has to be known, such as a
 * shape, and that is then not an argument. */
GC_API gc_error *gc_graph_read_onnx(const char *path,
                                    const char *const *settings, size_t count,
                                    gc_graph **graph);
/* Reads `size` bytes, which are not needed afterwards. name (may be NULL) is
 * used as the file name in locations and errors. */
GC_API gc_error *gc_graph_read_text(const char *data, size_t size,
                                    gc_graph_format format, const char *name,
                                    gc_graph **graph);
/* Anything compiled from it stays usable. NULL is allowed. */
GC_API void gc_graph_destroy(gc_graph *graph);

/*===-- Compilation ------------------------------------------------------===*/

/* Start from GC_COMPILE_OPTIONS_INIT. NULL strings count as empty. */
typedef struct gc_compile_options {
  size_t struct_size; /* sizeof(gc_compile_options) */
  /* Options of the CPU pipeline, as gc-opt takes them: "kernel=vector". */
  const char *pipeline;
  /* Function to compile; empty: the only public one, else `main`. */
  const char *entry;
  /* Threads to divide the work among, 1 to 1024; 0: what the pipeline's options
   * say, else the OpenMP setting (OMP_NUM_THREADS), else the machine's cores,
   * for gc_graph_compile at most the host's. */
  int64_t threads;
  /* Processor to compile for, by LLVM's name (empty: the machine's), and
   * feature names in addition to it: "+avx2,-fma". They replace the machine's
   * instruction set. */
  const char *cpu;
  const char *features;
  /* Machine to compile for: the name of a preset or of a JSON file; empty: what
   * the graph's module describes, else the environment variable GC_MACHINE,
   * else the host. Since version 2. */
  const char *machine;
} gc_compile_options;

#define GC_COMPILE_OPTIONS_INIT                                                \
  {sizeof(gc_compile_options), NULL, NULL, 0, NULL, NULL, NULL}

typedef struct gc_compiled gc_compiled;

/* Compiles to machine code in memory, kernels included; only folding the
 * constant inputs is left for the first execution. options NULL: defaults. */
GC_API gc_error *gc_graph_compile(gc_graph *graph,
                                  const gc_compile_options *options,
                                  gc_compiled **compiled);
/* No execution may be in flight. NULL is allowed. */
GC_API void gc_compiled_destroy(gc_compiled *compiled);

typedef enum gc_emit_kind {
  GC_EMIT_MLIR = 0, /* text, after the phase that stop-after= in the pipeline's
                       options names: import graph layout fusion tensor machine
                     */
  GC_EMIT_LLVM = 1, /* LLVM IR after optimisation, text */
  GC_EMIT_ASM = 2,  /* assembly, text */
  GC_EMIT_OBJ = 3   /* object file */
} gc_emit_kind;

/* Emits all functions of the graph; options->entry is ignored. */
GC_API gc_error *gc_graph_emit(gc_graph *graph,
                               const gc_compile_options *options,
                               gc_emit_kind kind, gc_buffer **buffer);

/* What a package contains besides the code. Start from GC_PACKAGE_OPTIONS_INIT.
 * NULL strings count as empty. Since version 3. */
typedef struct gc_package_options {
  size_t struct_size; /* sizeof(gc_package_options) */
  /* Name of the entry point and the files, a C identifier; empty: that of the
   * function. */
  const char *name;
  int64_t shared; /* not 0: also link a shared library, runtime inside */
  /* The program that links it; empty: the first of c++, g++, clang++ on PATH.
   */
  const char *linker;
  int64_t weights_in_file; /* not 0: constants go to NAME.safetensors */
  int64_t prepack;         /* not 0: fold constants now */
  /* Arguments that become constants: num_values names of arguments, and .npy
   * files with their values. */
  int64_t num_values;
  const char *const *value_names;
  const char *const *value_files;
} gc_package_options;

#define GC_PACKAGE_OPTIONS_INIT                                                \
  {sizeof(gc_package_options), NULL, 0, NULL, 0, 0, 0, NULL, NULL}

/* Writes a folder for programs without a compiler, as gc-compile does: whole or
 * not at all. package NULL: defaults. Since version 3. */
GC_API gc_error *gc_graph_write_package(gc_graph *graph,
                                        const gc_compile_options *options,
                                        const gc_package_options *package,
                                        const char *folder);

/*===-- Inputs and outputs -----------------------------------------------===*/

/* Stands for a size that each execution chooses. Since version 4. */
#define GC_SIZE_VARIES (-1)

/* An argument or result, valid as long as the compiled graph. */
typedef struct gc_tensor_info {
  size_t struct_size; /* set by the caller: sizeof(gc_tensor_info) */
  const char *name;   /* `graph.name`, the tensor id of a JSON, else argN or
                         resultN */
  gc_dtype dtype;
  const char
      *dtype_name;     /* f32 bf16 f16 f8_e5m2 f8_e4m3 s8 u8 s32 u64 boolean */
  size_t element_size; /* bytes; a boolean is one byte of 0 or 1 */
  size_t rank;
  const int64_t *shape;   /* `rank` sizes; GC_SIZE_VARIES where they vary */
  const int64_t *strides; /* `rank` strides in elements, as the graph says;
                             GC_SIZE_VARIES where they follow from a size that
                             varies: such tensors are dense and row-major */
  size_t bytes; /* from the first to the last element, gaps included; 0 if the
                   shape varies */
  int is_constant; /* the same content in every call, folded once */
} gc_tensor_info;

GC_API size_t gc_compiled_num_inputs(const gc_compiled *compiled);
GC_API size_t gc_compiled_num_outputs(const gc_compiled *compiled);
GC_API gc_error *gc_compiled_input(const gc_compiled *compiled, size_t index,
                                   gc_tensor_info *info);
GC_API gc_error *gc_compiled_output(const gc_compiled *compiled, size_t index,
                                    gc_tensor_info *info);

/*===-- Execution --------------------------------------------------------===*/

/* Runs the graph on buffers of the caller, which are used in place: one pointer
 * per input and output, aligned to its elements, laid out as gc_tensor_info
 * says. No output may overlap an input or another output. The first execution
 * folds the constant inputs. So does every execution whose constant inputs are
 * at other addresses than those folded last: as long as the addresses stay the
 * same, the contents must, too, unless gc_compiled_invalidate is called or
 * versions are given.
 *
 * executor NULL: OpenMP. threads 0: as compiled; any number is correct. */
GC_API gc_error *gc_compiled_execute(gc_compiled *compiled, void *const *inputs,
                                     size_t num_inputs, void *const *outputs,
                                     size_t num_outputs,
                                     const gc_executor *executor,
                                     int64_t threads);
/* The same for a version of the constant inputs, which the caller numbers from
 * 1: an execution whose version and addresses have been folded before does not
 * fold again, whatever was folded in between. New content needs a new
 * version. */
GC_API gc_error *
gc_compiled_execute_version(gc_compiled *compiled, void *const *inputs,
                            size_t num_inputs, void *const *outputs,
                            size_t num_outputs, const gc_executor *executor,
                            int64_t threads, int64_t version);
/* Says that constant inputs have new content at the same address: the next
 * execution of any version folds again. */
GC_API gc_error *gc_compiled_invalidate(gc_compiled *compiled);
/* How many sets of folded constants are kept, at least 1 (default: 2). Beyond
 * that, the least recently used one is dropped. */
GC_API gc_error *gc_compiled_set_capacity(gc_compiled *compiled, int64_t sets);

/*===-- Sizes that vary --------------------------------------------------===*/

/* A graph whose arguments have named dimensions (`graph.dims`, or an ONNX model
 * with "dim=NAME=MIN..MAX") is compiled for each tuple of sizes when it is
 * first executed with them, exactly as the graph of these sizes would be.
 * Constants that the compiled graphs have in common are in memory once. All
 * functions may be called by several threads at the same time: a thread that
 * brings a new size compiles while the others execute. A graph of fixed sizes
 * has no dimensions, and takes 0 sizes here. Since version 4. */

typedef struct gc_dim_info {
  size_t struct_size; /* set by the caller: sizeof(gc_dim_info) */
  const char *name;   /* valid as long as the compiled graph */
  int64_t min, max;   /* both inclusive */
} gc_dim_info;

/* The dimensions that vary. Sizes are given in their order. */
GC_API size_t gc_compiled_num_dims(const gc_compiled *compiled);
GC_API gc_error *gc_compiled_dim(const gc_compiled *compiled, size_t index,
                                 gc_dim_info *info);
/* The sizes that follow from the shapes of all inputs. ranks NULL: those that
 * gc_compiled_input gives. A wrong rank, a size out of bounds, and shapes that
 * contradict the graph or each other are errors. */
GC_API gc_error *gc_compiled_sizes(const gc_compiled *compiled,
                                   const int64_t *const *shapes,
                                   const size_t *ranks, size_t num_inputs,
                                   int64_t *sizes, size_t num_sizes);
/* The `rank` sizes of an input or output. Nothing is compiled. */
GC_API gc_error *gc_compiled_input_shape(gc_compiled *compiled,
                                         const int64_t *sizes, size_t num_sizes,
                                         size_t index, int64_t *shape,
                                         size_t rank);
GC_API gc_error *gc_compiled_output_shape(gc_compiled *compiled,
                                          const int64_t *sizes,
                                          size_t num_sizes, size_t index,
                                          int64_t *shape, size_t rank);
/* Compiles for these sizes now, unless that was done before. */
GC_API gc_error *gc_compiled_prepare(gc_compiled *compiled,
                                     const int64_t *sizes, size_t num_sizes);
/* gc_compiled_execute_version with sizes, on dense row-major buffers of the
 * shapes that follow from them; version 0: none. */
GC_API gc_error *
gc_compiled_execute_sizes(gc_compiled *compiled, const int64_t *sizes,
                          size_t num_sizes, void *const *inputs,
                          size_t num_inputs, void *const *outputs,
                          size_t num_outputs, const gc_executor *executor,
                          int64_t threads, int64_t version);
/* How many tuples of sizes code is kept for, at least 1 (default: 16). Beyond
 * that, the least recently used one is dropped, and compiled again when it is
 * needed again. */
GC_API gc_error *gc_compiled_set_size_capacity(gc_compiled *compiled,
                                               int64_t count);

/*===-- What the compiler did --------------------------------------------===*/

/* A decision of the compiler that a user may want to know, or a warning. Valid
 * as long as the compiled graph. Strings are empty if nothing is known. A graph
 * with sizes that vary has the remarks of the sizes that were compiled first,
 * and none before that. */
typedef struct gc_remark {
  size_t struct_size;   /* set by the caller: sizeof(gc_remark) */
  const char *kind;     /* passed missed failed analysis remark warning */
  const char *category; /* the pass */
  const char *name;     /* kind of decision within the pass: "NotFused" */
  const char *function;
  const char *message;
  const char *reason;
  const char *suggestion;
  const char *location; /* file:line:column */
} gc_remark;

GC_API size_t gc_compiled_num_remarks(const gc_compiled *compiled);
GC_API gc_error *gc_compiled_remark(const gc_compiled *compiled, size_t index,
                                    gc_remark *remark);

/* A JSON object with the fields of gc-runner's report: name target threads
 * compile_ms fold_ms flops arena_bytes constant_bytes fused_ops
 * parallel_regions forks. forks are those of the last execution, without
 * folding; they and fold_ms are null before the first one. arena_bytes is for
 * `threads` threads. A graph with sizes that vary also has compilations and
 * sizes (those in memory), weight_bytes (of constants of the graph),
 * shared_constant_bytes (of folded constants, each content counted once) and
 * unshared_constant_bytes (what they would be if each size had its own);
 * compile_ms is the sum, and there are no flops. Other fields are those of the
 * sizes that were used last. */
GC_API gc_error *gc_compiled_report(const gc_compiled *compiled,
                                    gc_buffer **buffer);

#ifdef __cplusplus
}
#endif

#endif /* GC_CAPI_GRAPHCOMPILER_H */
