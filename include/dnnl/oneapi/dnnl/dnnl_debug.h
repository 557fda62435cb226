/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Names of values. */

#ifndef ONEAPI_DNNL_DNNL_DEBUG_H
#define ONEAPI_DNNL_DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "success", "invalid_arguments" ...; strings live as long as the process. */
const char DNNL_API *dnnl_status2str(dnnl_status_t status);
/* "f32", "undef" ... */
const char DNNL_API *dnnl_dt2str(dnnl_data_type_t type);
/* "cpu", "gpu", "any" */
const char DNNL_API *dnnl_engine_kind2str(dnnl_engine_kind_t kind);
const char DNNL_API *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t mode);

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_DEBUG_H */
