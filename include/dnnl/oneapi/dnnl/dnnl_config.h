/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* How the library was built: its threads are OpenMP's, and it has no GPU. */

#ifndef ONEAPI_DNNL_DNNL_CONFIG_H
#define ONEAPI_DNNL_DNNL_CONFIG_H

#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u

#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_OMP
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_OMP
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_NONE

#define DNNL_GPU_VENDOR_NONE 0u
#define DNNL_GPU_VENDOR DNNL_GPU_VENDOR_NONE

#define BUILD_TRAINING 1
#define BUILD_INFERENCE 0

#if defined(__GNUC__)
#define DNNL_API __attribute__((visibility("default")))
#define DNNL_DEPRECATED __attribute__((deprecated))
#else
#define DNNL_API
#define DNNL_DEPRECATED
#endif

#endif /* ONEAPI_DNNL_DNNL_CONFIG_H */
