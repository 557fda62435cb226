/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The version of the interface. dnnl_version() has that of the library. */

#ifndef ONEAPI_DNNL_DNNL_VERSION_H
#define ONEAPI_DNNL_DNNL_VERSION_H

#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 13
#define DNNL_VERSION_PATCH 1
#define DNNL_VERSION_HASH "GC"

#endif /* ONEAPI_DNNL_DNNL_VERSION_H */
